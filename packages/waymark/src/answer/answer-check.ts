import { readWhole } from "../body/response-body.ts";
import type { ProblemType } from "../common/problem-document.ts";
import * as problemTypes from "../common/problem-types.ts";
import { type StandardSchemaV1, toPointer } from "../content/standard-schema.ts";
import type { Description } from "../description.ts";
import { isJson, withoutParameters } from "../fields/media-type.ts";
import { isSchema } from "../input/from-text.ts";
import { problemPath } from "../problem.ts";
import { type HttpResponse, isStreamed, jsonValueOf } from "../response.ts";
import { type AnswerCheck, type DeclaredAnswers, isNone, isProblemType } from "./answered.ts";
import { brokenAnswer } from "./declared-answer.ts";

/**
 * Returns what compares the responses of a handler with those that are declared; undefined where none are. Only JSON and plain
 * text with a schema are validated: streams of them are read to their end, and then sent. Of other content the status and the
 * media type are compared.
 *
 * @throws TypeError (or rejects) that says what differs, and where the answers are declared
 */
export function compileAnswerCheck(declared: DeclaredAnswers): AnswerCheck | undefined {
  const byStatus = expectations(declared);
  if (byStatus.size === 0) return undefined;
  const { answers, descriptions, site } = declared;
  const fail = (what: string): never => {
    throw new TypeError(`A handler answered ${what} (its answers are declared at ${answers?.site ?? site})`);
  };
  const types = [
    ...Object.values(problemTypes),
    ...Object.values(answers?.byStatus ?? {}).filter(isProblemType),
    ...descriptions.flatMap(({ problems = [] }): readonly ProblemType[] => problems),
  ];
  const known = new Set(types.map(problemPath));
  const validate = async (response: HttpResponse, type: string, schema: StandardSchemaV1): Promise<HttpResponse> => {
    const whole = await inWhole(response);
    const given = jsonValueOf(response);
    const decoded = given === undefined ? decode(whole, type) : { value: given };
    if ("fault" in decoded) return fail(`${whole.status} with content that is not JSON: ${decoded.fault}`);
    const result = await schema["~standard"].validate(decoded.value);
    if (result.issues !== undefined) throw brokenAnswer(whole.status, result.issues, String(answers?.site ?? site));
    // What is only described may be described in part.
    const isOwn = answers?.byStatus[String(whole.status)] === schema;
    const difference = isOwn ? findDifference(decoded.value, result.value) : undefined;
    if (difference === undefined) return whole;
    return fail(`${whole.status} with content that is not what its schema returns, at ${toPointer(difference)}`);
  };
  return (request, response) => {
    const { status, problem } = response;
    if (problem !== undefined && known.has(problem.type)) return response;
    const expected = byStatus.get(String(status));
    if (expected === undefined) {
      const other = problem === undefined ? "" : ` (${problem.type})`;
      return fail(`${status}${other}, and declares ${[...byStatus.keys()].toSorted().join(", ")}`);
    }
    if (isProblemType(answers?.byStatus[status])) {
      return fail(`${status} with something else than the problem that it declares`);
    }
    if (problem !== undefined) return fail(`${status} with a problem that it does not declare: ${problem.type}`);
    // The content of an answer to HEAD is never sent.
    if (request.method === "HEAD") return response;
    const { mayBe, mediaTypes } = expected;
    if (isEmpty(response)) {
      return mayBe.empty ? response : fail(`${status} without content, and declares some`);
    }
    if (!mayBe.full) return fail(`${status} with content, and declares none`);
    const sent = typeOf(response);
    if (mediaTypes !== undefined && !mediaTypes.includes(sent)) {
      return fail(`${status} with content of the type "${sent}", and declares ${mediaTypes.join(", ")}`);
    }
    const schema = expected.schemaOf(sent);
    return schema === undefined || !isValidated(sent) ? response : validate(response, sent, schema);
  };
}

