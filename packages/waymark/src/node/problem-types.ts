import type { ProblemType } from "../problem-types.ts";

/** The kinds of problem that `waymark/node` answers with before there is a request that the app could answer. */
export const connectionProblemTypes: Readonly<
  Record<
    | "malformedMessage"
    | "requestTimeout"
    | "longTarget"
    | "headTooLarge"
    | "transferCodingUnknown"
    | "upgradeRequired"
    | "versionNotSupported",
    ProblemType
  >
> = {
  malformedMessage: {
    code: "malformed-message",
    status: 400,
    title: "Malformed message",
    explanation:
      "The bytes on the connection are not a message of HTTP/1.1 (RFC 9112), or one that can be read in two ways: a Host that is none, a field line that must not be repeated. The connection is closed where the next message is in doubt.",
  },
  requestTimeout: {
    code: "request-timeout",
    status: 408,
    title: "Request Timeout",
    explanation: "The request did not arrive in time, its head or its content. The connection is closed.",
  },
  longTarget: {
    code: "target-too-long",
    status: 414,
    title: "URI Too Long",
    explanation: "The request target, path and query, is longer than the service accepts.",
  },
  upgradeRequired: {
    code: "upgrade-required",
    status: 426,
    title: "Upgrade Required",
    explanation:
      "The resource speaks another protocol, which the field Upgrade of the answer names: the request must ask for it, by Connection and Upgrade, over HTTP/1.1.",
  },
  headTooLarge: {
    code: "head-too-large",
    status: 431,
    title: "Request Header Fields Too Large",
    explanation: "The header fields are more than the service accepts, or together longer.",
  },
  transferCodingUnknown: {
    code: "transfer-coding-unknown",
    status: 501,
    title: "Transfer Coding Not Implemented",
    explanation: "The only Transfer-Encoding that the service reads is chunked. The connection is closed.",
  },
  versionNotSupported: {
    code: "version-not-supported",
    status: 505,
    title: "HTTP Version Not Supported",
    explanation: "The service speaks HTTP/1.1 and HTTP/1.0.",
  },
};
