import { looseKey } from "./loose-key.ts";

/** The 249 officially assigned codes of ISO 3166-1. Reserved and user-assigned codes (EU, UK, XK, ZZ) are not countries. */
export const countryCodes: ReadonlySet<string> = new Set(
  `
    AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ
    CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO
    FR GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE
    JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO
    MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW
    PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM
    TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW
  `
    .trim()
    .split(/\s+/),
);

/**
 * Returns the code of a country that is named otherwise: in small letters, by its name in one of the languages of the countries, or
 * by a usual short form; undefined for other text. Of two countries of one name, the first in the first language is meant.
 *
 * ```ts
 * countryCodeOf("Germany"); // "DE"
 * countryCodeOf("日本"); // "JP"
 * countryCodeOf("usa"); // "US"
 * ```
 */
export function countryCodeOf(name: string): string | undefined {
  const code = name.toUpperCase();
  if (countryCodes.has(code)) return code;
  const key = looseKey(name);
  if (key === "") return undefined;
  while (!names.has(key)) {
    const { done, value: language } = languagesLeft.next();
    if (done) return undefined;
    gatherIn(language);
  }
  return names.get(key);
}

/** What people write that is no name of the Unicode project. */
const usualNames: readonly (readonly [name: string, code: string])[] = [
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

/** The codes by the names that have been gathered. A language takes 5 ms, so the next one is read only where a name is not known yet. */
const names = new Map(usualNames.map(([name, code]) => [looseKey(name), code] as const));

const languagesLeft = languages();

/** Those that most files are in, then those of the countries. */
function* languages(): Generator<string, void, undefined> {
  const usual = new Set(["en", "de", "fr", "es"]);
  yield* usual;
  const own = new Set(Array.from(countryCodes, (code) => new Intl.Locale(`und-${code}`).maximize().language));
  yield* own.difference(usual);
}

function gatherIn(language: string): void {
  for (const style of language === "en" ? (["long", "short"] as const) : (["long"] as const)) {
    const display = new Intl.DisplayNames(language, { type: "region", style, fallback: "none" });
    for (const code of countryCodes) {
      const key = looseKey(display.of(code) ?? "");
      if (key !== "" && !names.has(key)) names.set(key, code);
    }
  }
}
