import { language } from "../words.ts";

/** Codes of regions that are no country of ISO 3166-1. */
const others = new Set(
  "AC CP CQ DG EA EU EZ IC QO TA UN XA XB XK ZZ AN BU CS DD FX NT QU SU TP YD YU ZR UK".split(" "),
);

let found: ReadonlyMap<string, string> | undefined;

/** The names of the countries by their codes, in the order of the language. */
export function countries(): ReadonlyMap<string, string> {
  found ??= new Map(namesIn(language).toSorted(([, a], [, b]) => a.localeCompare(b, language)));
  return found;
}

export const countryName = (code: string): string => countries().get(code) ?? code;

const letters = Array.from({ length: 26 }, (_, i) => String.fromCharCode(65 + i));

function namesIn(language: string): readonly (readonly [code: string, name: string])[] {
  const display = new Intl.DisplayNames(language, { type: "region", fallback: "none" });
  return letters.flatMap((first) =>
    letters.flatMap((second) => {
      const code = first + second;
      const name = others.has(code) ? undefined : display.of(code);
      return name === undefined ? [] : [[code, name] as const];
    }),
  );
}

const loose = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")
    .toLowerCase();

/** What people write that is no name of the Unicode project, or not of today. */
const usual: readonly (readonly string[])[] =
  "US USA,US United States of America,US Vereinigte Staaten von Amerika,GB Great Britain,GB Großbritannien,GB England,GB Scotland,GB Wales,GB Northern Ireland,NL Holland,NL The Netherlands,CZ Czech Republic,IE Republic of Ireland,KR Republic of Korea,KR Korea,RU Russian Federation,VN Viet Nam,AE UAE,TR Turkey,CI Ivory Coast,CV Cape Verde,MM Burma,SZ Swaziland,MK Macedonia,GB UK"
    .split(",")
    .map((each) => [each.slice(0, 2), each.slice(3)]);

let byName: ReadonlyMap<string, string> | undefined;

/** Returns the code of a country that somebody names, in some languages or by a usual short form; any other text as it is. */
export function countryIn(text: string): string {
  const code = text.trim().toUpperCase();
  if (countries().has(code)) return code;
  byName ??= new Map([
    ...["nl", "it", "pt", "sv", "da", "nb", "pl", "es", "fr", "de", "en", language]
      .flatMap((each) => namesIn(each))
      .map(([code, name]) => [loose(name), code] as const),
    ...usual.map(([code = "", name = ""]) => [loose(name), code] as const),
  ]);
  return byName.get(loose(text)) ?? text.trim();
}
