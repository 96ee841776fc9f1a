import { countCharacters } from "./text.ts";

/** The parts of a name that a name is derived from. */
export interface NameParts {
  readonly givenName?: string;
  readonly additionalName?: string;
  readonly familyName?: string;
}

/**
 * The given, additional and family name with single spaces between them. What does not fit in 200 characters is left out
 * whole, the additional name first and then the given name; no part is ever cut, and each remains a member of its own.
 *
 * ```ts
 * derivedName({ givenName: "Ada", familyName: "Lovelace" });   // "Ada Lovelace"
 * ```
 *
 * @param parts of at most 100 characters each; the given or the family name is there
 */
export function derivedName({ givenName, additionalName, familyName }: NameParts): string {
  const full = join(givenName, additionalName, familyName);
  if (countCharacters(full) <= 200) return full;
  const short = join(givenName, familyName);
  return countCharacters(short) <= 200 ? short : join(familyName);
}

function join(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(" ");
}
