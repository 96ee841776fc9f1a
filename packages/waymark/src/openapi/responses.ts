import type { ProblemType } from "../common/problem-document.ts";
import * as problemTypes from "../common/problem-types.ts";
import type { Description } from "../description.ts";
import { mergeContents, toResponseContent } from "./content.ts";
import type { OpenApiDocument } from "./document.ts";
import { type Problems, toHeaders, toResponse } from "./problems.ts";
import type { Schemas } from "./schemas.ts";
import type { Alternative } from "./ways.ts";

/**
 * Makes the responses of an operation, by status: those that its routes describe, and the problems that they or the router can
 * answer with.
 *
 * @param all what is said of all routes together
 */
export async function toResponses(
  alternatives: readonly Alternative[],
  all: Description,
  problems: Problems,
  schemas: Schemas,
): Promise<OpenApiDocument.Operation["responses"]> {
  const described: (readonly [status: string, OpenApiDocument.Response])[] = [];
  for (const alternative of alternatives) described.push(...(await describedResponses(alternative, schemas)));
  const byStatus = Map.groupBy(described, ([status]) => status);
  const codes = Map.groupBy(
    new Set([...routerProblems(alternatives), ...(all.problems ?? [])]),
    ({ status }) => `${status}`,
  );
  const entries = [...new Set([...byStatus.keys(), ...codes.keys()])].toSorted().map((status) => {
    const own = (byStatus.get(status) ?? []).map(([, response]) => response);
    const types = codes.get(status);
    if (own.length === 0 && types !== undefined) return [status, problems.refer(types, all, schemas)] as const;
    const headers = toHeaders(all.responseHeaders, schemas);
    const refused = types === undefined ? [] : [problems.toResponse(types, all, schemas)];
    return [
      status,
      mergeResponses([...own, ...refused].map((each) => ({ ...each, headers: { ...headers, ...each.headers } }))),
    ] as const;
  });
  return Object.fromEntries(entries);
}

async function describedResponses(
  { said, way: { produces, saysAnswers } }: Alternative,
  schemas: Schemas,
): Promise<readonly (readonly [status: string, OpenApiDocument.Response])[]> {
  const unsaid: Description.Response = { description: "The answer.", ...(produces && { schema: {} }) };
  const all = Object.entries({ ...said.responses, ...(!saysAnswers && { "2XX": unsaid }) });
  const made: [string, OpenApiDocument.Response][] = [];
  for (const [status, { description, headers, optional, ...described }] of all) {
    const content = await toResponseContent(described, produces, schemas);
    const isOptional = content !== undefined && optional === true;
    made.push([
      status,
      {
        description,
        headers: toHeaders(headers, schemas),
        ...(content && { content }),
        ...(isOptional && { "x-content-optional": true }),
      },
    ]);
  }
  return made;
}

/** Merges the responses of one status: one without content, or whose content is optional, makes it optional. */
function mergeResponses(all: readonly OpenApiDocument.Response[]): OpenApiDocument.Response {
  const content = mergeContents(all.map((each) => each.content ?? {}));
  const isOptional = all.some((each) => each.content === undefined || each["x-content-optional"] === true);
  const hasContent = Object.keys(content).length > 0;
  return toResponse({
    description: [...new Set(all.map(({ description }) => description))].join("\n\n"),
    headers: Object.assign({}, ...all.map(({ headers }) => headers)),
    content,
    ...(isOptional && hasContent && { "x-content-optional": true }),
  });
}

/** The refusals that the router, and the reading of content, can come to at a path and method that there are. */
function routerProblems(alternatives: readonly Alternative[]): readonly ProblemType[] {
  const every = (holds: (alternative: Alternative) => boolean): boolean => alternatives.every(holds);
  const contents = alternatives.flatMap(({ said: { content } }) => content ?? []);
  const reads = contents.length > 0;
  const isValidated = contents.some(({ validated, schema, types }) => validated !== false && (schema ?? types));
  const can: readonly (readonly [ProblemType, boolean])[] = [
    [problemTypes.malformedContent, reads],
    [problemTypes.invalidContent, isValidated],
    [problemTypes.notFound, every(({ way }) => way.provisos.length + way.parameters.length > 0)],
    [problemTypes.notAcceptable, every(({ way }) => way.produces !== undefined)],
    [problemTypes.contentTooLarge, reads],
    [problemTypes.unsupportedMediaType, reads || every(({ way }) => way.consumes.length > 0)],
    [problemTypes.unsupportedContentCoding, reads],
    [problemTypes.internalError, true],
  ];
  return can.filter(([, isPossible]) => isPossible).map(([type]) => type);
}
