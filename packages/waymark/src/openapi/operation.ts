import { pascalCase } from "../common/wording.ts";
import { type Description, mergeDescriptions } from "../description.ts";
import { HttpRequest } from "../request.ts";
import { mergeContents, toRequestBody } from "./content.ts";
import type { OpenApiDocument, ParameterObject, RequestBodyObject, SecurityRequirementObject } from "./document.ts";
import { type DocumentPath, pathParameters } from "./path.ts";
import type { Problems } from "./problems.ts";
import { toResponses } from "./responses.ts";
import type { Schemas } from "./schemas.ts";
import { type Alternative, sayAll, type Ways } from "./ways.ts";

/** What the operations of a document are made with. */
export interface OperationSettings {
  readonly schemas: Schemas;
  readonly problems: Problems;
  /** The response for requests that reach no operation; none where every request reaches one. */
  readonly earlier: OpenApiDocument.Operation["responses"];
  readonly securityOf: (sample: HttpRequest) => readonly SecurityRequirementObject[] | undefined;
}

/** Makes one operation of the ways to a method and a path: what they ask, take and answer is put together. */
export async function toOperation(
  { method, path, ways }: Ways,
  settings: OperationSettings,
): Promise<OpenApiDocument.Operation> {
  const { schemas } = settings;
  const sample = HttpRequest.of({ method, target: path.sample });
  const alternatives = ways.map((way): Alternative => ({ way, said: sayAll(way.descriptions, sample) }));
  const all = mergeDescriptions(alternatives.map(({ said }) => said));
  const [{ said: first }] = alternatives as [Alternative, ...Alternative[]]; // as many as there are ways
  const parameters = [
    ...mergeParameters(ways.map((way) => pathParameters(path, way.path.variables, all.variables ?? {}, schemas))),
    ...mergeParameters(alternatives.map((alternative) => parametersOf(alternative, schemas))),
  ];
  const bodies: (RequestBodyObject | undefined)[] = [];
  for (const { said, way } of alternatives) bodies.push(await toRequestBody(said.content, way.consumes, schemas));
  const requestBody = mergeBodies(bodies);
  const security = settings.securityOf(sample);
  const text = textOf(alternatives);
  return {
    operationId: ways.find(({ name }) => name !== undefined)?.name ?? first.operationId ?? madeId(method, path),
    summary: first.summary ?? `${method} ${path.text}`,
    ...(text !== "" && { description: text }),
    ...(all.tags !== undefined && all.tags.length > 0 && { tags: all.tags }),
    ...(alternatives.every(({ said }) => said.deprecated === true) && { deprecated: true as const }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    responses: { ...(await toResponses(alternatives, all, settings.problems, schemas)), ...settings.earlier },
    ...(security !== undefined && { security }),
  };
}

const madeId = (method: string, { text }: DocumentPath): string => method.toLowerCase() + pascalCase(text);

/** Describes each of several alternatives in its own paragraph, with its summary, its content and its conditions. */
function textOf(alternatives: readonly Alternative[]): string {
  const texts = alternatives.map(({ said: { summary, description }, way: { consumes, provisos } }) => {
    const heading = consumes.length > 0 ? `**${summary} (${consumes.join(", ")})**` : `**${summary}**`;
    return [
      ...(alternatives.length > 1 && summary !== undefined ? [heading] : []),
      ...(description === undefined ? [] : [description]),
      ...(provisos.length > 0 ? [`Only for requests that meet: ${provisos.join("; ")}.`] : []),
    ].join("\n\n");
  });
  return [...new Set(texts)].filter((text) => text !== "").join("\n\n");
}

function parametersOf({ way, said }: Alternative, schemas: Schemas): readonly ParameterObject[] {
  const from = (place: "query" | "header", described: Readonly<Record<string, Description.Parameter>> = {}) =>
    Object.entries(described).map(
      ([name, { schema = { type: "string" }, required, ...others }]): ParameterObject => ({
        name,
        in: place,
        ...others,
        ...(required === true && { required }),
        schema: schemas.toJsonSchema(schema, "input"),
      }),
    );
  const asked = way.parameters.map((each): ParameterObject => ({ ...each, required: true }));
  return [...asked, ...from("query", said.query), ...from("header", said.headers)];
}

/** Returns the name of a parameter with its place: names of fields have no case. */
export const parameterKey = ({ in: place, name }: Pick<ParameterObject, "in" | "name">): string =>
  `${place} ${place === "header" ? name.toLowerCase() : name}`;

/** Merges the parameters of several ways; a parameter is required where every one of them requires it. */
function mergeParameters(lists: readonly (readonly ParameterObject[])[]): readonly ParameterObject[] {
  return [...Map.groupBy(lists.flat(), parameterKey)].map(([key, found]) => {
    // What the first says has the last word; groupBy makes no empty group.
    const all: ParameterObject = Object.assign({}, ...found.toReversed());
    const { required: _, ...optional } = all;
    const distinct = [...new Map(found.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
    const isRequired = lists.every((list) => list.some((each) => parameterKey(each) === key && each.required));
    return { ...(isRequired ? all : optional), schema: distinct.length === 1 ? all.schema : { anyOf: distinct } };
  });
}

/** Merges the content that several ways read; it is required where every one of them requires it. */
function mergeBodies(bodies: readonly (RequestBodyObject | undefined)[]): RequestBodyObject | undefined {
  const found = bodies.filter((body) => body !== undefined);
  const [first] = found;
  return (
    first && {
      ...(first.description !== undefined && { description: first.description }),
      required: found.length === bodies.length && found.every(({ required }) => required),
      content: mergeContents(found.map(({ content }) => content)),
    }
  );
}
