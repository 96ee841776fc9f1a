import { nearestName, orNearest, quote, typeName } from "./wording.ts";

/**
 * Refuses options that there are not, since a misspelt one would be left out in silence; and where types are given, values of another
 * type, which would fail when they are used.
 *
 * ```ts
 * requireOptions("compress({ … })", options, ["codings", "minimum"]);
 * requireOptions("router({ … })", options, { filters: "array", strict: "boolean" });
 * ```
 *
 * @param known names or types; the compiler compares them with the options
 * @throws TypeError with the nearest option that there is, and all of them; or that names the option of another type; or when there are
 *   no options
 */
export function requireOptions<O extends object>(
  owner: string,
  options: O,
  known: readonly (keyof O & string)[] | requireOptions.Types<O>,
): void {
  const names = Array.isArray(known) ? known : Object.keys(known);
  const type = typeName(options); // JavaScript callers pass anything, or nothing.
  if (type !== "object")
    throw new TypeError(`${owner} takes an object of options, not ${type}. Known: ${names.join(", ")}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const hint = orNearest(nearestName(unknown, names)) || ".";
    throw new TypeError(`${owner} has no option ${quote(unknown)}${hint} Known: ${names.join(", ")}`);
  }
  if (Array.isArray(known)) return;
  for (const [name, type] of Object.entries<string | undefined>(known)) {
    const value: unknown = options[name as keyof O]; // a key of its own
    if (value === undefined || type === undefined || typeName(value) === type) continue;
    throw new TypeError(`${owner.replace("…", name)} is of the type ${type}, not ${typeName(value)}`);
  }
}

export declare namespace requireOptions {
  /** As `typeName` names them; undefined where what uses the value says what is wrong with it. */
  type Types<O> = Readonly<
    Record<keyof O, "array" | "boolean" | "function" | "number" | "object" | "string" | undefined>
  >;
}
