import { HttpError, type ProblemError, problem, problemTypes } from "waymark";
import { excerpt, nearestName, orNearest } from "waymark/internal";
import type { ParameterDescription } from "waymark/openapi";

/** The decoded parameters of a query by name; each has one value. */
export type QueryParameters = ReadonlyMap<string, string>;

/**
 * Records an error in one parameter: `must be an integer from 1 to 1000, not "x"`.
 *
 * @param detail a function where the text takes work to make, which is done only for errors that are listed
 * @param known the known names, which the first error that has them lists
 */
export type Report = (parameter: string, detail: string | (() => string), known?: readonly string[]) => void;

/** What the queries of an operation may ask for: it reads one, and says in documents which parameters there are. */
export interface Query<T, Given extends readonly unknown[] = []> {
  /**
   * @param search as sent, without the `?`
   * @throws HttpError 400 `invalid-parameters`
   */
  readonly read: (search: string, ...given: Given) => T;
  readonly describe: () => DescribedParameters;
}

export type DescribedParameters = Readonly<Record<string, ParameterDescription>>;

/** A parameter of a query: what a document says of it, and how its value is read. */
export interface Parameter<T = unknown> extends ParameterDescription {
  /** Returns what the value says, after reporting what is wrong with it. */
  readonly parse: (text: string, report: ReportFault) => T;
}

/** Records an error in the parameter that is read. */
export type ReportFault = (detail: string | (() => string), known?: readonly string[]) => void;

/** The parameters that a query may have, by name. */
export type ParameterTable = Readonly<Record<string, Parameter>>;

/** What the parameters that were sent say. */
export type ParameterValues<P> = {
  readonly [N in keyof P]?: NonNullable<P[N]> extends Parameter<infer T> ? T | undefined : never;
};

/** Reads the parameters that the table has, and hands on the others. */
export function readParameters<P extends ParameterTable>(
  sent: QueryParameters,
  table: P,
  report: Report,
  readOther: (name: string, value: string) => void,
): ParameterValues<P> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of sent) {
    const known = Object.hasOwn(table, name) ? table[name] : undefined;
    if (known === undefined) readOther(name, value);
    else values[name] = known.parse(value, (detail, names) => report(name, detail, names));
  }
  return values as ParameterValues<P>; // each of its parameter
}

/**
 * Makes a query of a table of parameters alone.
 *
 * @param finish makes what is asked for of their values
 * @param members those of records, of which there are no filters
 */
export function queryOf<P extends ParameterTable, T, Given extends readonly unknown[]>(
  table: P,
  finish: (values: ParameterValues<P>, query: { sent: QueryParameters; report: Report }, ...given: Given) => T,
  members: readonly string[] = [],
): Query<T, Given> {
  const known = { names: Object.keys(table), filters: [], members };
  return {
    read: (search, ...given) =>
      readQuery(search, (sent, report) => {
        const values = readParameters(sent, table, report, (name) => reportUnknown(name, known, report));
        return finish(values, { sent, report }, ...given);
      }),
    describe: () => describeParameters(table),
  };
}

/** Describes the parameters of a table. */
export const describeParameters = (table: ParameterTable): DescribedParameters =>
  Object.fromEntries(Object.entries(table).map(([name, { parse: _, ...described }]) => [name, described]));

/** A parameter whose value is read with others. */
export const textParameter = (description: string): Parameter<string> => ({ description, parse: (text) => text });

/** A parameter that has one of a few values. */
export const oneOf = <T extends string>(values: readonly T[], description: string): Parameter<T | undefined> => ({
  description,
  schema: { enum: values },
  parse(text, report) {
    const value = values.find((each) => each === text);
    if (value === undefined) report(`must be ${toList(values)}, not ${excerpt(text)}`);
    return value;
  },
});

const toList = (words: readonly string[]): string => words.join(", ").replace(/, ([^,]*)$/, " or $1");

/**
 * Reads a query, and refuses it with all errors at once.
 *
 * @param search the query as sent, without the `?`; `+` is a space, as in forms
 * @throws HttpError 400 `invalid-parameters` when anything was reported
 */
export function readQuery<T>(search: string, read: (parameters: QueryParameters, report: Report) => T): T {
  const errors: ProblemError[] = [];
  const listed = new Set<string>();
  const report: Report = (parameter, words, known) => {
    if (errors.length >= mostErrors) {
      errors.push({ parameter, detail: "" }); // only counted
      return;
    }
    const detail = typeof words === "string" ? words : words();
    const names = known?.join(", ");
    if (names === undefined || listed.has(names)) {
      errors.push({ parameter, detail });
      return;
    }
    listed.add(names);
    errors.push({ parameter, detail: `${detail}${detail.endsWith("?") ? "" : "."} Known: ${names}` });
  };
  const result = read(parseParameters(search, report), report);
  if (errors.length > 0) throw refusal(errors);
  return result;
}

/**
 * Refuses every parameter, for requests that have none.
 *
 * @throws HttpError 400 `invalid-parameters`
 */
export function refuseParameters(search: string): void {
  if (search === "") return;
  readQuery(search, (parameters, report) => {
    for (const name of parameters.keys()) report(name, "is not known here: the request takes no parameters");
  });
}

/** The parameter that names a representation, for clients that cannot set Accept. */
export const formatParameter = "format";

/** The choice of a representation where Accept cannot be set. It is made before the query is read. */
export const formatOf = (representations: readonly { readonly name: string }[]): Parameter => ({
  description: "The form of the answer, in place of `Accept`; one for files comes as a file to save.",
  schema: { enum: representations.map(({ name }) => name) },
  parse: (text) => text,
});

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
  report(parameter, () => describeUnknown(parameter, known), listed);
}

function describeUnknown(parameter: string, { names, filters, members }: KnownParameters): string {
  const name = parameter.replace(/\[[^[]*\]$/, "");
  const usual = usualNames.get(name.toLowerCase());
  const isUsual = usual !== undefined && names.includes(usual);
  const nearest = isUsual
    ? usual
    : (nearestName(name, [...names, ...filters]) ?? filterWithin(parameter, name, filters));
  const isMember = members.includes(name) && !names.includes(name);
  const isNoFilter =
    filters.length === 0 ? "is a member, and only lists have filters" : "is a member that has no filter";
  const fault = isMember ? isNoFilter : "is not known here";
  return `${fault}${orNearest(nearest)}`;
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
      report(name ?? sentName, "has a percent escape that is malformed, or is not UTF-8");
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
  for (const name of repeated) report(name, "is given more than once");
  return parameters;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function refusal(errors: readonly ProblemError[]): HttpError {
  const listed = errors.slice(0, mostErrors).map(({ parameter = "", detail }) => ({
    parameter: parameter.length <= longestName ? parameter : excerpt(parameter),
    detail,
  }));
  const { length } = errors;
  const rest = length > mostErrors ? `; the first ${mostErrors} are listed` : "";
  const detail =
    length === 1
      ? `The parameter ${excerpt(listed[0]?.parameter ?? "")} ${listed[0]?.detail}.`
      : `The query has ${length} errors${rest}.`;
  return new HttpError(problem(problemTypes.invalidParameters, { detail, errors: listed }));
}

// More than a list has: a malformed escape takes 10 µs, and 8,192 bytes have 2,700.
const mostParameters = 256;
// Nobody reads more errors, and the answer stays small.
const mostErrors = 100;
const longestName = 100;
