import { countryCodes } from "../person/rules.ts";
import { toLooseKey } from "./column-words.ts";

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
  if (countryCodes.has(code)) return code;
  names ??= namesOfCountries();
  return names.get(toLooseKey(name));
}

/** Made at the first question: it takes 20 ms. */
let names: ReadonlyMap<string, string> | undefined;

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr"];

function namesOfCountries(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const language of languages) {
    for (const style of ["long", "short"] as const) {
      const display = new Intl.DisplayNames(language, { type: "region", style, fallback: "none" });
      for (const code of countryCodes) {
        const name = display.of(code);
        // The first language decides where a name means two countries.
        if (name !== undefined && !found.has(toLooseKey(name))) found.set(toLooseKey(name), code);
      }
    }
  }
  for (const [name, code] of usualNames) found.set(toLooseKey(name), code);
  return found;
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
