import { countryCodes } from "../person/rules.ts";

let names: ReadonlyMap<string, string> | undefined;

/** Returns the English names of the countries, by their codes. */
export function countryNames(): ReadonlyMap<string, string> {
  names ??= readNames(); // by the first page that has some: it takes a fifth of a start
  return names;
}

function readNames(): ReadonlyMap<string, string> {
  const display = new Intl.DisplayNames("en", { type: "region" });
  return new Map(Array.from(countryCodes, (code) => [code, display.of(code) ?? code]));
}
