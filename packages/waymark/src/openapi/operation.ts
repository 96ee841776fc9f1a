import type { ParameterDescription } from "../description.ts";
import { pascalCase } from "../message-text.ts";
import { HttpRequest } from "../request.ts";
import { type Components, toComponentName } from "./components.ts";
import { toRequestBody } from "./content.ts";
import type { OperationObject, ParameterObject, ReferenceObject, SecurityRequirementObject } from "./document.ts";
import { mergeBodies, mergeParameters } from "./merge.ts";
import { type DocumentPath, pathParameters, toDocumentPath } from "./path.ts";
import { toResponses } from "./responses.ts";
import { type Alternative, mergeSaid, toAlternative, type Way } from "./ways.ts";

/** What the operations of a document are made with. */
export interface OperationSettings {
  readonly components: Components;
  /** The prefix of the path in the `type` of problems. */
  readonly problemBase: string;
  /** The response for requests that reach no operation; undefined where every request reaches one. */
  readonly earlierRefusal: ReferenceObject | undefined;
  readonly securityOf: (sample: HttpRequest) => readonly SecurityRequirementObject[] | undefined;
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
): Promise<OperationObject> {
  const { components } = settings;
  const sample = HttpRequest.of({ method, target: path.sample });
  const alternatives = ways.map((way) => toAlternative(way, sample));
  const { said: first } = alternatives[0] as Alternative;
  const all = mergeSaid(alternatives.map(({ said }) => said));
  const ofPath = ways.map(({ template }) =>
    pathParameters(path, toDocumentPath(template).variables, all.variables ?? {}, components),
  );
  const others = alternatives.map((alternative) => parametersOf(alternative, components));
  const parameters = [
    ...mergeParameters(ofPath),
    ...mergeParameters(others).map((each) => components.share("parameters", toComponentName(each.name), each)),
  ];
  const bodies = await Promise.all(
    alternatives.map(({ said, consumes }) => toRequestBody(said.content, consumes, components)),
  );
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
    responses: {
      ...(await toResponses(alternatives, all, settings.problemBase, components)),
      ...(settings.earlierRefusal && { default: settings.earlierRefusal }),
    },
    ...(security !== undefined && { security }),
  };
}

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

function parametersOf({ parameters, said }: Alternative, components: Components): readonly ParameterObject[] {
  const from = (place: "query" | "header", described: Readonly<Record<string, ParameterDescription>> = {}) =>
    Object.entries(described).map(([name, { schema = { type: "string" }, required, ...others }]): ParameterObject => {
      return {
        name,
        in: place,
        ...others,
        ...(required === true && { required }),
        schema: components.schema(schema, "input"),
      };
    });
  const asked = parameters.map((each): ParameterObject => ({ ...each, required: true }));
  return [...asked, ...from("query", said.query), ...from("header", said.headers)];
}
