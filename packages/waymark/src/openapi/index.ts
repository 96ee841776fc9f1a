export type {
  Header,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  PathItem,
  Reference,
  RequestBody,
  Response,
  SecurityRequirement,
  SecurityScheme,
} from "./document.ts";
export { inOneMediaType } from "./one-media-type.ts";
export { type OpenApiOptions, openApi, type SecurityOptions } from "./open-api.ts";
