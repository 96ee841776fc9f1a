import { fieldOf } from "../client/service.ts";
import { countryName } from "../values/countries.ts";
import { shownDate } from "../values/dates.ts";
import { choiceName } from "../values/values.ts";
import { filled, words } from "../words.ts";

type Pair = readonly [name: string, value: string];

/** What says how a list is shown, and not whom it has. */
const notFilters = new Set(["q", "sort", "limit", "fields", "after", "before"]);

const pairsOf = (search: string): readonly Pair[] => [...new URLSearchParams(search)];

const toSearch = (pairs: readonly Pair[]): string => {
  const query = pairs
    .map((pair) => pair.map((text) => encodeURIComponent(text).replaceAll("%2C", ",")).join("="))
    .join("&");
  return query === "" ? "" : `?${query}`;
};

/** Returns the value of a parameter of a query. */
export const get = (search: string, name: string): string | undefined =>
  new URLSearchParams(search).get(name) ?? undefined;

/** Returns a query with a parameter changed, or without it, from its first page on. */
export function withParameter(search: string, name: string, value: string | undefined): string {
  const others = pairsOf(search).filter(([each]) => each !== name && each !== "after" && each !== "before");
  return toSearch(value === undefined || value === "" ? others : [...others, [name, value]]);
}

/** The parameters that filter. */
export const filtersIn = (search: string): readonly Pair[] => pairsOf(search).filter(([name]) => !notFilters.has(name));

/** Returns a query without the filters and the search. */
export const unfiltered = (search: string): string =>
  toSearch(pairsOf(search).filter(([name]) => notFilters.has(name) && !["q", "after", "before"].includes(name)));

/** Returns all that a list has, as a change of many takes it: filters and words. */
export const selection = (search: string): string =>
  toSearch(pairsOf(search).filter(([name]) => name === "q" || !notFilters.has(name))) || "?all=true";

/** Returns the query of all that a list has in another format. */
export const download = (search: string, format: string): string =>
  toSearch([
    ...pairsOf(search).filter(
      ([name]) => !["limit", "after", "before"].includes(name) && (format !== "vcard" || name !== "fields"),
    ),
    ["format", format],
  ]);

/** Returns a filter in words: `Job title is`, `Clerk`. */
export function inWords([parameter, value]: Pair): readonly [label: string, value: string] {
  const [name = "", operator = "eq"] = parameter.split(/[[\]]/);
  const field = fieldOf(name);
  if (operator === "exists") return [value === "true" ? words.filters.with : words.filters.without, field.label];
  const phrase: string = words.filters[operator as "eq"] ?? `{label} ${operator}`;
  const shown =
    field.kind === "country" ? countryName(value) : field.kind === "date" ? shownDate(value) : choiceName(field, value);
  return [filled(phrase, { label: field.label }), shown];
}
