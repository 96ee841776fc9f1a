/** One wrong place (RFC 9457 §3, the `errors` extension of its example). */
export interface ProblemError {
  readonly detail: string;
  /** A JSON Pointer as a URI fragment, `#/address/postalCode`; `#` is the whole content. */
  readonly pointer?: string;
  /** The query parameter, path variable or header field that is wrong. */
  readonly parameter?: string;
  /** Where the parameter is. Default: in the query. */
  readonly in?: "query" | "path" | "header";
  /** The kind of fault, for programs: the detail may change, and this does not. */
  readonly code?: string;
  /** What was found there, where the code needs it to be said in other words. */
  readonly found?: string | number | boolean;
}

/** A problem document with its extensions (RFC 9457 §3). */
export interface ProblemDocument {
  /** A URI reference; from a root path where the problem is one of this app. */
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  readonly instance?: string;
  readonly errors?: readonly ProblemError[];
  readonly [extension: string]: unknown;
}

/** Describes a kind of problem: what is the same for every occurrence (RFC 9457 §3.1). */
export interface ProblemType {
  /** The stable name; the `type` of the problem is `/problems/` and this. */
  readonly code: string;
  readonly status: number;
  readonly title: string;
  /** What it means and what would be right, for the page of the `type`. */
  readonly explanation: string;
}

/** Names a problem type of `problemTypes`. */
export type ProblemName =
  | "malformedTarget"
  | "malformedContent"
  | "invalidContent"
  | "invalidParameters"
  | "ambiguousCredentials"
  | "forbidden"
  | "crossSiteRequest"
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

/** Lists every kind of problem that waymark answers with, by its name in code. */
export const problemTypes: Readonly<Record<ProblemName, ProblemType>> = {
  malformedTarget: {
    code: "malformed-target",
    status: 400,
    title: "Malformed request target",
    explanation:
      "The path or query breaks RFC 3986: a broken percent escape, bytes that are not UTF-8, a dot segment, a backslash, a fragment or a control character.",
  },
  malformedContent: {
    code: "malformed-content",
    status: 400,
    title: "Malformed content",
    explanation:
      "The content is not what its Content-Type or Content-Encoding says. `detail` names the first fault, with line and column where possible.",
  },
  invalidContent: {
    code: "invalid-content",
    status: 400,
    title: "Invalid content",
    explanation:
      "The content was read, but breaks rules of the resource. `errors` lists every such member with a JSON Pointer.",
  },
  invalidParameters: {
    code: "invalid-parameters",
    status: 400,
    title: "Invalid parameters",
    explanation:
      "A query parameter, a path variable or a header field is missing, unknown, given twice or has a wrong value. `errors` names each of them and what would be right. Or there are more than 256 query parameters.",
  },
  ambiguousCredentials: {
    code: "ambiguous-credentials",
    status: 400,
    title: "Ambiguous credentials",
    explanation: "The request has more than one Authorization field. Send one, with one kind of credentials.",
  },
  forbidden: {
    code: "forbidden",
    status: 403,
    title: "Forbidden",
    explanation:
      "The credentials are valid, but do not allow this request. `WWW-Authenticate` may name the scope that would.",
  },
  crossSiteRequest: {
    code: "cross-site-request",
    status: 403,
    title: "Cross-Site Request",
    explanation:
      "A page of another site had a browser send this request, which changes something. Send it from a page of the service, or from an origin that CORS allows.",
  },
  notFound: {
    code: "not-found",
    status: 404,
    title: "Not Found",
    explanation: "Nothing is served at this path, or not under the conditions of this request.",
  },
  methodNotAllowed: {
    code: "method-not-allowed",
    status: 405,
    title: "Method Not Allowed",
    explanation: "The path exists, but not for this method. `Allow` lists its methods.",
  },
  notAcceptable: {
    code: "not-acceptable",
    status: 406,
    title: "Not Acceptable",
    explanation:
      "`Accept` names no media type that the resource can produce, or `Accept-Encoding` excludes every content coding. `available` lists them.",
  },
  contentTooLarge: {
    code: "content-too-large",
    status: 413,
    title: "Content Too Large",
    explanation: "The content is longer than the service accepts. `limit` is the maximum in bytes.",
  },
  contentExpandsTooFar: {
    code: "content-expands-too-far",
    status: 413,
    title: "Content Expands Too Far",
    explanation:
      "Decoding makes the content more than `limit` times as long. Send less at a time, or without a content coding.",
  },
  unsupportedMediaType: {
    code: "unsupported-media-type",
    status: 415,
    title: "Unsupported Media Type",
    explanation:
      "The Content-Type is missing, malformed, or not one that the resource reads. `Accept` and `supported` list those it reads.",
  },
  unsupportedContentCoding: {
    code: "unsupported-content-coding",
    status: 415,
    title: "Unsupported Content Coding",
    explanation:
      "The service does not read this Content-Encoding, or there are several. `Accept-Encoding` lists the codings it reads.",
  },
  expectationFailed: {
    code: "expectation-failed",
    status: 417,
    title: "Expectation Failed",
    explanation: "The service supports only the expectation `100-continue`.",
  },
  quotaExceeded: {
    code: "quota-exceeded",
    status: 429,
    title: "Too Many Requests",
    explanation:
      "The client has used up its quota of requests. `violated-policies` names the policy. Try again after the seconds in `Retry-After`.",
  },
  tooManyAttempts: {
    code: "too-many-attempts",
    status: 429,
    title: "Too Many Attempts",
    explanation: "The client has sent too many bad credentials. Try again after the seconds in `Retry-After`.",
  },
  internalError: {
    code: "internal-error",
    status: 500,
    title: "Internal Server Error",
    explanation: "The service failed. Its log has the details.",
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
      "The service is overloaded, about to stop, or lacks something it needs. Nothing was done. Try again after the seconds in `Retry-After`.",
  },
  accessUndecided: {
    code: "access-undecided",
    status: 503,
    title: "Access Undecided",
    explanation:
      "The service cannot check the credentials at the moment. Try again after the seconds in `Retry-After`.",
  },
};
