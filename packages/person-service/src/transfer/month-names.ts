import { namedInLanguages } from "./names-in-languages.ts";

/**
 * Returns the number of a month, `01` to `12`, that is named in one of several languages, in full or in short; undefined for other
 * text.
 */
export const monthOf: (name: string) => string | undefined = namedInLanguages(
  [
    ["Sept", "09"],
    ["Maerz", "03"],
    ["Mrz", "03"],
  ],
  function* (language) {
    for (const month of ["long", "short"] as const) {
      // Within a date, some languages have another form of the name.
      for (const others of [{}, { day: "numeric" }] as const) {
        const format = new Intl.DateTimeFormat(language, { month, timeZone: "UTC", ...others });
        for (let number = 1; number <= 12; number++) {
          const parts = format.formatToParts(Date.UTC(2000, number - 1, 1));
          yield [parts.find(({ type }) => type === "month")?.value, String(number).padStart(2, "0")];
        }
      }
    }
  },
);
