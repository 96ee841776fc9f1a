import { redirectStatuses } from "../../response.ts";
import type { OperationObject, ResponseObject } from "../document.ts";
import { resolve } from "../references.ts";
import type { Context } from "./context.ts";
import { type Content, type ContentByType, contentOf, readType } from "./media-types.ts";
import type { Outcome } from "./problems.ts";
import { type Alternatives, typed, union, unite } from "./text.ts";

/** The answers of an operation. */
export interface Answers {
  /** The type of all of them, with its arguments. */
  readonly type: string;
  readonly declarations: readonly string[];
  /** That of a success. */
  readonly content: Content;
  /** Those of answers that are not problem documents. */
  readonly statuses: readonly number[];
  readonly problemStatuses: readonly number[];
  /** The type of a success that is a page; undefined where there are no pages. */
  readonly page: string | undefined;
}

/** Writes the types of the answers of an operation. */
export function answersOf(method: string, operation: OperationObject, name: string, context: Context): Answers {
  const { default: earlier, ...all } = operation.responses;
  const responses = Object.entries(all).map(([status, each]): Answer => {
    const { content = {}, ...others } = resolve<ResponseObject>(context.document, each);
    return { status, response: others, content: method === "HEAD" ? {} : content };
  });
  const done = responses.filter(({ status }) => status.startsWith("2"));
  const [page] = done.length === 1 ? done : [];
  const first = done.find((each) => Object.keys(each.content).length > 0)?.content ?? {};
  const choice = { parameter: "Accept", member: "accept", name: `${name}Contents` };
  const content = contentOf(typesOf(first, `${name}Result`, context), choice, context);
  const successes = done.map((each) => successOf(each, first, content, name, context));
  // Behind a redirection, which `fetch` follows, anything can be.
  if (done.length === 0 && responses.some(({ status }) => redirects.has(status))) successes.push(anySuccess);
  const failures = responses
    .filter(({ status }) => !status.startsWith("2") && !redirects.has(status))
    .map((each) => failureOf(each, name, context));
  const outcomes = [...successes, ...failures, ...(earlier ? [context.problems.refusals(earlier)] : [])];
  const types = outcomes.flatMap((each) => each.types);
  const type = context.names.type(`${name}Answer`);
  const generic = content.parameters.map(({ declaration }) => `<${declaration}>`).join("");
  return {
    type: type + content.parameters.map((each) => `<${each.name}>`).join(""),
    declarations: [
      ...content.declarations,
      typed(`export type ${type}${generic} =`, types.length === 0 ? ["NoSuccess"] : types),
    ],
    content,
    statuses: ascending(outcomes.flatMap(({ statuses }) => statuses)),
    problemStatuses: ascending(outcomes.flatMap(({ problemStatuses }) => problemStatuses)),
    page: method === "GET" && page !== undefined && isPage(page, context) ? successes[0]?.types[0] : undefined,
  };
}

/** A response of the document, with its status. */
interface Answer {
  readonly status: string;
  readonly response: Omit<ResponseObject, "content">;
  readonly content: ContentByType;
}

/** A success of which the document says no more. */
const anySuccess: Outcome = {
  types: ["Success<SuccessStatus, unknown>"],
  statuses: [200, 201, 202, 203, 204, 205, 206],
  problemStatuses: [],
};

function successOf(answer: Answer, first: ContentByType, chosen: Content, name: string, context: Context): Outcome {
  const { status, content } = answer;
  const isRange = status === "2XX";
  if (isRange && Object.keys(content).length === 0) return anySuccess;
  const isFirst = JSON.stringify(content) === JSON.stringify(first);
  const types = isFirst ? chosen.alternatives : unite([...typesOf(content, `${name}Result`, context).values()]);
  const type = answerType("Success", isRange ? "SuccessStatus" : status, types, answer, name, context);
  return { types: [type], statuses: isRange ? anySuccess.statuses : [Number(status)], problemStatuses: [] };
}

function failureOf(answer: Answer, name: string, context: Context): Outcome {
  const status = Number(answer.status);
  const { "application/problem+json": problem, ...others } = answer.content;
  if (problem === undefined) return { ...withoutProblem(answer, others, name, context), problemStatuses: [] };
  const refusal = context.problems.refusal(status, context.problems.of(problem), `${name}${status}Problem`);
  // Beside a problem in JSON, texts are forms of it.
  const own = Object.fromEntries(Object.entries(others).filter(([type]) => type.endsWith("json")));
  const isProblem = Object.keys(own).length === 0 && !answer.response["x-content-optional"];
  const further = isProblem ? { types: [], statuses: [] } : withoutProblem(answer, own, name, context);
  return { types: [refusal, ...further.types], statuses: further.statuses, problemStatuses: [status] };
}

function withoutProblem(answer: Answer, content: ContentByType, name: string, context: Context) {
  const types = unite([...typesOf(content, `${name}${answer.status}`, context).values()]);
  const type = answerType("Failure", answer.status, types, answer, name, context);
  return { types: [type], statuses: [Number(answer.status)] };
}

function answerType(
  kind: "Success" | "Failure",
  status: string,
  content: Alternatives,
  { response }: Answer,
  name: string,
  { types }: Context,
): string {
  if (content.length === 0) return `${kind}<${status}>`;
  const all = response["x-content-optional"] ? unite([content, ["undefined"]]) : content;
  return `${kind}<${status}, ${union(all).length > longest ? types.alias(`${name}${status}`, all) : union(all)}>`;
}

/** The longest type of content that needs no name of its own. */
const longest = 90;

const typesOf = (content: ContentByType, hint: string, context: Context): ReadonlyMap<string, Alternatives> =>
  new Map(Object.entries(content).map(([type, media]) => [type, readType(type, media, hint, context)]));

const redirects: ReadonlySet<string> = new Set(redirectStatuses.map(String));

/** Returns whether the response is a list in JSON that names others in `Link`. */
function isPage({ response: { headers = {} }, content }: Answer, { document }: Context): boolean {
  const { schema } = content["application/json"] ?? {};
  if (schema === undefined || !Object.keys(headers).some((name) => name.toLowerCase() === "link")) return false;
  return resolve<{ readonly type?: unknown }>(document, schema).type === "array";
}

const ascending = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)].toSorted((a, b) => a - b);
