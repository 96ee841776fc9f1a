export {
  type ContentDescription,
  type Description,
  type DescriptionMember,
  describe,
  described,
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
  OpenApiDocument,
  Operation,
  PathItem,
  Reference,
  SecurityRequirement,
  SecurityScheme,
} from "./document.ts";
export { type OpenApiOptions, openApi, type SecurityOptions } from "./open-api.ts";
