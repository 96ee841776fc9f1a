/** A kind of problem: what stays the same each time it occurs (RFC 9457 §3.1). */
export interface ProblemType {
  /** The stable name; the problem's `type` is `/problems/` and this. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** What it means and what would be right, for the page the `type` leads to. */
  readonly explanation: string;
}

export type ProblemName =
  | "malformedTarget"
  | "malformedContent"
  | "invalidContent"
  | "ambiguousCredentials"
  | "forbidden"
  | "notFound"
  | "methodNotAllowed"
  | "notAcceptable"
  | "contentTooLarge"
  | "contentExpandsTooFar"
  | "unsupportedMediaType"
  | "unsupportedContentCoding"
  | "expectationFailed"
  | "quotaExceeded"
  | "tooManyAttempts"
  | "internalError"
  | "notImplemented"
  | "serviceUnavailable"
  | "accessUndecided";

/** Every kind of problem that waymark itself answers with, by the name it has in code. */
export const problemTypes: Readonly<Record<ProblemName, ProblemType>> = {
  malformedTarget: {
    code: "malformed-target",
    status: 400,
    title: "Malformed request target",
    explanation:
      "The path or query is not one that RFC 3986 allows: a broken percent escape, bytes that are not UTF-8, a dot segment, a backslash, a fragment or a control character.",
  },
  malformedContent: {
    code: "malformed-content",
    status: 400,
    title: "Malformed content",
    explanation:
      "The content of the request could not be read as its Content-Type and its Content-Encoding say. The detail gives the first fault, with line and column where it has them.",
  },
  invalidContent: {
    code: "invalid-content",
    status: 400,
    title: "Invalid content",
    explanation:
      "The content was read, but breaks the rules of the resource. `errors` lists every member that does, each with a JSON Pointer.",
  },
  ambiguousCredentials: {
    code: "ambiguous-credentials",
    status: 400,
    title: "Ambiguous credentials",
    explanation: "The request has more than one Authorization. Send one, with one kind of credentials.",
  },
  forbidden: {
    code: "forbidden",
    status: 403,
    title: "Forbidden",
    explanation:
      "The credentials are good, and do not allow this, whether or not there is something at the path. `WWW-Authenticate` may name the scope that would.",
  },
  notFound: {
    code: "not-found",
    status: 404,
    title: "Not Found",
    explanation: "Nothing is served at this path, or not under the conditions that the request meets.",
  },
  methodNotAllowed: {
    code: "method-not-allowed",
    status: 405,
    title: "Method Not Allowed",
    explanation: "The path exists, the method does not apply to it. `Allow` lists those that do.",
  },
  notAcceptable: {
    code: "not-acceptable",
    status: 406,
    title: "Not Acceptable",
    explanation:
      "`Accept` names no media type that the resource can produce, or `Accept-Encoding` excludes every content coding. `available` lists what there is.",
  },
  contentTooLarge: {
    code: "content-too-large",
    status: 413,
    title: "Content Too Large",
    explanation: "The content is longer than the service accepts. `limit` is the bound in bytes.",
  },
  contentExpandsTooFar: {
    code: "content-expands-too-far",
    status: 413,
    title: "Content Expands Too Far",
    explanation:
      "The content has a Content-Encoding, and becomes more than `limit` times as long when it is decoded. Send less of it at a time, or without the coding.",
  },
  unsupportedMediaType: {
    code: "unsupported-media-type",
    status: 415,
    title: "Unsupported Media Type",
    explanation:
      "The content's type is missing, malformed, or not one that the resource reads. `Accept` and `supported` list those it does.",
  },
  unsupportedContentCoding: {
    code: "unsupported-content-coding",
    status: 415,
    title: "Unsupported Content Coding",
    explanation:
      "The content is encoded (Content-Encoding) in a way that the service does not read, or more than once. `Accept-Encoding` lists the codings it does.",
  },
  expectationFailed: {
    code: "expectation-failed",
    status: 417,
    title: "Expectation Failed",
    explanation: "The only expectation that the service knows is `100-continue`.",
  },
  quotaExceeded: {
    code: "quota-exceeded",
    status: 429,
    title: "Too Many Requests",
    explanation:
      "The client has sent more requests than it is granted in a time. `violated-policies` names the policy, which `RateLimit-Policy` tells; there are requests left again after the seconds in `Retry-After`.",
  },
  tooManyAttempts: {
    code: "too-many-attempts",
    status: 429,
    title: "Too Many Attempts",
    explanation: "Too many bad credentials came from this client. `Retry-After` says in how many seconds to try again.",
  },
  internalError: {
    code: "internal-error",
    status: 500,
    title: "Internal Server Error",
    explanation: "The service failed. The fault is in its log; nothing about it is told here.",
  },
  notImplemented: {
    code: "not-implemented",
    status: 501,
    title: "Not Implemented",
    explanation: "The service does not know this method.",
  },
  serviceUnavailable: {
    code: "service-unavailable",
    status: 503,
    title: "Service Unavailable",
    explanation:
      "The service has as much to do as it can bear, is about to stop, or lacks what it needs, and nothing was done. The same request may succeed after the seconds in `Retry-After`.",
  },
  accessUndecided: {
    code: "access-undecided",
    status: 503,
    title: "Access Undecided",
    explanation:
      "Whether the credentials are good cannot be found out at the moment. `Retry-After` says in how many seconds to try again.",
  },
};
