import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import { type QueryParameters, type Report, readQuery, reportUnknown } from "./parameters.ts";

/** What the queries of an operation may ask for: it reads one, and says in documents which parameters there are. */
export interface Query<T, Given extends readonly unknown[] = []> {
  /**
   * @param search as sent, without the `?`
   * @throws HttpError 400 `invalid-parameters`
   */
  readonly read: (search: string, ...given: Given) => T;
  readonly describe: () => DescribedParameters;
}

export type DescribedParameters = Readonly<Record<string, Description.Parameter>>;

/** A parameter of a query: what a document says of it, and how its value is read. */
export interface Parameter<T = unknown> extends Description.Parameter {
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
    if (value === undefined) report(`must be ${wording.eitherOf(values)}, not ${wording.excerpt(text)}`);
    return value;
  },
});

/** The choice of a representation where Accept cannot be set. It is made before the query is read. */
export const formatParameter = (representations: readonly { readonly name: string }[]): Parameter => ({
  description: "The form of the answer, in place of `Accept`; one for files comes as a file to save.",
  schema: { enum: representations.map(({ name }) => name) },
  parse: (text) => text,
});
