import { sentFields } from "waymark/internal";
import type { OpenApiDocument } from "waymark/openapi";
import type { DeclaredResponses, Operation } from "./operations.ts";
import { essenceOf, isJson } from "./requests/content.ts";
import type { ContractRequest } from "./requests/request.ts";
import type { Schemas } from "./schemas.ts";

/** An answer as its client has it. */
export interface ContractAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Whether the content of the request was read, where that is known. */
  readonly hasRead?: boolean;
}

/** What an answer should have been, and what it was. */
export interface AnswerFault {
  readonly expected: string;
  readonly came: string;
  /** Of a published document. */
  readonly change?: "breaks" | "opens";
}

/**
 * Holds an answer against what is declared.
 *
 * @param operation undefined for a request that no operation is for
 */
export function faultsOfAnswer(
  request: ContractRequest,
  answer: ContractAnswer,
  operation: Operation | undefined,
  refusals: DeclaredResponses,
  schemas: Schemas,
): readonly AnswerFault[] {
  const { status, headers } = answer;
  const { expects } = request;
  const isOfRouter = expects.isOfRouter === true || operation === undefined;
  const declared = isOfRouter ? refusals : operation.responses;
  const key = [String(status), ...(status < 300 ? ["2XX"] : []), "default"].find((each) => each in declared);
  const faults: AnswerFault[] = [];
  const fail = (expected: string, came: string): void => void faults.push({ expected, came });
  const shown = describe(answer);

  if (key === undefined) fail(`a status that is declared: ${Object.keys(declared).join(", ")}`, shown);
  if (status === 500) fail("no fault", shown);
  const { statuses, guard } = expects;
  const isGuarded = guard === undefined && ofGuards.has(status) && key !== undefined;
  if (statuses !== undefined && !statuses.includes(status) && !isGuarded) fail(statuses.join(" or "), shown);
  if (guard === "refuses" && statuses?.includes(status) === true && answer.hasRead === true)
    fail("a refusal before the content is read", shown);
  if (guard === "open" && (status === 401 || status === 403) && !(status in declared))
    fail("no refusal of what is open(…)", shown);
  if (expects.isAllowed === true) {
    if (isRefusedFor(codeOf(answer), operation)) fail("no refusal of what is valid as it is declared", shown);
  }
  if (status === 400 && expects.error !== undefined) {
    const expected = faultOfErrors(answer, expects.error);
    if (expected !== undefined) fail(expected, shown);
  }
  for (const { expected, came } of faultsOfFields(request, answer, isOfRouter ? undefined : operation))
    fail(expected, came);

  const sentType = essenceOf(headers.get("Content-Type") ?? "");
  if (expects.mediaType !== undefined && status < 300 && sentType !== "" && sentType !== essenceOf(expects.mediaType)) {
    fail(`content of the type ${expects.mediaType}, which Accept asks for`, shown);
  }
  // Of 2XX nothing is said of the answers of the route.
  const said =
    key === undefined || key === "2XX" ? [] : faultsOfContent(request.method, answer, declared[key], schemas);
  return [...faults, ...said];
}

/** Holds the content of an answer against the response of its status. */
export function faultsOfContent(
  method: string,
  answer: ContractAnswer,
  { content: declared = {}, "x-content-optional": isOptional }: Partial<OpenApiDocument.Response> = {},
  schemas: Schemas,
): readonly AnswerFault[] {
  const { bytes, headers, status } = answer;
  if (sentFields.hasNoContent(method, status))
    return bytes.length === 0 ? [] : [{ expected: "no content", came: `${bytes.length} bytes` }];
  const types = Object.keys(declared);
  const due = types.length === 0 ? "no content" : `content of the type ${types.join(" or ")}`;
  const isEmpty = bytes.length === 0 && !headers.has("Content-Type");
  if (isEmpty && (types.length === 0 || isOptional === true)) return [];
  const sentType = essenceOf(headers.get("Content-Type") ?? "");
  const type = types.find((each) => essenceOf(each) === sentType);
  if (isEmpty || type === undefined) return [{ expected: due, came: describe(answer) }];
  const faults = isJson(sentType) ? [...faultsOfJson(textOf(answer), declared[type]?.schema ?? {}, schemas)] : [];
  return faults.map((expected) => ({ expected, came: describe(answer) }));
}

/** Writes an answer for a message. */
export const describe = (answer: ContractAnswer): string =>
  `${answer.status} ${answer.headers.get("Content-Type") ?? "without content"} ${textOf(answer).slice(0, 300)}`.trimEnd();

/** Returns the code of a problem; "" for any other answer. */
export const codeOf = (answer: ContractAnswer): string => problemOf(answer)?.type?.split("/").at(-1) ?? "";

