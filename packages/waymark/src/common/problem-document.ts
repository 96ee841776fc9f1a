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
