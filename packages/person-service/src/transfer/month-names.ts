import { toLooseKey } from "./column-words.ts";

/**
 * Returns the number of a month, `01` to `12`, that is named in one of several languages, in full or in short; undefined for other
 * text.
 */
export function monthOf(name: string): string | undefined {
  months ??= namesOfMonths();
  return months.get(toLooseKey(name));
}

/** Made at the first question. */
let months: ReadonlyMap<string, string> | undefined;

const languages = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "tr"];

/** What is written beside the names of the Unicode project. */
const usualNames: readonly (readonly [name: string, month: number])[] = [
  ["Sept", 9],
  ["Maerz", 3],
  ["Mrz", 3],
];

function namesOfMonths(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const add = (name: string, month: number): void => {
    // The first language decides where a name means two months.
    if (!found.has(toLooseKey(name))) found.set(toLooseKey(name), String(month).padStart(2, "0"));
  };
  for (const language of languages) {
    for (const month of ["long", "short"] as const) {
      // Within a date, some languages have another form of the name.
      for (const others of [{}, { day: "numeric" }] as const) {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC", ...others });
        for (let number = 1; number <= 12; number++) {
          const parts = format.formatToParts(Date.UTC(2000, number - 1, 1));
          add(parts.find(({ type }) => type === "month")?.value ?? "", number);
        }
      }
    }
  }
  for (const [name, month] of usualNames) add(name, month);
  return found;
}
