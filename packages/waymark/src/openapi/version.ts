import type { OpenApiDocument, PathItemObject } from "./document.ts";

/** Is `openApi.in32`. */
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
