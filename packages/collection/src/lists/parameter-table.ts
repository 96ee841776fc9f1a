import { wording } from "waymark/internal";
import type { Description } from "waymark/openapi";
import type { MemberFilter, SelectableMember } from "../stores/contract/selection.ts";
import { describeFilters } from "./described-filters.ts";
import { isFilter, parseFilter } from "./filter.ts";
import { type QueryParameters, type Report, readQuery, reportUnknown } from "./parameters.ts";

/** What the queries of an operation may ask for: it reads one, and says in documents which parameters there are. */
export interface Query<T, Given extends readonly unknown[] = []> {
  /**
   * @param search as sent, without the `?`
   * @throws HttpError 400 `invalid-parameters`
   */
  readonly read: (search: string, ...given: Given) => T;
  readonly describe: () => Readonly<Record<string, Description.Parameter>>;
}

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

/** What a query may have beside the parameters of its table. */
interface Beside {
  /** The members by which may be filtered. Default: none. */
  readonly filters?: readonly SelectableMember[];
  /** Those of records, also without a filter, for messages. Default: none. */
  readonly members?: readonly string[] | undefined;
  /** Returns what is wrong with a parameter that is neither; undefined where there is nothing to say but that it is unknown. */
  readonly explain?: (name: string, value: string) => string | undefined;
}

/** A query whose parameters have been read. */
export interface SentQuery {
  readonly sent: QueryParameters;
  readonly filters: readonly MemberFilter[];
  readonly report: Report;
  /** Whether a fault was reported. */
  readonly isFaulty: () => boolean;
}

/**
 * Makes a query of a table of parameters, and of filters.
 *
 * @param finish makes what is asked for of their values
 */
export function queryOf<P extends ParameterTable, T, Given extends readonly unknown[]>(
  table: P,
  finish: (values: ParameterValues<P>, query: SentQuery, ...given: Given) => T,
  { filters: filterable = [], members = [], explain = () => undefined }: Beside = {},
): Query<T, Given> {
  const known = { names: Object.keys(table), filters: filterable.map(({ name }) => name), members };
  return {
    read: (search, ...given) =>
      readQuery(search, (sent, reportFault) => {
        let isFaulty = false;
        const report: Report = (...fault) => {
          isFaulty = true;
          reportFault(...fault);
        };
        const values: Record<string, unknown> = {};
        const filters: MemberFilter[] = [];
        for (const [name, value] of sent) {
          const parameter = Object.hasOwn(table, name) ? table[name] : undefined;
          if (parameter !== undefined) {
            values[name] = parameter.parse(value, (detail, names) => report(name, detail, names));
          } else if (isFilter(name, filterable)) {
            const filter = parseFilter(name, value, filterable, report);
            if (filter !== undefined) filters.push(filter);
          } else {
            const detail = explain(name, value);
            if (detail === undefined) reportUnknown(name, known, report);
            else report(name, detail);
          }
        }
        const query = { sent, filters, report, isFaulty: () => isFaulty };
        return finish(values as ParameterValues<P>, query, ...given); // each of its parameter
      }),
    describe() {
      const described = Object.entries(table).map(([name, { parse: _, ...parameter }]) => [name, parameter] as const);
      return { ...Object.fromEntries(described), ...(filterable.length > 0 && describeFilters(filterable)) };
    },
  };
}

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
