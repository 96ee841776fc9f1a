import { type ConditionData, describeCondition } from "../condition.ts";
import type { Description, HeaderDescription, ParameterDescription } from "../description.ts";
import { type ProblemType, problemTypes } from "../problem-types.ts";
import type { Components } from "./components.ts";
import { toRequestBody, toResponseContent } from "./content.ts";
import type { Operation, Parameter, Reference, Response, SecurityRequirement } from "./document.ts";
import { mergeBodies, mergeParameters, mergeResponses } from "./merge.ts";
import { type DocumentPath, pathParameters, toDocumentPath } from "./path.ts";
import {
  describeProblems,
  type ProblemForm,
  pascalCase,
  problemContent,
  problemHeaders,
  problemResponse,
  toHeader,
  withoutEmpty,
} from "./problems.ts";
import { combine, type Way } from "./ways.ts";

/** What the operations of a document are made with. */
export interface OperationSettings {
  readonly components: Components;
  /** The prefix of the path in the `type` of problems. */
  readonly problemBase: string;
  readonly securityOf: (method: string, path: string) => readonly SecurityRequirement[] | undefined;
}

/** One of the routes that share a method and a path, as it is described. */
interface Alternative {
  readonly way: Way;
  readonly said: Description;
  readonly consumes: readonly string[];
  /** Conditions that are no parameter. */
  readonly provisos: readonly string[];
}

/**
 * Makes one operation of the routes for a method and a path: what they ask of Accept, Content-Type, header fields and the query
 * is put together.
 *
 * @param ways one at least
 */
