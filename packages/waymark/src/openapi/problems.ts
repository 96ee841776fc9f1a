import type { HeaderDescription, JsonSchema } from "../description.ts";
import { namedSchema } from "../description.ts";
import { pascalCase } from "../message-text.ts";
import { problem, problemPath } from "../problem.ts";
import { type ProblemType, problemTypes } from "../problem-types.ts";
import { reasonPhrase } from "../reason-phrase.ts";
import type { Components } from "./components.ts";
import type { MediaTypeObject, ReferenceObject, ResponseObject } from "./document.ts";
import type { Said } from "./ways.ts";

/** How problems are sent. */
export interface ProblemForm {
  readonly mediaTypes: readonly string[];
  /** Whether these are all in which problems of the operation are sent. */
  readonly isUsual: boolean;
  /** The prefix of the path in their `type`. */
  readonly base: string;
}

/**
 * Returns how problems of one status are sent.
 *
 * @param ofRouter those that come from within all that is around an operation
 * @param produced what the operation can be sent as: a client that would read a 406 so gets none
 */
export function problemForm(
  types: readonly ProblemType[],
  ofRouter: ReadonlySet<ProblemType>,
  produced: readonly string[],
  { problemForms, problemTypes: everywhere = [] }: Said,
  base: string,
): ProblemForm {
  const every = ["application/problem+json", ...everywhere];
  const formsOf = (type: ProblemType): readonly string[] => {
    if (!ofRouter.has(type)) return problemForms.get(type) ?? every;
    return type === problemTypes.notAcceptable ? every.filter((form) => !produced.includes(form)) : every;
  };
  const mediaTypes = new Set(types.flatMap(formsOf));
  return { mediaTypes: [...mediaTypes], isUsual: every.every((type) => mediaTypes.has(type)), base };
}

/** Returns the content of a response that is one of these problems, of which most have one status. */
export function problemContent(
  types: readonly ProblemType[],
  { mediaTypes, base }: ProblemForm,
  components: Components,
): Readonly<Record<string, MediaTypeObject>> {
  const [first, ...others] = [...new Set(types.map(({ status }) => status))];
  const status = others.length === 0 ? { const: first } : { enum: [first, ...others] };
  const schema = components.schema(
    {
      allOf: [
        namedSchema("Problem", problemSchema),
        { properties: { type: { enum: types.map((type) => base + problemPath(type)) }, status } },
      ],
    },
    "output",
  );
  const examples = Object.fromEntries(
    types.map((type) => [type.code, { value: { ...problem(type).problem, type: base + problemPath(type) } }]),
  );
  return Object.fromEntries(
    mediaTypes.map((type) => [type, type.endsWith("json") ? { schema, examples } : { schema: text }]),
  );
}

/** Of content that is not JSON, OpenAPI knows that it is text. */
export const text: JsonSchema = { type: "string" };

/** Returns a reference to the response for one of these problems, which have one status. */
export function problemResponse(
  types: readonly ProblemType[],
  form: ProblemForm,
  headers: Readonly<Record<string, ReferenceObject>>,
  components: Components,
): ReferenceObject {
  const [{ status }] = types as [ProblemType, ...ProblemType[]]; // there is one at least
  const response: ResponseObject = {
    description: describeProblems(types),
    headers: { ...headers, ...problemHeaders(status, components) },
    content: problemContent(types, form, components),
  };
  return components.share("responses", nameOf(types, form), withoutEmpty(response));
}

/** `ConflictOrPatchConflict`, or `NotAcceptableAsJson` where that is not sent in every form of problems. */
function nameOf(types: readonly ProblemType[], { mediaTypes, isUsual }: ProblemForm): string {
  const [{ status }] = types as [ProblemType, ...ProblemType[]]; // there is one at least
  const codes =
    types.length > 3
      ? (reasonPhrase(status) ?? `Status${status}`)
      : types.map(({ code }) => pascalCase(code)).join("Or");
  const forms = mediaTypes.map((type) => pascalCase(type.split(/[/+]/).at(-1) ?? ""));
  return pascalCase(isUsual ? codes : `${codes}As${forms.join("Or")}`);
}

