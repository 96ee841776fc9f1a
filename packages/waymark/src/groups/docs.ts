import { compileAnswerCheck } from "../answer/answer-check.ts";
import { comparedBy } from "../answer/answered.ts";
import { requireOptions } from "../common/known-options.ts";
import {
  type Description,
  type DescriptionMember,
  type DescriptionParts,
  mergeDescriptions,
  withDocs,
} from "../description.ts";

/**
 * Describes a route, or all routes of a group, for the OpenAPI document. It changes nothing else. Of several descriptions the
 * innermost has the last word; tags, parameters, responses and problems of all are put together.
 *
 * ```ts
 * group("/books", docs({ tags: ["Books"] }),
 *   GET("/{id}", docs({ summary: "Read a book", responses: { 200: { description: "The book.", schema: book } } }), read))
 * ```
 */
export function docs(description: Omit<Description, "open">): DescriptionMember;
/**
 * Gives a handler a description, so that a factory of handlers describes what it makes: the route needs no `docs(…)`, whose
 * words would count for more.
 *
 * ```ts
 * const counter = (): Handler<unknown> => docs({ summary: "Count" }, () => json(next()));
 * ```
 *
 * @template H the type of the handler
 * @param description or what makes it of the whole path of a route, `/api/books/{id}`, when a document asks for it; called once for
 *   each path
 * @returns the handler itself
 */
export function docs<H extends (...args: never[]) => unknown>(
  description: DescriptionParts | ((template: string) => DescriptionParts),
  handler: H,
): H;
export function docs(
  description: DescriptionParts | ((template: string) => DescriptionParts),
  handler?: object,
): object {
  if (handler !== undefined) return withDocs(handler, onEachPath(description));
  requireOptions("docs({ … })", description, knownMembers);
  return { kind: "docs", description: comparedBy(compileAnswerCheck, description as Description) }; // as the overload says
}

// A record, so that none is forgotten here.
const knownMembers: requireOptions.Types<Omit<Description, "open">> = {
  summary: undefined,
  description: undefined,
  tags: undefined,
  deprecated: undefined,
  operationId: undefined,
  variables: undefined,
  query: undefined,
  headers: undefined,
  content: undefined,
  responses: undefined,
  problems: undefined,
  responseHeaders: undefined,
  problemTypes: undefined,
};

/** Returns what makes the description of a path, once. */
function onEachPath(
  description: DescriptionParts | ((template: string) => DescriptionParts),
): (template: string) => Description {
  const made = new Map<string, Description>();
  return (template) => {
    const known = made.get(template);
    if (known !== undefined) return known;
    const parts = typeof description === "function" ? description(template) : description;
    const merged = Array.isArray(parts) ? mergeDescriptions(parts) : (parts as Description); // or an array of them
    const compared = comparedBy(compileAnswerCheck, merged);
    made.set(template, compared);
    return compared;
  };
}
