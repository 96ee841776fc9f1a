import { typeName } from "./declaration.ts";
import { quote } from "./message-text.ts";
import { nearestName, orNearest } from "./nearest-name.ts";

/**
 * Refuses options that there are not: a misspelt one would be left out in silence.
 *
 * ```ts
 * requireKnownOptions("router({ … })", options, ["filters", "strict"]);
 * ```
 *
 * @throws TypeError with the nearest option that there is, and all of them; or when there are no options
 */
export function requireKnownOptions(owner: string, options: object, known: readonly string[]): void {
  const type = typeName(options); // JavaScript callers pass anything, or nothing.
  if (type !== "object")
    throw new TypeError(`${owner} takes an object of options, not ${type}. Known: ${known.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const hint = orNearest(nearestName(unknown, known)) || ".";
  throw new TypeError(`${owner} has no option ${quote(unknown)}${hint} Known: ${known.join(", ")}`);
}
