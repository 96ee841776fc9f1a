import { HttpError, type ProblemError, problem } from "waymark";
import { excerpt } from "waymark/content";
import { collectionProblemTypes } from "../problem-types.ts";

/** The parameters of a query by name, decoded, each given once and with a value. */
export type QueryParameters = ReadonlyMap<string, string>;

/** Takes down what is wrong with one parameter: `must be an integer from 1 to 1000, and is "x"`. */
export type Report = (parameter: string, detail: string) => void;

/**
 * Reads a query and refuses it with all that is wrong at once, whoever finds it.
 *
 * @param search the query as sent, without the `?`; `+` is a space, as in forms
 * @throws HttpError 400 `invalid-parameters` when anything was reported
 */
export function readQuery<T>(search: string, read: (parameters: QueryParameters, report: Report) => T): T {
  const errors: ProblemError[] = [];
  const report: Report = (parameter, detail) => errors.push({ parameter, detail });
  const result = read(parseParameters(search, report), report);
  if (errors.length > 0) throw refusal(errors);
  return result;
}

/**
 * Refuses every parameter that is not known.
 *
 * @throws HttpError 400 `invalid-parameters`
 */
export function refuseParameters(search: string): void {
  if (search === "") return;
  readQuery(search, (parameters, report) => {
    for (const name of parameters.keys()) reportUnknown(name, report);
  });
}

export function reportUnknown(parameter: string, report: Report): void {
  report(parameter, "is not known here");
}

function parseParameters(search: string, report: Report): QueryParameters {
  const parameters = new Map<string, string>();
  const repeated = new Set<string>();
  for (const part of search.split("&")) {
    if (part === "") continue;
    const equals = part.indexOf("=");
    const [sentName, sentValue] = equals < 0 ? [part, ""] : [part.slice(0, equals), part.slice(equals + 1)];
    const name = decode(sentName);
    const value = decode(sentValue);
    if (name === undefined || value === undefined) {
      report(name ?? sentName, "has a percent escape that is malformed, or is not UTF-8");
    } else if (value === "") {
      report(name, "has no value");
    } else if (value.includes("\u0000")) {
      report(name, "has the character U+0000, which no value has");
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
  const told = errors.slice(0, mostErrors).map(({ parameter = "", detail }) => ({
    parameter: parameter.length <= longestName ? parameter : excerpt(parameter),
    detail,
  }));
  const { length } = errors;
  const rest = length > mostErrors ? `; the first ${mostErrors} are told` : "";
  const detail =
    length === 1
      ? `The parameter ${excerpt(told[0]?.parameter ?? "")} ${told[0]?.detail}.`
      : `${length} things are wrong with the parameters of the query${rest}.`;
  return new HttpError(problem(collectionProblemTypes.invalidParameters, { detail, errors: told }));
}

// Nobody reads more, and what is repeated of a request stays a small answer.
const mostErrors = 100;
const longestName = 100;
