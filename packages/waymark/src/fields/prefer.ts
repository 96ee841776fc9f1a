import { quotedContent, quotedText, splitList, tokenText, unquote } from "./syntax.ts";

/**
 * Returns the preferences that a Prefer field states (RFC 7240 §2), by their names in lower case, with their values;
 * one without a value has an empty one. Of a preference that is stated more than once only the first counts; a
 * malformed one is left out, and so are parameters.
 *
 * ```ts
 * parsePrefer('return=minimal, wait=10, return=representation');   // return → minimal, wait → 10
 * ```
 */
export function parsePrefer(field: string | undefined): ReadonlyMap<string, string> {
  if (field === undefined) return none;
  const preferences = new Map<string, string>();
  for (const member of splitList(field)) {
    const { name, token = "", quoted } = preferencePattern.exec(member)?.groups ?? {};
    if (name === undefined || preferences.has(name.toLowerCase())) continue;
    preferences.set(name.toLowerCase(), quoted === undefined ? token : unquote(quoted));
  }
  return preferences;
}

const none: ReadonlyMap<string, string> = new Map();

const space = "[\\t ]*";
// White space has one place in each pattern, so that a long field without an end takes no time to refuse.
const parameter = `${tokenText}${space}(?:=${space}(?:${tokenText}|${quotedText})${space})?`;
const preferencePattern = new RegExp(
  `^${space}(?<name>${tokenText})${space}` +
    `(?:=${space}(?:(?<token>${tokenText})|"(?<quoted>${quotedContent})")${space})?` +
    `(?:;${space}(?:${parameter})?)*$`,
);