export async function toOperation(
  method: string,
  path: DocumentPath,
  ways: readonly Way[],
  settings: OperationSettings,
): Promise<Operation> {
  const { components } = settings;
  const alternatives = ways.map(toAlternative);
  const { said: first } = alternatives[0] as Alternative;
  const all = combine(alternatives.map(({ said }) => said));
  const form: ProblemForm = {
    mediaTypes: [...new Set(["application/problem+json", ...(all.problemTypes ?? [])])],
    base: settings.problemBase,
  };
  const everyResponse = toHeaders(all.responseHeaders ?? {}, components);
  const parameters = [
    ...pathParameters(path, toDocumentPath((ways[0] as Way).template).variables, all.variables ?? {}, components),
    ...mergeParameters(
      alternatives.map((alternative) => parametersOf(alternative, components)),
      components,
    ),
  ];
  const bodies = await Promise.all(
    alternatives.map(({ said, consumes }) => toRequestBody(said.content, consumes, components)),
  );
  const requestBody = mergeBodies(bodies);
  const described = await Promise.all(
    alternatives.map(({ said, way }) => describedResponses(said, way, everyResponse, components)),
  );
  const responses = new Map<number | "2XX", Response>();
  for (const [status, response] of described.flat()) {
    const other = responses.get(status);
    responses.set(status, other === undefined ? response : mergeResponses(other, response));
  }
  const problems = Map.groupBy(
    [...new Set([...routerProblems(alternatives), ...(all.problems ?? [])])],
    ({ status }) => status,
  );
  const named: [string, Response | Reference][] = [];
  for (const status of new Set([...responses.keys(), ...problems.keys()])) {
    const [response, types] = [responses.get(status), problems.get(status as number)];
    if (response !== undefined && types !== undefined) {
      const headers = { ...response.headers, ...problemHeaders(status as number, components) };
      const content = { ...response.content, ...problemContent(types, form, components) };
      const description = `${response.description}\n\n${describeProblems(types)}`;
      named.push([
        `${status}`,
        withoutEmpty<Response>({ ...response, description, headers, content, "x-content-optional": true }),
      ]);
    } else if (response !== undefined) named.push([`${status}`, withoutEmpty(response)]);
    else if (types !== undefined) named.push([`${status}`, problemResponse(types, form, everyResponse, components)]);
  }
  const security = settings.securityOf(method, path.sample);
  const text = textOf(alternatives);
  return {
    operationId: ways.find(({ name }) => name !== undefined)?.name ?? first.operationId ?? madeId(method, path),
    summary: first.summary ?? `${method} ${path.text}`,
    ...(text !== "" && { description: text }),
    ...(all.tags !== undefined && all.tags.length > 0 && { tags: all.tags }),
    ...(alternatives.every(({ said }) => said.deprecated === true) && { deprecated: true as const }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(security !== undefined && { security }),
  };
}

function toAlternative(way: Way): Alternative {
  const { conditions } = way;
  const others = conditions.filter(({ kind }) => kind !== "contentType" && kind !== "accept" && !isParameter(kind));
  return {
    way,
    said: combine(way.descriptions),
    consumes: conditions.flatMap((condition) => (condition.kind === "contentType" ? condition.mediaTypes : [])),
    provisos: [...way.furtherTemplates.map((text) => `path "${text}"`), ...others.map(describeCondition)],
  };
}

const isParameter = (kind: ConditionData["kind"]): boolean => kind === "header" || kind === "query";

const madeId = (method: string, { text }: DocumentPath): string => method.toLowerCase() + pascalCase(text);

/** Describes each of several alternatives in its own paragraph, with its summary, its content and its conditions. */
function textOf(alternatives: readonly Alternative[]): string {
  const texts = alternatives.map(({ said, consumes, provisos }) => {
    const heading = [said.summary, consumes.length > 0 ? `(${consumes.join(", ")})` : undefined];
    return [
      ...(alternatives.length > 1 && said.summary !== undefined ? [`**${heading.filter(Boolean).join(" ")}**`] : []),
      ...(said.description === undefined ? [] : [said.description]),
      ...(provisos.length > 0 ? [`Only for requests that meet: ${provisos.join("; ")}.`] : []),
    ].join("\n\n");
  });
  return [...new Set(texts)].filter((text) => text !== "").join("\n\n");
}

function parametersOf({ way, said }: Alternative, components: Components): readonly Parameter[] {
  const from = (place: "query" | "header", described: Readonly<Record<string, ParameterDescription>> = {}) =>
    Object.entries(described).map(([name, { schema = { type: "string" }, required, ...others }]): Parameter => {
      return {
        name,
        in: place,
        ...others,
        ...(required === true && { required }),
        schema: components.schema(schema, "input"),
      };
    });
  const asked = way.conditions.flatMap((condition): readonly Parameter[] => {
    if (condition.kind !== "header" && condition.kind !== "query") return [];
    const { kind, name, value } = condition;
    if (kind === "header" && reserved.has(name.toLowerCase())) return [];
    return [{ name, in: kind, required: true, schema: { type: "string", ...keywordsOf(value) } }];
  });
  return [...asked, ...from("query", said.query), ...from("header", said.headers)];
}

/** Fields that OpenAPI has other words for. */
const reserved: ReadonlySet<string> = new Set(["accept", "content-type", "authorization"]);

function keywordsOf(value: string | RegExp | undefined): object {
  if (value === undefined) return {};
  return typeof value === "string" ? { enum: [value] } : { pattern: value.source };
}

async function describedResponses(
  said: Description,
  { produces, saysAnswers }: Way,
  everyResponse: Readonly<Record<string, Reference>>,
  components: Components,
): Promise<readonly (readonly [number | "2XX", Response])[]> {
  const entries = Object.entries(said.responses ?? {});
  const answers: (readonly [number | "2XX", Response])[] = [];
  if (!saysAnswers) {
    const content = await toResponseContent({ description: "", ...(produces && { schema: {} }) }, produces, components);
    answers.push(["2XX", { description: "The answer.", headers: everyResponse, ...(content && { content }) }]);
  }
  for (const [status, response] of entries) {
    const content = await toResponseContent(response, produces, components);
    const headers = { ...everyResponse, ...toHeaders(response.headers ?? {}, components) };
    const optional = response.optional === true && { "x-content-optional": true as const };
    answers.push([
      Number(status),
      { description: response.description, headers, ...(content && { content }), ...optional },
    ]);
  }
  return answers;
}

export function toHeaders(
  described: Readonly<Record<string, HeaderDescription>>,
  components: Components,
): Readonly<Record<string, Reference>> {
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
  const isParsed = alternatives.some(
    ({ said }) => said.content?.schema !== undefined || said.content?.types !== undefined,
  );
  return [
    ...(isParsed ? [problemTypes.malformedContent, problemTypes.invalidContent] : []),
    ...(every(({ way, provisos }) => provisos.length > 0 || way.conditions.some(({ kind }) => isParameter(kind)))
      ? [problemTypes.notFound]
      : []),
    ...(every(({ way }) => way.produces !== undefined) ? [problemTypes.notAcceptable] : []),
    ...(reads ? [problemTypes.contentTooLarge, problemTypes.contentExpandsTooFar] : []),
    ...(every(({ consumes }) => consumes.length > 0) || reads ? [problemTypes.unsupportedMediaType] : []),
    ...(reads ? [problemTypes.unsupportedContentCoding] : []),
    problemTypes.internalError,
  ];
}
