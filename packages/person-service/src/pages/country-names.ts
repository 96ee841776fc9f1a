import { countryCodes } from "../person/rules.ts";

const names = new Intl.DisplayNames("en", { type: "region" });

/** The English names of the countries, by their codes. */
export const countryNames: ReadonlyMap<string, string> = new Map(
  Array.from(countryCodes, (code) => [code, names.of(code) ?? code]),
);
