export type { App, Explanation, ExplanationFailure, ExplanationStep, Finding, RouteSummary } from "./app.ts";
export { accept, and, type Condition, contentType, header, method, not, or, path, query, test } from "./condition.ts";
export type { ContentCoding, Encoder, Extent } from "./content/coding.ts";
export {
  type ContentReader,
  chooseDecoder,
  type Decoder,
  type DecoderChoice,
  decodeUtf8,
  MalformedContent,
} from "./content/decoder.ts";
export { jsonDecoder, parseStrictJson, type StrictJsonOptions } from "./content/json.ts";
export {
  bufferedSource,
  type ContentSettings,
  type ContentSource,
  contentTooLarge,
  type ReadOptions,
  RequestContent,
  type Validator,
} from "./content/request-content.ts";
export {
  type StandardSchemaV1,
  toPointer,
  type ValidationIssue,
  type ValidationResult,
} from "./content/standard-schema.ts";
export type { DeclarationSite } from "./declaration.ts";
export type { Client, EventLoopTurn } from "./exchange.ts";
export { type Attribute, attribute } from "./exchange.ts";
export { negotiate } from "./fields/accept.ts";
export { type HeaderFields, HeaderList } from "./fields/header-list.ts";
export { formatHttpDate, parseHttpDate } from "./fields/http-date.ts";
export { type MediaType, parseMediaType } from "./fields/media-type.ts";
export { parsePrefer } from "./fields/syntax.ts";
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
  type MethodsOf,
  type Next,
  onError,
  type WebFilter,
} from "./filter.ts";
export { type AccessDecision, access, type Caller, caller } from "./filters/access.ts";
export { type CompressOptions, compress, isCompressible } from "./filters/compress.ts";
export { cors } from "./filters/cors.ts";
export type { OriginTest } from "./filters/cors-policy.ts";
export { CorsMistakes, type CorsPolicy, corsDefaults } from "./filters/cors-policy.ts";
export { describeProblems } from "./filters/describe-problems.ts";
export { type OverloadOptions, overload } from "./filters/overload.ts";
export { publicUrl, toPublicUrl } from "./filters/public-url.ts";
export {
  type Allowance,
  clientKey,
  type MemoryRateLimiterOptions,
  memoryRateLimiter,
  type RateLimiter,
  type RateLimitOptions,
  rateLimit,
} from "./filters/rate-limit.ts";
export { nameRequests, requestId } from "./filters/request-id.ts";
export { noStoreErrors, type SecurityHeadersOptions, securityHeaders } from "./filters/security-headers.ts";
export { escapeUnprintable, excerpt, positionAt, quote, type TextPosition } from "./message-text.ts";
export { mount } from "./mount.ts";
export type { NoVariables, PathVariables, Variables } from "./path/pattern.ts";
export { PatternMistake, pathMatcher } from "./path/template.ts";
export { evaluatePreconditions, notModified, type Validators, type Verdict } from "./preconditions.ts";
export { HttpError, type ProblemDetails, type ProblemError, problem } from "./problem.ts";
export { type ProblemName, type ProblemType, problemTypes } from "./problem-types.ts";
export { type Exchange, HttpRequest, type HttpRequestInit, type Query } from "./request.ts";
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
export { type RouterOptions, router } from "./router.ts";
export { listRoutes } from "./routing/explain.ts";
export { type Mistake, RoutingMistakes } from "./routing/mistake.ts";
export { isRefusedMessage, type Malformed } from "./routing/refusal.ts";
