import { looseKey } from "../person/loose-key.ts";

/** Returns the number of a month, `01` to `12`, that is named in one of several languages, in full or in short; undefined for other text. */
export function monthOf(name: string): string | undefined {
  months ??= new Map(namesOfMonths());
  return months.get(looseKey(name));
}

/** Gathered at the first question. */
let months: ReadonlyMap<string, string> | undefined;

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr"];

/** What people write that is no name of the Unicode project. */
const usualNames = [
  ["sept", "09"],
  ["maerz", "03"],
  ["mrz", "03"],
] as const;

/** Of a name that means two months, the first language decides, and before it the usual names: a later pair takes the place of an earlier one. */
function* namesOfMonths(): Generator<readonly [name: string, month: string], void, undefined> {
  for (const language of languages.toReversed()) {
    for (const month of ["short", "long"] as const) {
      // Within a date, some languages have another form of the name.
      for (const others of [{ day: "numeric" }, {}] as const) {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC", ...others });
        for (let number = 12; number >= 1; number--) {
          const name = format.formatToParts(Date.UTC(2000, number - 1, 1)).find(({ type }) => type === "month")?.value;
          const key = looseKey(name ?? "");
          if (key !== "") yield [key, String(number).padStart(2, "0")];
        }
      }
    }
  }
  yield* usualNames;
}
