export { type Attribute, attribute } from "./attribute.ts";
export { accept, and, type Condition, contentType, header, method, not, or, path, query, test } from "./condition.ts";
export type { DeclarationSite } from "./declaration-site.ts";
export { type Decoder, decodeUtf8, MalformedContent } from "./decoder.ts";
export type { Explanation, ExplanationFailure, ExplanationStep } from "./explain.ts";
export {
  type AfterFilter,
  type AroundFilter,
  type Awaitable,
  after,
  around,
  type BeforeFilter,
  before,
  type ErrorClause,
  type ErrorType,
  type Filter,
  type Next,
  onError,
} from "./filter.ts";
export type { Finding } from "./finding.ts";
export { type HeaderFields, HeaderList } from "./header-list.ts";
export { HttpError } from "./http-error.ts";
export { jsonDecoder } from "./json-decoder.ts";
export type { MediaType } from "./media-type.ts";
export { type Mistake, RoutingMistakes } from "./mistake.ts";
export type { NoVariables, PathVariables, Variables } from "./path-pattern.ts";
export { type ProblemDetails, type ProblemError, problem } from "./problem.ts";
export { type ProblemName, type ProblemType, problemTypes } from "./problem-types.ts";
export { type Exchange, HttpRequest, type Query, type RequestInit } from "./request.ts";
export {
  bufferedSource,
  type ContentSettings,
  type ContentSource,
  contentTooLarge,
  type ReadOptions,
  RequestContent,
  type Validator,
} from "./request-content.ts";
export {
  content,
  created,
  empty,
  HttpResponse,
  json,
  noContent,
  notFound,
  ok,
  type ResponseBody,
  redirect,
  text,
} from "./response.ts";
export {
  DELETE,
  GET,
  group,
  type Handler,
  HEAD,
  type Member,
  OPTIONS,
  PATCH,
  POST,
  PUT,
  QUERY,
  type Route,
  type RouteFunction,
  route,
  routes,
} from "./route.ts";
export type { RouteSummary } from "./route-summary.ts";
export { type App, type RouterOptions, router } from "./router.ts";
export { type StandardSchemaV1, toPointer, type ValidationIssue, type ValidationResult } from "./standard-schema.ts";
export { positionAt, type TextPosition } from "./text-position.ts";
