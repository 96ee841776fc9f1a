export {
  type Description,
  docs,
  documented,
  type HeaderDescription,
  type JsonSchema,
  type MediaTypeDescription,
  type NamedSchema,
  namedSchema,
  type ParameterDescription,
  type ResponseDescription,
  type Schema,
  type StandardJsonSchema,
} from "../description.ts";
export type { OpenApiDocument, OperationObject, ResponseObject } from "./document.ts";
export { openApi, type SecurityOptions } from "./open-api.ts";
export { inOpenApi32 } from "./version.ts";
