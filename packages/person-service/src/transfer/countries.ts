import { countryCodes } from "../person/rules.ts";
import { namedInLanguages } from "./names-in-languages.ts";

/**
 * Returns the code of a country that is named otherwise: in small letters, by its name in one of several languages, or by a
 * usual short form; undefined for other text.
 *
 * ```ts
 * countryCodeOf("Germany"); // "DE"
 * countryCodeOf("Deutschland"); // "DE"
 * countryCodeOf("usa"); // "US"
 * ```
 */
export function countryCodeOf(name: string): string | undefined {
  const code = name.toUpperCase();
  return countryCodes.has(code) ? code : codeOfName(name);
}

/** What people write that is no name of the Unicode project. */
export const usualNames: readonly (readonly [name: string, code: string])[] = [
  ["USA", "US"],
  ["United States of America", "US"],
  ["Vereinigte Staaten von Amerika", "US"],
  ["UK", "GB"],
  ["Great Britain", "GB"],
  ["Großbritannien", "GB"],
  ["England", "GB"],
  ["Scotland", "GB"],
  ["Wales", "GB"],
  ["Northern Ireland", "GB"],
  ["Holland", "NL"],
  ["The Netherlands", "NL"],
  ["Czech Republic", "CZ"],
  ["Republic of Ireland", "IE"],
  ["Republic of Korea", "KR"],
  ["Korea", "KR"],
  ["Russian Federation", "RU"],
  ["Viet Nam", "VN"],
  ["UAE", "AE"],
];

const codeOfName = namedInLanguages(usualNames, function* (language) {
  for (const style of ["long", "short"] as const) {
    const display = new Intl.DisplayNames(language, { type: "region", style, fallback: "none" });
    for (const code of countryCodes) yield [display.of(code), code];
  }
});
