export { type Attribute, attribute } from "./attribute.ts";
export type { Client } from "./client.ts";
export { accept, and, type Condition, contentType, header, method, not, or, path, query, test } from "./condition.ts";
export type { ContentCoding, Encoder, Extent } from "./content-coding.ts";
export type { DeclarationSite } from "./declaration-site.ts";
export { type Decoder, decodeUtf8, MalformedContent } from "./decoder.ts";
export { type ContentReader, chooseDecoder, type DecoderChoice } from "./decoder-choice.ts";
export type { EventLoopTurn } from "./event-loop-turn.ts";
export { excerpt } from "./excerpt.ts";
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
  type MethodsOf,
  type Next,
  onError,
  type WebFilter,
} from "./filter.ts";
export { type AccessDecision, access, type Caller, caller } from "./filters/access.ts";
export type { OriginTest } from "./filters/allowed-origins.ts";
export { clientKey } from "./filters/client-key.ts";
export { type CompressOptions, compress } from "./filters/compress.ts";
export { isCompressible } from "./filters/compressible.ts";
export { cors } from "./filters/cors.ts";
export { CorsMistakes, type CorsPolicy, corsDefaults } from "./filters/cors-policy.ts";
export { describeProblems } from "./filters/describe-problems.ts";
export { noStoreErrors } from "./filters/no-store-errors.ts";
export { type OverloadOptions, overload } from "./filters/overload.ts";
export { publicUrl, toPublicUrl } from "./filters/public-url.ts";
export { type RateLimitOptions, rateLimit } from "./filters/rate-limit.ts";
export {
  type Allowance,
  type MemoryRateLimiterOptions,
  memoryRateLimiter,
  type RateLimiter,
} from "./filters/rate-limiter.ts";
export { nameRequests, requestId } from "./filters/request-id.ts";
export { type SecurityHeadersOptions, securityHeaders } from "./filters/security-headers.ts";
export type { Finding } from "./finding.ts";
export { type HeaderFields, HeaderList } from "./header-list.ts";
export { formatHttpDate, parseHttpDate } from "./http-date.ts";
export { HttpError } from "./http-error.ts";
export { jsonDecoder } from "./json-decoder.ts";
export { type MediaType, parseMediaType } from "./media-type.ts";
export { type Mistake, RoutingMistakes } from "./mistake.ts";
export { negotiate } from "./negotiate.ts";
export { pathMatcher } from "./path-matcher.ts";
export { PatternMistake } from "./path-template.ts";
export type { NoVariables, PathVariables, Variables } from "./path-variables.ts";
export { evaluatePreconditions, notModified, type Validators, type Verdict } from "./preconditions.ts";
export { parsePrefer } from "./prefer.ts";
export { type ProblemDetails, type ProblemError, problem } from "./problem.ts";
export { type ProblemName, type ProblemType, problemTypes } from "./problem-types.ts";
export { isRefusedMessage, type Malformed } from "./refused.ts";
export { type Exchange, HttpRequest, type HttpRequestInit, type Query } from "./request.ts";
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
export { listRoutes } from "./route-listing.ts";
export type { RouteSummary } from "./route-summary.ts";
export { type App, type RouterOptions, router } from "./router.ts";
export { type StandardSchemaV1, toPointer, type ValidationIssue, type ValidationResult } from "./standard-schema.ts";
export { parseStrictJson, type StrictJsonOptions } from "./strict-json.ts";
export { positionAt, type TextPosition } from "./text-position.ts";
