import type { MemberType } from "../selection.ts";

/** A value of a selection as the values of a member of this type are compared: A to Z are a to z in caseless text. */
export function comparedValue<V extends string | number>(value: V, type: MemberType): V | string {
  if (type !== "caseless-text" || typeof value === "number") return value;
  return value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The first text, by code points, behind all those that begin with the prefix; undefined when there is none behind. */
export function endOfPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === 0x10_ff_ff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  const next = last + 1 === 0xd8_00 ? 0xe0_00 : last + 1; // between them are surrogates, which are no characters
  return String.fromCodePoint(...points, next);
}
