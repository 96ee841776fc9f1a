import { isGiven, isObject, textOf, valuesOf } from "../members/member-value.ts";
import { longestName, nameSources, otherNames, otherProperties } from "../members/members.ts";
import { parseVcardLine, unescapeText } from "./vcard-lines.ts";

/**
 * Returns a new person of a file with a name: that of the organisation, a nickname, an e-mail or a telephone where there is no other,
 * also one that no member can hold.
 */
export function named(person: unknown): unknown {
  if (!isObject(person) || nameSources.some((member) => isGiven(person, member))) return person;
  const source = otherNames.find((member) => isGiven(person, member));
  const text = source === undefined ? keptName(person) : textOf(person, source);
  const name = Array.from(text ?? "")
    .slice(0, longestName)
    .join("")
    .trim();
  return name === "" ? person : { ...person, name };
}

/** Returns what a card has of these that no member can hold. */
function keptName(person: object): string | undefined {
  const lines = valuesOf(person, otherProperties).flatMap((text) => parseVcardLine(String(text)) ?? []);
  const line = ["FN", "ORG", "NICKNAME", "EMAIL", "TEL"]
    .flatMap((name) => lines.filter((each) => each.name === name))
    .find(({ value }) => /[^;\s]/.test(value));
  return line && unescapeText(line.value).replaceAll(/[\s\p{Cc}]+/gu, " ");
}
