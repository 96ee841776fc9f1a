import type { Description, HeaderDescription } from "../description.ts";
import { type ProblemType, problemTypes } from "../problem-types.ts";
import type { Components } from "./components.ts";
import { toResponseContent } from "./content.ts";
import type { ReferenceObject, ResponseObject } from "./document.ts";
import { mergeResponses } from "./merge.ts";
import {
  describeProblems,
  type ProblemForm,
  problemContent,
  problemForm,
  problemHeaders,
  problemResponse,
  text,
  toHeader,
  withoutEmpty,
} from "./problems.ts";
import type { Alternative, Said } from "./ways.ts";

/**
 * Makes the responses of an operation, by status: those that its routes describe, and the problems that they or the router can
 * answer with.
 *
 * @param all what is said of all routes together
 * @param problemBase the prefix of the path in the `type` of problems
 */
export async function toResponses(
  alternatives: readonly Alternative[],
  all: Said,
  problemBase: string,
  components: Components,
): Promise<Readonly<Record<string, ResponseObject | ReferenceObject>>> {
  const everyResponse = toHeaders(all.responseHeaders ?? {}, components);
  const answers = await Promise.all(alternatives.map((each) => describedResponses(each, everyResponse, components)));
  const described = Map.groupBy(answers.flat(), ([status]) => status);
  const ofRouter = new Set(routerProblems(alternatives));
  const problems = Map.groupBy(ofRouter.union(new Set(all.problems)), ({ status }) => `${status}`);
  const produced = alternatives.flatMap(({ way }) => way.produces ?? []);
  const formOf = (types: readonly ProblemType[]): ProblemForm =>
    problemForm(types, ofRouter, produced, all, problemBase);
  const statuses = [...new Set([...described.keys(), ...problems.keys()])];
  const named = statuses.map((status): readonly [string, ResponseObject | ReferenceObject] => {
    const [first, ...others] = (described.get(status) ?? []).map(([, response]) => response);
    const types = problems.get(status) ?? [];
    if (first === undefined) return [status, problemResponse(types, formOf(types), everyResponse, components)];
    const response = others.reduce(mergeResponses, first);
    return [
      status,
      types.length === 0 ? withoutEmpty(response) : withProblems(response, types, formOf(types), components),
    ];
  });
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds to a response the problems that have its status. */
function withProblems(
  response: ResponseObject,
  types: readonly ProblemType[],
  form: ProblemForm,
  components: Components,
): ResponseObject {
  const [{ status }] = types as [ProblemType, ...ProblemType[]]; // there is one at least
  const headers = { ...response.headers, ...problemHeaders(status, components) };
  const content = { ...response.content, ...problemContent(types, form, components) };
  const description = `${response.description}\n\n${describeProblems(types)}`;
  const optional = response.content === undefined && { "x-content-optional": true as const };
  return withoutEmpty<ResponseObject>({ ...response, description, headers, content, ...optional });
}

/** A response and its status. */
type Answer = readonly [status: string, ResponseObject];

async function describedResponses(
  { said, way: { produces, saysAnswers } }: Alternative,
  everyResponse: Readonly<Record<string, ReferenceObject>>,
  components: Components,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  if (!saysAnswers) {
    const content = await toResponseContent({ description: "", ...(produces && { schema: {} }) }, produces, components);
    answers.push(["2XX", { description: "The answer.", headers: everyResponse, ...(content && { content }) }]);
  }
  for (const [status, response] of Object.entries(said.responses ?? {})) {
    const content = await toResponseContent(response, produces, components);
    const headers = { ...everyResponse, ...toHeaders(response.headers ?? {}, components) };
    const optional = response.optional === true && { "x-content-optional": true as const };
    const shown = content === undefined ? contentOfEmpty(status, said) : { content, ...optional };
    answers.push([status, { description: response.description, headers, ...shown }]);
  }
  return answers;
}

/** Returns what a response without content has for clients that prefer it: nothing, unless it is a refusal. */
export function contentOfEmpty(
  status: string,
  { refusalTypes = [] }: Description,
): Pick<ResponseObject, "content" | "x-content-optional"> {
  if (status < "4" || refusalTypes.length === 0) return {};
  const content = Object.fromEntries(refusalTypes.map((type) => [type, { schema: text }]));
  return { content, "x-content-optional": true };
}

export function toHeaders(
  described: Readonly<Record<string, HeaderDescription>>,
  components: Components,
): Readonly<Record<string, ReferenceObject>> {
  return Object.fromEntries(
    Object.entries(described).map(([name, { schema = { type: "string" }, ...others }]) => [
      name,
      components.share("headers", name, toHeader(others, components.schema(schema, "output"))),
    ]),
  );
}

/** The refusals that the router, and the reading of content, can come to at a path and method that there are. */
function routerProblems(alternatives: readonly Alternative[]): readonly ProblemType[] {
  const every = (holds: (alternative: Alternative) => boolean): boolean => alternatives.every(holds);
  const reads = alternatives.some(({ said }) => said.content !== undefined);
  const isValidated = alternatives.some(
    ({ said: { content } }) =>
      content?.validated !== false && (content?.schema !== undefined || content?.types !== undefined),
  );
  return [
    ...(reads ? [problemTypes.malformedContent] : []),
    ...(isValidated ? [problemTypes.invalidContent] : []),
    ...(every(({ parameters, provisos }) => provisos.length > 0 || parameters.length > 0)
      ? [problemTypes.notFound]
      : []),
    ...(every(({ way }) => way.produces !== undefined) ? [problemTypes.notAcceptable] : []),
    ...(reads ? [problemTypes.contentTooLarge] : []),
    ...(every(({ consumes }) => consumes.length > 0) || reads ? [problemTypes.unsupportedMediaType] : []),
    ...(reads ? [problemTypes.unsupportedContentCoding] : []),
    problemTypes.internalError,
  ];
}
