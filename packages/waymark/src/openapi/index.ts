export { type Description, docs, documented, type JsonSchema, namedSchema, type Schema } from "../description.ts";
export type { OpenApiDocument } from "./document.ts";
export { openApi, type SecurityOptions } from "./open-api.ts";
export { inOpenApi32 } from "./version.ts";
