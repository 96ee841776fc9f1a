export {
  type ContentDescription,
  type Description,
  docs,
  docsOfFilter,
  documented,
  type FilterDescription,
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
export type {
  HeaderObject,
  MediaTypeObject,
  OpenApiDocument,
  OperationObject,
  ParameterObject,
  PathItemObject,
  ReferenceObject,
  RequestBodyObject,
  ResponseObject,
  SecurityRequirementObject,
  SecuritySchemeObject,
} from "./document.ts";
export { type OpenApiOptions, openApi, type SecurityOptions } from "./open-api.ts";
export { inOpenApi32 } from "./version.ts";
