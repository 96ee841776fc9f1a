export { type Description, docs, type JsonSchema, namedSchema, type Schema } from "../description.ts";
export type { OpenApiDocument } from "./document.ts";
export { openApi } from "./open-api.ts";
