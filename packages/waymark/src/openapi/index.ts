export {
  type ContentDescription,
  type DescribedFilter,
  type Description,
  type DescriptionMember,
  type DescriptionParts,
  docs,
  docsOf,
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
export { toClient } from "./client/client.ts";
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
export { inOneMediaType } from "./one-media-type.ts";
export { type OpenApiOptions, openApi, type SecurityOptions } from "./open-api.ts";
export { inOpenApi32 } from "./version.ts";
