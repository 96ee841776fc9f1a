import type { MediaTypeObject, ParameterObject, RequestBodyObject, ResponseObject } from "./document.ts";
import { withoutEmpty } from "./problems.ts";

/** Returns the name of a parameter with its place: names of fields have no case. */
export const parameterKey = ({ in: place, name }: Pick<ParameterObject, "in" | "name">): string =>
  `${place} ${place === "header" ? name.toLowerCase() : name}`;

/** Merges the parameters of several routes; a parameter is required where every one of them requires it. */
export function mergeParameters(lists: readonly (readonly ParameterObject[])[]): readonly ParameterObject[] {
  return [...Map.groupBy(lists.flat(), parameterKey)].map(([key, found]) => {
    // What the first says has the last word; groupBy makes no empty group.
    const all: ParameterObject = Object.assign({}, ...found.toReversed());
    const { required: _, ...optional } = all;
    const schemas = [...new Map(found.map(({ schema }) => [JSON.stringify(schema), schema])).values()];
    const isRequired = lists.every((list) => list.some((each) => parameterKey(each) === key && each.required));
    return { ...(isRequired ? all : optional), schema: schemas.length === 1 ? all.schema : { anyOf: schemas } };
  });
}

/** Merges the content that several routes read; it is required where every one of them requires it. */
export function mergeBodies(bodies: readonly (RequestBodyObject | undefined)[]): RequestBodyObject | undefined {
  const found = bodies.filter((body) => body !== undefined);
  const [first] = found;
  if (first === undefined) return undefined;
  return {
    ...(first.description !== undefined && { description: first.description }),
    required: found.length === bodies.length && found.every(({ required }) => required),
    content: mergeContents(found.map(({ content }) => content)),
  };
}

type Contents = Readonly<Record<string, MediaTypeObject>>;

function mergeContents(contents: readonly Contents[]): Contents {
  const merged: Record<string, MediaTypeObject> = {};
  for (const [type, media] of contents.flatMap((content) => Object.entries(content))) {
    const { schema } = merged[type] ?? media;
    const isSame = JSON.stringify(schema) === JSON.stringify(media.schema);
    merged[type] = isSame
      ? { ...merged[type], ...media }
      : { ...media, ...merged[type], schema: { anyOf: [schema, media.schema] } };
  }
  return merged;
}

/** Merges two responses with one status. */
export function mergeResponses(one: ResponseObject, other: ResponseObject): ResponseObject {
  const descriptions = new Set([one.description, other.description]);
  const isOptional = (response: ResponseObject): boolean =>
    response.content === undefined || response["x-content-optional"] === true;
  const content = mergeContents([one.content ?? {}, other.content ?? {}]);
  return withoutEmpty<ResponseObject>({
    description: [...descriptions].join("\n\n"),
    headers: { ...one.headers, ...other.headers },
    content,
    ...((isOptional(one) || isOptional(other)) &&
      Object.keys(content).length > 0 && { "x-content-optional": true as const }),
  });
}
