import type { OperationObject, ResponseObject } from "../document.ts";
import { type Context, resolve } from "./context.ts";
import { type Content, type ContentByType, contentOf, readType } from "./media-types.ts";
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
  const responses = Object.entries(all)
    .map(([status, each]) => [status, resolve<ResponseObject>(context.document, each)] as const)
    .filter(([status]) => !redirects.has(status));
  const contentsOf = ({ content = {} }: ResponseObject): ContentByType => (method === "HEAD" ? {} : content);
  const typesOf = (content: ContentByType, hint: string): ReadonlyMap<string, Alternatives> =>
    new Map(Object.entries(content).map(([type, media]) => [type, readType(type, media, hint, context)]));

  const done = responses.filter(([status]) => status.startsWith("2"));
  const first = done.map(([, response]) => contentsOf(response)).find((each) => Object.keys(each).length > 0) ?? {};
  const choice = { parameter: "Accept", member: "accept", name: `${name}Contents` };
  const content = contentOf(typesOf(first, `${name}Result`), choice, context);
  const successes = done.map(([status, response]) => {
    const own = contentsOf(response);
    const isFirst = JSON.stringify(own) === JSON.stringify(first);
    if (status === "2XX" && Object.keys(own).length === 0) return anySuccess;
    const types = isFirst ? content.alternatives : unite([...typesOf(own, `${name}Result`).values()]);
    return answer("Success", status === "2XX" ? "SuccessStatus" : status, withAbsent(types, response));
  });
  // Behind a redirection, which `fetch` follows, anything can be.
  if (successes.length === 0 && responses.length < Object.keys(all).length) {
    successes.push(anySuccess);
  }

  const statuses = successes.some((each) => each.includes("SuccessStatus")) ? [...everySuccess] : [];
  statuses.push(...done.filter(([status]) => status !== "2XX").map(([status]) => Number(status)));
  const problemStatuses: number[] = [];
  const others = responses.flatMap(([status, response]) => {
    if (status.startsWith("2")) return [];
    const { [problemType]: problem, ...further } = contentsOf(response);
    const found: string[] = [];
    if (problem !== undefined) {
      problemStatuses.push(Number(status));
      found.push(context.problems.refusal(Number(status), context.problems.of(problem), `${name}${status}Problem`));
    }
    // Beside a problem in JSON, other texts are forms of it.
    const own = Object.entries(further).filter(([type]) => problem === undefined || type.endsWith("json"));
    const types = unite([...typesOf(Object.fromEntries(own), `${name}${status}`).values()]);
    if (problem === undefined || types.length > 0 || response["x-content-optional"]) {
      statuses.push(Number(status));
      found.push(answer("Failure", status, withAbsent(types, response)));
    }
    return found;
  });
  const refusals = earlier && context.problems.refusals(earlier);
  const type = context.names.type(`${name}Answer`);
  const generic = content.parameters.map(({ declaration }) => `<${declaration}>`).join("");
  const alternatives = [...successes, ...others, ...(refusals ? [refusals.name] : [])];
  return {
    type: type + content.parameters.map((each) => `<${each.name}>`).join(""),
    declarations: [
      ...content.declarations,
      typed(`export type ${type}${generic} =`, alternatives.length === 0 ? ["NoSuccess"] : alternatives),
    ],
    content,
    statuses: ascending(statuses),
    problemStatuses: ascending([...problemStatuses, ...(refusals?.statuses ?? [])]),
    page: method === "GET" && done.some(([, each]) => isPage(each, context)) ? union(successes) : undefined,
  };
}

const anySuccess = "Success<SuccessStatus, unknown>";

const problemType = "application/problem+json";

/** Those that `fetch` follows. */
const redirects: ReadonlySet<string> = new Set(["301", "302", "303", "307", "308"]);

/** Those of `SuccessStatus`. */
const everySuccess: readonly number[] = [200, 201, 202, 203, 204, 205, 206];

function answer(kind: "Success" | "Failure", status: string, content: Alternatives): string {
  return content.length === 0 ? `${kind}<${status}>` : `${kind}<${status}, ${union(content)}>`;
}

const withAbsent = (content: Alternatives, response: ResponseObject): Alternatives =>
  content.length > 0 && response["x-content-optional"] ? unite([content, ["undefined"]]) : content;

/** Returns whether the response is a list in JSON that names others in `Link`. */
function isPage({ headers = {}, content = {} }: ResponseObject, { document }: Context): boolean {
  const { schema } = content["application/json"] ?? {};
  if (schema === undefined || !Object.keys(headers).some((name) => name.toLowerCase() === "link")) return false;
  return resolve<{ readonly type?: unknown }>(document, schema).type === "array";
}

const ascending = (numbers: readonly number[]): readonly number[] => [...new Set(numbers)].toSorted((a, b) => a - b);