/** What an answer of one status must be. */
interface Expectation {
  readonly mayBe: { readonly empty: boolean; readonly full: boolean };
  /** undefined: any. */
  readonly mediaTypes: readonly string[] | undefined;
  readonly schemaOf: (mediaType: string) => StandardSchemaV1 | undefined;
}

function expectations({ answers, descriptions, produces }: DeclaredAnswers): ReadonlyMap<string, Expectation> {
  const described = descriptions.flatMap(({ responses = {} }) => Object.entries(responses));
  const merged = Map.groupBy(described, ([status]) => status);
  const all = [...merged].map(([status, said]): [string, Expectation] => {
    const response: Description.Response = Object.assign({}, ...said.map(([, each]) => each)); // one at least
    return [status, ofDescription(response, produces)];
  });
  const own = Object.entries(answers?.byStatus ?? {}).map(([status, answer]): [string, Expectation] => [
    status,
    {
      mayBe: { empty: isNone(answer), full: !isNone(answer) },
      mediaTypes: undefined,
      schemaOf: () => (isSchema(answer) ? answer : undefined),
    },
  ]);
  return new Map([...all, ...own]);
}

function ofDescription(
  { schema, types, optional }: Description.Response,
  produces: readonly string[] = [],
): Expectation {
  const named = [...Object.keys(types ?? {}), ...(schema === undefined ? [] : produces)].map(withoutParameters);
  const mediaTypes = named.length === 0 && schema !== undefined ? ["application/json"] : named;
  const isEmpty = mediaTypes.length === 0;
  return {
    mayBe: { empty: isEmpty || optional === true, full: !isEmpty },
    mediaTypes,
    schemaOf: (sent) => {
      const ofType = Object.entries(types ?? {}).find(([type]) => withoutParameters(type) === sent)?.[1].schema;
      const chosen: unknown = ofType ?? schema;
      return isSchema(chosen) ? chosen : undefined;
    },
  };
}

const typeOf = ({ headers }: HttpResponse): string => withoutParameters(headers.get("Content-Type") ?? "");

/** Content of a type may be empty, as a list of nothing in lines is; the body of a 304 is that of the response in whose place it is. */
const isEmpty = (response: HttpResponse): boolean =>
  response.body === null || response.status === 304 || (typeOf(response) === "" && hasNoBytes(response));

const hasNoBytes = ({ body }: HttpResponse): boolean =>
  body === "" || (body instanceof Uint8Array && body.byteLength === 0);

/** The response with its body in one piece. */
const inWhole = async (response: HttpResponse): Promise<HttpResponse> =>
  isStreamed(response.body) ? response.withBody(await readWhole(response.body, response.headers)) : response;

/** Whether content of the type is looked into. Of other types it may have no end, as events. */
const isValidated = (type: string): boolean => isJson(type) || type === "text/plain";

function decode({ body }: HttpResponse, type: string): { readonly value: unknown } | { readonly fault: string } {
  const text = body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
  if (!isJson(type)) return { value: text };
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: String(error) };
  }
}

/** Returns where what is sent differs from what a handler gave, as the way to it; undefined where nothing does. */
function findDifference(given: unknown, sent: unknown): readonly PropertyKey[] | undefined {
  if (Object.is(given, sent)) return undefined;
  if (typeof given !== "object" || typeof sent !== "object" || given === null || sent === null) return [];
  if (Array.isArray(given) !== Array.isArray(sent)) return [];
  for (const name in given) {
    if (!Object.hasOwn(given, name)) continue;
    const member = (given as Record<string, unknown>)[name]; // an object has members
    if (member === undefined) continue; // JSON has none either
    const inside = Object.hasOwn(sent, name) ? findDifference(member, (sent as Record<string, unknown>)[name]) : [];
    if (inside !== undefined) return [name, ...inside];
  }
  for (const name in sent) {
    if (
      Object.hasOwn(sent, name) &&
      (sent as Record<string, unknown>)[name] !== undefined &&
      !Object.hasOwn(given, name)
    )
      return [name];
  }
  return undefined;
}
