import type { OpenApiDocument, PathItemObject } from "./document.ts";

/**
 * Returns a document of `openApi` as one of OpenAPI 3.2, which has a word for QUERY and for methods beyond HTTP's own.
 *
 * ```ts
 * inOpenApi32(document).paths["/search"]?.["query"];
 * ```
 */
export function inOpenApi32(document: OpenApiDocument): OpenApiDocument {
  const paths = Object.entries(document.paths).map(([path, item]) => [path, withQuery(item)] as const);
  return { ...document, openapi: "3.2.0", paths: Object.fromEntries(paths) };
}

function withQuery({ "x-operations": further = {}, ...item }: PathItemObject): PathItemObject {
  const { QUERY: query, ...others } = further as PathItemObject; // the operations by the names of their methods
  return {
    ...item,
    ...(query && { query }),
    ...(Object.keys(others).length > 0 && { additionalOperations: others as PathItemObject[string] }),
  };
}
