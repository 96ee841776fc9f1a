export { type Description, type JsonSchema, namedSchema, type Schema } from "../description.ts";
export { docs } from "../groups/docs.ts";
export type { OpenApiDocument } from "./document.ts";
export { openApi } from "./open-api.ts";
