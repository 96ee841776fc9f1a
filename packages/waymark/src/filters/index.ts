export type { RenewedField, RepeatedRequest, Repetition } from "../answer-recording.ts";
export { toPublicUrl } from "../base.ts";
export type { EventLoopTurn } from "../event-loop-turn.ts";
export { onRepeat } from "../repeatable.ts";
export { isRefusedMessage } from "../routing/refusal.ts";
export { type AccessDecision, access, type Caller, caller } from "./access.ts";
export { type CompressOptions, compress, isCompressible } from "./compress.ts";
export { cors } from "./cors.ts";
export { type CorsPolicy, CorsPolicyError, corsDefaults, type OriginTest } from "./cors-policy.ts";
export { type CrossSiteOptions, refuseCrossSite } from "./cross-site.ts";
export { describeProblems } from "./describe-problems.ts";
export { leaveInFlight, type OverloadOptions, overload, turnOf } from "./overload.ts";
export { publicUrl } from "./public-url.ts";
export {
  type Allowance,
  clientKey,
  type MemoryRateLimiterOptions,
  memoryRateLimiter,
  type RateLimiter,
  type RateLimitOptions,
  rateLimit,
} from "./rate-limit.ts";
export { nameRequests, requestId } from "./request-id.ts";
export { type RequestLogEntry, requestLog } from "./request-log.ts";
export { type RequestMetrics, requestMetrics } from "./request-metrics.ts";
export { noStoreErrors, type SecurityHeadersOptions, securityHeaders } from "./security-headers.ts";
