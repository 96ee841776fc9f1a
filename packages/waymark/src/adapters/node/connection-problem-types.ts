import type { ProblemType } from "../../problem-types.ts";

/** The kinds of problem that `waymark/node` answers with before there is a request that the app could answer. */
export const connectionProblemTypes: Readonly<
  Record<"malformedMessage" | "requestTimeout" | "headTooLarge" | "versionNotSupported", ProblemType>
> = {
  malformedMessage: {
    code: "malformed-message",
    status: 400,
    title: "Malformed message",
    explanation:
      "The bytes on the connection are not a message of HTTP/1.1 (RFC 9112), or one whose framing is in doubt. The connection is closed.",
  },
  requestTimeout: {
    code: "request-timeout",
    status: 408,
    title: "Request Timeout",
    explanation: "The request did not arrive in time, its head or its content. The connection is closed.",
  },
  headTooLarge: {
    code: "head-too-large",
    status: 431,
    title: "Request Header Fields Too Large",
    explanation: "The request line and the header fields are together longer than the service accepts.",
  },
  versionNotSupported: {
    code: "version-not-supported",
    status: 505,
    title: "HTTP Version Not Supported",
    explanation: "The service speaks HTTP/1.1 and HTTP/1.0.",
  },
};
