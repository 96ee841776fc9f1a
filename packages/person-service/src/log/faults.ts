import { inspect } from "node:util";
import { StoreUnavailable } from "@waymark/collection";
import type { HttpRequest } from "waymark";
import { requestId } from "waymark/filters";
import { lineBudget } from "./line-budget.ts";
import type { Log } from "./log.ts";

/**
 * Makes the function that logs faults, each with the `X-Request-Id` of its response and the stacks of the error and its causes.
 * Other members of an error are not logged, because they can contain what a client sent. A database that cannot be used in the midst
 * of an answer is logged as its cause. At most 20 faults are logged in a second; the next line says how many were left out.
 *
 * @param now a clock in milliseconds
 */
export function faultLog(
  log: Log,
  now: () => number = Date.now,
): (error: unknown, request: HttpRequest | undefined) => void {
  const budget = lineBudget(20, now);
  return (error, request) => {
    const omitted = budget();
    if (omitted === undefined) return;
    // A stream that fails while it is sent reports the request as it arrived, before it got an id.
    const id = request?.attribute(requestId);
    const members = { ...(id !== undefined && { id }), ...(omitted > 0 && { omitted }) };
    if (error instanceof StoreUnavailable) {
      const { message: cause } = error;
      log.write("error", "broken-off", `an answer was broken off: ${cause}`, { ...members, cause });
    } else {
      const stack = stackOf(error).slice(0, longestStack);
      log.write("error", "fault", "a request failed by a fault of the service", { ...members, stack });
    }
  };
}

/** In characters. */
const longestStack = 8000;

/** Returns the stacks of an error and its causes; for any other value, a description. */
function stackOf(error: unknown): string {
  const stacks: string[] = [];
  let cause: unknown = error;
  for (let depth = 0; depth < mostCauses && cause !== undefined; depth++) {
    if (!(cause instanceof Error)) {
      stacks.push(inspect(cause, { depth: 0, maxStringLength: 200, maxArrayLength: 0 }));
      break;
    }
    stacks.push(cause.stack ?? `${cause.name}: ${cause.message}`);
    ({ cause } = cause);
  }
  return stacks.join("\ncaused by ");
}

const mostCauses = 8;