export const describeProblems = (types: readonly ProblemType[]): string =>
  types.map(({ title, explanation }) => `${title}. ${explanation}`).join("\n\n");

/** Returns the fields that only problems of a status have. */
export function problemHeaders(status: number, components: Components): Readonly<Record<string, ReferenceObject>> {
  return Object.fromEntries(
    Object.entries(fieldsOfStatus[status] ?? {}).map(([name, value]) => [
      name,
      components.share("headers", name, toHeader(value)),
    ]),
  );
}

export const toHeader = (
  { description, example }: Omit<HeaderDescription, "schema">,
  schema: object = { type: "string" },
): object => ({
  ...(description !== undefined && { description }),
  schema,
  ...(example !== undefined && { example }),
});

const retryAfter = { description: "After how many seconds the same request may succeed (RFC 9110 §10.2.3)." };

const fieldsOfStatus: Readonly<Record<number, Readonly<Record<string, HeaderDescription>>>> = {
  401: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
  403: { "WWW-Authenticate": { description: "How to authenticate (RFC 9110 §11.6.1)." } },
  405: { Allow: { description: "The methods of the path (RFC 9110 §10.2.1)." } },
  409: { "Retry-After": retryAfter },
  415: {
    Accept: { description: "The media types that are read here (RFC 9110 §12.5.1)." },
    "Accept-Encoding": { description: "The content codings that are read (RFC 9110 §12.5.3)." },
    "Accept-Post": { description: "The media types that a POST can have (W3C LDP §7.1)." },
    "Accept-Patch": { description: "The media types that a PATCH can have (RFC 5789 §3.1)." },
    "Accept-Query": { description: "The media types that a QUERY can have (RFC 10008 §3)." },
  },
  429: { "Retry-After": retryAfter },
  503: { "Retry-After": retryAfter },
};

/** RFC 9457. */
export const problemSchema: JsonSchema = {
  title: "Problem details (RFC 9457)",
  type: "object",
  required: ["type", "title", "status"],
  properties: {
    type: {
      type: "string",
      format: "uri-reference",
      description: "The kind of problem; its page says what would be right.",
    },
    title: { type: "string", description: "What the kind of problem is called." },
    status: { type: "integer", description: "The status of the response." },
    detail: { type: "string", description: "What was wrong this time, and what would be right." },
    instance: { type: "string", format: "uri-reference", description: "The id of the request." },
    errors: {
      type: "array",
      description: "Each place that is wrong.",
      items: {
        type: "object",
        required: ["detail"],
        properties: {
          detail: { type: "string" },
          pointer: {
            type: "string",
            description: "A JSON Pointer into the content, as a URI fragment; `#` is the whole.",
          },
          parameter: { type: "string", description: "The parameter or field that is wrong." },
          in: { enum: ["query", "path", "header"], description: "Where the parameter is." },
          code: { type: "string", description: "The kind of fault, for programs; the detail may change." },
          found: { type: ["string", "number", "boolean"], description: "What was found there." },
          line: { type: "integer", minimum: 1, description: "The line of the content." },
        },
      },
    },
    available: {
      type: "array",
      items: { type: "string" },
      description: "What there is in place of what was asked for.",
    },
    supported: { type: "array", items: { type: "string" }, description: "What the content could be." },
    refused: { type: "integer", minimum: 0, description: "How many records of a list were refused." },
    omitted: { type: "integer", minimum: 0, description: "How many further errors are not listed." },
    "violated-policies": { type: "array", items: { type: "string" }, description: "The quotas that are used up." },
  },
};

/** Leaves out records that have nothing. */
export function withoutEmpty<T extends object>(value: T): T {
  const kept = Object.entries(value).filter(
    ([, member]) => typeof member !== "object" || Object.keys(member).length > 0,
  );
  // What is left out may be: only optional members are objects that can be empty.
  return Object.fromEntries(kept) as T;
}
