import { HttpError, problem, problemTypes } from "waymark";
import { wording } from "waymark/internal";

/** The decoded parameters of a query by name; each has one value. */
export type QueryParameters = ReadonlyMap<string, string>;

/**
 * Records an error in one parameter: `must be an integer from 1 to 1000, not "x"`.
 *
 * @param detail a function where the text takes work to make, which is done only for errors that are listed
 * @param known the known names, which the first error that has them lists
 * @param code the kind of fault, for programs. Default: `value`
 */
export type Report = (
  parameter: string,
  detail: string | (() => string),
  known?: readonly string[],
  code?: string,
) => void;

/**
 * Reads a query, and refuses it with all errors at once.
 *
 * @param search the query as sent, without the `?`; `+` is a space, as in forms
 * @throws HttpError 400 `invalid-parameters` when anything was reported
 */
export function readQuery<T>(search: string, read: (parameters: QueryParameters, report: Report) => T): T {
  const errors: ParameterError[] = [];
  const listed = new Set<string>();
  const report: Report = (parameter, words, known, code = "value") => {
    if (errors.length >= mostErrors) {
      errors.push({ parameter, detail: "", code }); // only counted
      return;
    }
    const detail = typeof words === "string" ? words : words();
    const names = known?.join(", ");
    if (names === undefined || listed.has(names)) {
      errors.push({ parameter, detail, code });
      return;
    }
    listed.add(names);
    errors.push({ parameter, detail: `${detail}${detail.endsWith("?") ? "" : "."} Known: ${names}`, code });
  };
  const result = read(parseParameters(search, report), report);
  if (errors.length > 0) throw refusal(errors);
  return result;
}

/**
 * Refuses every parameter, for requests that have none.
 *
 * @param why what messages say of such requests
 * @throws HttpError 400 `invalid-parameters`
 */
export function refuseParameters(search: string, why = "the request takes no parameters"): void {
  if (search === "") return;
  readQuery(search, (parameters, report) => {
    for (const name of parameters.keys()) report(name, `is not known here: ${why}`, undefined, "unknown");
  });
}

/** Writes the parameters again, each with `&` after it; without the place of a page, which the next link has instead. */
export function withoutPlace(parameters: QueryParameters): string {
  let query = "";
  for (const [name, value] of parameters) {
    if (name !== "after" && name !== "before") query += `${encodeURIComponent(name)}=${encodeURIComponent(value)}&`;
  }
  return query;
}

/** The parameter that names a representation, for clients that cannot set Accept. */
export const formatName = "format";

/** The parameters that a request may have. */
interface KnownParameters {
  readonly names: readonly string[];
  /** The members that a list can be filtered by. */
  readonly filters: readonly string[];
  /** All members, also those without a filter. */
  readonly members: readonly string[];
}

/** Reports an unknown parameter, with the nearest known one and a list of all. */
export function reportUnknown(parameter: string, known: KnownParameters, report: Report): void {
  const { names, filters } = known;
  const listed = filters.length === 0 ? names : [...names, `and filters on ${filters.join(", ")}`];
  report(parameter, () => describeUnknown(parameter, known), listed, "unknown");
}

function describeUnknown(parameter: string, { names, filters, members }: KnownParameters): string {
  const name = parameter.replace(/\[[^[]*\]$/, "");
  const usual = usualNames.get(name.toLowerCase());
  const isUsual = usual !== undefined && names.includes(usual);
  const nearest = isUsual
    ? usual
    : (wording.nearestName(name, [...names, ...filters]) ?? filterWithin(parameter, name, filters));
  const isMember = members.includes(name) && !names.includes(name);
  const isNoFilter =
    filters.length === 0 ? "is a member, and only lists have filters" : "is a member that has no filter";
  const fault = isMember ? isNoFilter : "is not known here";
  return `${fault}${wording.orNearest(nearest)}`;
}

/** Returns `address.postalCode` for `postalCode` and for `address[postalCode]`. */
function filterWithin(parameter: string, name: string, filters: readonly string[]): string | undefined {
  const inner = parameter.slice(name.length + 1, -1);
  return filters.find((filter) => filter.endsWith(`.${name}`) || filter === `${name}.${inner}`);
}

/** The names of our parameters in other services. */
const usualNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    limit: ["page_size", "pagesize", "per_page", "perpage", "size", "count", "top", "$top", "first", "take", "rows"],
    after: ["page", "_page", "offset", "skip", "$skip", "start", "cursor", "starting_after", "since"],
    before: ["ending_before"],
    sort: ["order", "order_by", "orderby", "$orderby", "_sort", "sort_by", "sortby"],
    fields: ["select", "$select", "columns", "include"],
    q: ["query", "search", "$search", "text", "term"],
    format: ["output", "type", "accept", "$format"],
  }).flatMap(([ours, theirs]) => theirs.map((name) => [name, ours])),
);

function parseParameters(search: string, report: Report): QueryParameters {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  const parts = search.split("&").filter((part) => part !== "");
  if (parts.length > mostParameters) {
    const detail = `The query has ${parts.length} parameters; at most ${mostParameters} are allowed.`;
    throw new HttpError(problem(problemTypes.invalidParameters, { detail }));
  }
  for (const part of parts) {
    const equals = part.indexOf("=");
    const [sentName, sentValue] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    const name = decode(sentName);
    const value = decode(sentValue);
    if (name === undefined || value === undefined) {
      report(name ?? sentName, "has a percent escape that is malformed, or is not UTF-8", undefined, "malformed");
    } else if (value === "") {
      report(name, "has no value");
    } else if (value.includes("\u0000")) {
      report(name, "must not contain the character U+0000");
    } else if (parameters.has(name)) {
      repeated.add(name);
    } else {
      parameters.set(name, value);
    }
  }
  for (const name of repeated) report(name, "is given more than once", undefined, "repeated");
  return parameters;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** What is wrong with a parameter. */
interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
  readonly code: string;
}

function refusal(errors: readonly ParameterError[]): HttpError {
  const listed = errors.slice(0, mostErrors).map(({ parameter = "", detail, code = "" }) => ({
    parameter: parameter.length <= longestName ? parameter : wording.excerpt(parameter),
    detail,
    code,
  }));
  const { length } = errors;
  const rest = length > mostErrors ? `; the first ${mostErrors} are listed` : "";
  const detail =
    length === 1
      ? `The parameter ${wording.excerpt(listed[0]?.parameter ?? "")} ${listed[0]?.detail}.`
      : `The query has ${length} errors${rest}.`;
  return new HttpError(problem(problemTypes.invalidParameters, { detail, errors: listed }));
}

// More than a list has: a malformed escape takes 10 µs, and 8,192 bytes have 2,700.
const mostParameters = 256;
// Nobody reads more errors, and the answer stays small.
const mostErrors = 100;
const longestName = 100;
