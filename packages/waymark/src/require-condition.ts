import type { ConditionData } from "./condition.ts";
import { typeName } from "./type-name.ts";

/**
 * The value, which must be a condition. JavaScript callers come with anything: undefined from a misspelt import, a string
 * where only a route takes one, a function in the wrong place.
 *
 * @param expected the beginning of the message: what takes which values
 * @throws TypeError when it is none
 */
export function requireCondition(value: unknown, expected: string): ConditionData {
  const kind = (value as { kind?: unknown } | null | undefined)?.kind;
  // The kinds are the tags of ConditionData, so a value that has one was made by a function of condition.ts.
  if (conditionKinds.has(kind)) return value as ConditionData;
  throw new TypeError(`${expected}, not ${typeof kind === "string" ? `${kind}(…)` : typeName(value)}`);
}

const conditionKinds: ReadonlySet<unknown> = new Set<ConditionData["kind"]>([
  ...(["method", "path", "accept", "contentType", "header", "query", "test"] as const),
  ...(["and", "or", "not"] as const),
]);
