import { styleText } from "node:util";
import { wording } from "waymark/internal";

/**
 * Formats a line of the log for people: time, level, message, further facts, and the stack of an error below.
 *
 * ```text
 * 14:03:21.508 info  GET /person/{id} 200 in 1.2 ms  id=4f0c… bytes=345 caller=key:ci
 * ```
 *
 * @param json a line of JSON with its end
 */
export function prettyLine(json: string, hasColors: boolean): string {
  const { level, time, msg, pid: _pid, event, stack, ...rest }: LogLine = JSON.parse(json);
  const { text, members } = event === "request" ? requestText(rest) : { text: msg ?? event ?? "", members: rest };
  const paint: typeof styleText = (style, text) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  const clock = new Date(time).toLocaleTimeString("en-GB", clockFormat);
  const details = Object.entries(members).map(([name, value]) => ` ${name}=${valueText(value)}`);
  const line = [
    paint("dim", clock),
    paint(styles[level] ?? "reset", level.padEnd(5)),
    wording.escapeUnprintable(text).replaceAll("\n", " ") +
      (details.length > 0 ? paint("dim", ` ${details.join("")}`) : ""),
  ].join(" ");
  return stack === undefined ? `${line}\n` : `${line}\n${wording.escapeUnprintable(stack)}\n`;
}

function requestText({ method, route, status, ms, ...members }: Readonly<Record<string, unknown>>) {
  return { text: `${method} ${route ?? "no route"} ${status ?? "unanswered"} in ${ms} ms`, members };
}

const clockFormat = { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 } as const;

interface LogLine {
  readonly level: string;
  readonly time: string;
  readonly pid: number;
  readonly event?: string;
  readonly msg?: string;
  readonly stack?: string;
  readonly [member: string]: unknown;
}

const styles: Readonly<Record<string, "cyan" | "yellow" | "red">> = { info: "cyan", warn: "yellow", error: "red" };

function valueText(value: unknown): string {
  if (typeof value === "string") return /^[^\s"=\p{C}]+$/u.test(value) ? value : wording.quote(value);
  return wording.escapeUnprintable(JSON.stringify(value));
}
