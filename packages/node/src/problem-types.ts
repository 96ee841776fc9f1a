import type { ProblemType } from "waymark";

/** The kinds of problem that `@waymark/node` answers with: before there is a request for the app, or for want of memory for its content. */
export const connectionProblemTypes: Readonly<
  Record<
    | "malformedMessage"
    | "requestTimeout"
    | "longTarget"
    | "headTooLarge"
    | "transferCodingUnknown"
    | "contentBusy"
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
      "The bytes are not an HTTP/1.1 message (RFC 9112), or can be read in two ways. If the next message is in doubt, the connection is closed.",
  },
  requestTimeout: {
    code: "request-timeout",
    status: 408,
    title: "Request Timeout",
    explanation: "The head or the content of the request did not arrive in time. The connection is closed.",
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
      "The resource uses another protocol, which `Upgrade` names. Request it with Connection and Upgrade, over HTTP/1.1.",
  },
  headTooLarge: {
    code: "head-too-large",
    status: 431,
    title: "Request Header Fields Too Large",
    explanation: "There are more header fields than the service accepts, or they are too long together.",
  },
  transferCodingUnknown: {
    code: "transfer-coding-unknown",
    status: 501,
    title: "Transfer Coding Not Implemented",
    explanation: "The service reads only the Transfer-Encoding `chunked`. The connection is closed.",
  },
  contentBusy: {
    code: "content-busy",
    status: 503,
    title: "Content Busy",
    explanation:
      "The content of other requests fills the memory for it, or the share of this client, which did not send the rest of its own in time. Try again after the seconds in `Retry-After`.",
  },
  versionNotSupported: {
    code: "version-not-supported",
    status: 505,
    title: "HTTP Version Not Supported",
    explanation: "The service supports HTTP/1.1 and HTTP/1.0 on this connection.",
  },
};
