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

/** The types of the values of options, as `typeName` names them; undefined where what uses the value says what is wrong with it. */
export type OptionTypes<O> = Readonly<
  Record<keyof O, "array" | "boolean" | "function" | "number" | "object" | "string" | undefined>
>;

/**
 * Refuses options that there are not, as `requireKnownOptions` does, and values of another type, which would fail when they are used.
 *
 * ```ts
 * requireOptions("router({ … })", options, { filters: "array", strict: "boolean" });
 * ```
 *
 * @throws TypeError that names the option
 */
export function requireOptions<O extends object>(owner: string, options: O, types: OptionTypes<O>): void {
  requireKnownOptions(owner, options, Object.keys(types));
  for (const [name, type] of Object.entries<string | undefined>(types)) {
    const value: unknown = options[name as keyof O]; // a key of its own
    if (value === undefined || type === undefined || typeName(value) === type) continue;
    throw new TypeError(`${owner.replace("…", name)} is of the type ${type}, not ${typeName(value)}`);
  }
}
