import type { Log, LogLevel } from "./log.ts";

/**
 * Makes a function to call for each request that is refused for one reason, such as overload. It logs once that requests are being
 * refused, and once that this has ended, with their number.
 *
 * @param quiet how long no request must be refused until it has ended, in milliseconds
 * @param level of the first entry
 */
export function watchRefusals(
  log: Log,
  event: string,
  message: string,
  quiet = 5000,
  level: LogLevel = "warn",
): () => void {
  let count = 0;
  let last = 0;
  let since = 0;
  const end = (): void => {
    const rest = last + quiet - performance.now();
    if (rest > 0) {
      setTimeout(end, rest).unref();
      return;
    }
    const seconds = Math.round((last - since) / 100) / 10;
    log.write("info", `${event}-over`, `${message}: over after ${seconds} s`, { refused: count, seconds });
    count = 0;
  };
  return () => {
    last = performance.now();
    if (++count > 1) return;
    since = last;
    log.write(level, event, message);
    setTimeout(end, quiet).unref();
  };
}
