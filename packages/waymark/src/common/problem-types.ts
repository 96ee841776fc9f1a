/**
 * Every kind of problem that waymark answers with. Each is a value by itself, so that a bundler leaves out those that a program does
 * not use.
 *
 * @module
 */

import type { ProblemType } from "./problem-document.ts";

/** 400: Malformed request target. */
export const malformedTarget: ProblemType = {
  code: "malformed-target",
  status: 400,
  title: "Malformed request target",
  explanation:
    "The path or query breaks RFC 3986: a broken percent escape, bytes that are not UTF-8, a dot segment, a backslash, a fragment or a control character.",
};
/** 400: Malformed content. */
export const malformedContent: ProblemType = {
  code: "malformed-content",
  status: 400,
  title: "Malformed content",
  explanation:
    "The content is not what its Content-Type or Content-Encoding says. `detail` names the first fault, with line and column where possible.",
};
/** 400: Invalid content. */
export const invalidContent: ProblemType = {
  code: "invalid-content",
  status: 400,
  title: "Invalid content",
  explanation:
    "The content was read, but breaks rules of the resource. `errors` lists every such member with a JSON Pointer.",
};
/** 400: Invalid parameters. */
export const invalidParameters: ProblemType = {
  code: "invalid-parameters",
  status: 400,
  title: "Invalid parameters",
  explanation:
    "A query parameter, a path variable or a header field is missing, unknown, given twice or has a wrong value. `errors` names each of them and what would be right. Or there are more than 256 query parameters.",
};
/** 400: Ambiguous credentials. */
export const ambiguousCredentials: ProblemType = {
  code: "ambiguous-credentials",
  status: 400,
  title: "Ambiguous credentials",
  explanation: "The request has more than one Authorization field. Send one, with one kind of credentials.",
};
/** 403: Forbidden. */
export const forbidden: ProblemType = {
  code: "forbidden",
  status: 403,
  title: "Forbidden",
  explanation:
    "The credentials are valid, but do not allow this request. `WWW-Authenticate` may name the scope that would.",
};
/** 403: Cross-Site Request. */
export const crossSiteRequest: ProblemType = {
  code: "cross-site-request",
  status: 403,
  title: "Cross-Site Request",
  explanation:
    "A page of another site had a browser send this request, which changes something. Send it from a page of the service, or from an origin that CORS allows.",
};
/** 404: Not Found. */
export const notFound: ProblemType = {
  code: "not-found",
  status: 404,
  title: "Not Found",
  explanation: "Nothing is served at this path, or not under the conditions of this request.",
};
/** 405: Method Not Allowed. */
export const methodNotAllowed: ProblemType = {
  code: "method-not-allowed",
  status: 405,
  title: "Method Not Allowed",
  explanation: "The path exists, but not for this method. `Allow` lists its methods.",
};
/** 406: Not Acceptable. */
export const notAcceptable: ProblemType = {
  code: "not-acceptable",
  status: 406,
  title: "Not Acceptable",
  explanation:
    "`Accept` names no media type that the resource can produce, or `Accept-Encoding` excludes every content coding. `available` lists them.",
};
/** 413: Content Too Large. */
export const contentTooLarge: ProblemType = {
  code: "content-too-large",
  status: 413,
  title: "Content Too Large",
  explanation: "The content is longer than the service accepts. `limit` is the maximum in bytes.",
};
/** 413: Content Expands Too Far. */
export const contentExpandsTooFar: ProblemType = {
  code: "content-expands-too-far",
  status: 413,
  title: "Content Expands Too Far",
  explanation:
    "Decoding makes the content more than `limit` times as long. Send less at a time, or without a content coding.",
};
/** 415: Unsupported Media Type. */
export const unsupportedMediaType: ProblemType = {
  code: "unsupported-media-type",
  status: 415,
  title: "Unsupported Media Type",
  explanation:
    "The Content-Type is missing, malformed, or not one that the resource reads. `Accept` and `supported` list those it reads.",
};
/** 415: Unsupported Content Coding. */
export const unsupportedContentCoding: ProblemType = {
  code: "unsupported-content-coding",
  status: 415,
  title: "Unsupported Content Coding",
  explanation:
    "The service does not read this Content-Encoding, or there are several. `Accept-Encoding` lists the codings it reads.",
};
/** 417: Expectation Failed. */
export const expectationFailed: ProblemType = {
  code: "expectation-failed",
  status: 417,
  title: "Expectation Failed",
  explanation: "The service supports only the expectation `100-continue`.",
};
/** 429: Too Many Requests. */
export const quotaExceeded: ProblemType = {
  code: "quota-exceeded",
  status: 429,
  title: "Too Many Requests",
  explanation:
    "The client has used up its quota of requests. `violated-policies` names the policy. Try again after the seconds in `Retry-After`.",
};
/** 429: Too Many Attempts. */
export const tooManyAttempts: ProblemType = {
  code: "too-many-attempts",
  status: 429,
  title: "Too Many Attempts",
  explanation: "The client has sent too many bad credentials. Try again after the seconds in `Retry-After`.",
};
/** 500: Internal Server Error. */
export const internalError: ProblemType = {
  code: "internal-error",
  status: 500,
  title: "Internal Server Error",
  explanation: "The service failed. Its log has the details.",
};
/** 501: Not Implemented. */
export const notImplemented: ProblemType = {
  code: "not-implemented",
  status: 501,
  title: "Not Implemented",
  explanation: "The service does not know this method.",
};
/** 503: Service Unavailable. */
export const serviceUnavailable: ProblemType = {
  code: "service-unavailable",
  status: 503,
  title: "Service Unavailable",
  explanation:
    "The service is overloaded, about to stop, or lacks something it needs. Nothing was done. Try again after the seconds in `Retry-After`.",
};
/** 503: Access Undecided. */
export const accessUndecided: ProblemType = {
  code: "access-undecided",
  status: 503,
  title: "Access Undecided",
  explanation: "The service cannot check the credentials at the moment. Try again after the seconds in `Retry-After`.",
};
