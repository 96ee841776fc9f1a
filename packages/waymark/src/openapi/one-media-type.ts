import type {
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  PathItemObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
} from "./document.ts";

type Contents = Readonly<Record<string, MediaTypeObject>>;

/**
 * Returns the document of an app for clients that use one media type: content that there is in this type is in no other, and the
 * types that are generated of it are no unions. Problems stay in JSON.
 *
 * ```ts
 * const forClients = inOneMediaType(document, "application/json");
 * ```
 *
 * @returns undefined where no content of an operation has the type
 */
export function inOneMediaType(document: OpenApiDocument, mediaType: string): OpenApiDocument | undefined {
  let isUsed = false;
  const narrowed = (content: Contents): Contents => {
    const type = [mediaType, "application/problem+json"].find((each) => each in content);
    const media = content[type ?? ""];
    if (type === mediaType) isUsed = true;
    return type === undefined || media === undefined ? content : { [type]: media };
  };
  const withContent = <T extends { readonly content?: Contents } | ReferenceObject>(value: T): T =>
    "content" in value && value.content !== undefined ? { ...value, content: narrowed(value.content) } : value;
  const operation = (each: OperationObject): OperationObject => ({
    ...each,
    ...(each.requestBody && { requestBody: withContent<RequestBodyObject>(each.requestBody) }),
    responses: mapValues(each.responses, withContent<ResponseObject | ReferenceObject>),
  });
  const item = (each: PathItemObject): PathItemObject =>
    Object.fromEntries(
      Object.entries(each).map(([name, value]) => [
        name,
        // The operations of methods that OpenAPI does not know are one further in.
        name === "x-operations" || name === "additionalOperations"
          ? mapValues(value as PathItemObject, (inner) => operation(inner as OperationObject))
          : operation(value as OperationObject),
      ]),
    );
  const { responses } = document.components;
  const made: OpenApiDocument = {
    ...document,
    paths: mapValues(document.paths, item),
    components: {
      ...document.components,
      responses: mapValues(responses, (each) => withContent(each as ResponseObject)),
    },
  };
  return isUsed ? made : undefined;
}

const mapValues = <T, R>(record: Readonly<Record<string, T>>, map: (value: T) => R): Record<string, R> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]));