/** Guards refuse whatever else is wrong with a request. */
const ofGuards: ReadonlySet<number> = new Set([401, 403, 421, 429, 503]);

/** Whether a problem is about what `takes(…)` reads. */
function isRefusedFor(code: string, operation: Operation | undefined): boolean {
  if (operation === undefined) return false;
  const { parameters, taken, body } = operation;
  const isAllTaken = parameters.every(taken.takes);
  if (code === "invalid-parameters") return isAllTaken;
  return taken.body !== undefined && body !== undefined && ofContent.has(code);
}

const ofContent: ReadonlySet<string> = new Set(["invalid-content", "malformed-content", "unsupported-media-type"]);

function* faultsOfJson(text: string, schema: unknown, schemas: Schemas): Generator<string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    yield `content that is JSON (${error instanceof Error ? error.message : error})`;
    return;
  }
  const faults = schemas.faultsOf(schema, value).slice(0, 3);
  if (faults.length > 0)
    yield `content as its schema: ${faults.map(({ pointer, message }) => `${pointer} ${message}`).join("; ")}`;
}

function* faultsOfFields(
  { method, expects, headers: sent }: ContractRequest,
  { status, headers, bytes }: ContractAnswer,
  operation: Operation | undefined,
): Generator<AnswerFault> {
  const cameIn = (name: string): string => `${name}: ${headers.get(name) ?? "(none)"}`;
  const names = (name: string): readonly string[] => (headers.get(name) ?? "").split(",").map((each) => each.trim());
  if (expects.allow !== undefined && status === 405) {
    const expected = expects.allow.toSorted().join(", ");
    if (names("Allow").toSorted().join(", ") !== expected)
      yield { expected: `Allow: ${expected}`, came: cameIn("Allow") };
  }
  if (
    (operation?.produces.length ?? 0) > 0 &&
    status < 300 &&
    !/(?:^|,)\s*(?:accept|\*)\s*(?:,|$)/i.test(headers.get("Vary") ?? "")
  ) {
    yield { expected: "Vary: Accept", came: cameIn("Vary") };
  }
  const types = Object.keys(operation?.body?.content ?? {});
  if (status === 415 && sent["Content-Encoding"] === undefined && types.length > 0) {
    const missing = types.filter((type) => !names("Accept").map(essenceOf).includes(essenceOf(type)));
    if (missing.length > 0) yield { expected: `Accept: ${types.join(", ")}`, came: cameIn("Accept") };
    const further = { POST: "Accept-Post", PATCH: "Accept-Patch", QUERY: "Accept-Query" }[method];
    if (further !== undefined && operation?.taken.body === undefined && !headers.has(further)) {
      yield { expected: `${further}: ${types.join(", ")}`, came: cameIn(further) };
    }
  }
  const length = headers.get("Content-Length");
  const isWhole = method !== "HEAD" && status !== 304 && !headers.has("Content-Encoding");
  if (isWhole && length !== null && Number(length) !== bytes.length) {
    yield { expected: `Content-Length: ${bytes.length}`, came: cameIn("Content-Length") };
  }
}

/** A problem document, as far as the kit looks into it. */
interface SentProblem {
  readonly type?: string;
  readonly errors?: readonly { readonly pointer?: string; readonly parameter?: string; readonly in?: string }[];
}

function problemOf(answer: ContractAnswer): SentProblem | undefined {
  if (essenceOf(answer.headers.get("Content-Type") ?? "") !== "application/problem+json") return undefined;
  try {
    return JSON.parse(textOf(answer));
  } catch {
    return undefined; // Its schema says so.
  }
}

/** Returns what a refusal should have named; undefined where it has. */
function faultOfErrors(
  answer: ContractAnswer,
  wanted: NonNullable<ContractRequest["expects"]["error"]>,
): string | undefined {
  const problem = problemOf(answer);
  // Of problems in another form nothing is known.
  if (problem === undefined) return undefined;
  const { errors = [] } = problem;
  if ("parameter" in wanted) {
    const { in: place, parameter } = wanted;
    const isNamed = errors.some(
      (each) => (each.in ?? "query") === place && each.parameter?.toLowerCase() === parameter.toLowerCase(),
    );
    return isNamed ? undefined : `an error for the ${place} parameter "${parameter}"`;
  }
  // What is around it is as right: a library may say of an object that a member of it is unknown. So is what is within it: a text
  // in a form is a list of one.
  const isNamed = errors.some(({ pointer }) => {
    if (pointer === undefined) return false;
    const [named, due] = [`${pointer}/`, `${wanted.pointer}/`];
    return due.startsWith(named) || named.startsWith(due);
  });
  return isNamed ? undefined : `an error at ${wanted.pointer}`;
}

const textOf = ({ bytes }: ContractAnswer): string => new TextDecoder().decode(bytes);
