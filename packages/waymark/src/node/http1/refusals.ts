import { HttpError, problem } from "../../problem.ts";
import type { HttpResponse } from "../../response.ts";
import { refuseUnknownMethod } from "../../routing/refusal.ts";
import { expectationFailed, type HeadRefusal, noTunnel } from "../message-head.ts";
import { connectionProblemTypes } from "../problem-types.ts";

const {
  malformedMessage: malformed,
  versionNotSupported,
  transferCodingUnknown,
  requestTimeout,
} = connectionProblemTypes;

/** The refusal of bytes that are not a message of HTTP/1.1; nothing behind them can be trusted. */
export function malformedMessage(detail: string): HttpError {
  return new HttpError(problem(malformed, { detail }));
}

const closing = (response: HttpResponse): HeadRefusal => ({ response, closes: true });
const malformedFraming = (detail: string): HeadRefusal => closing(problem(malformed, { detail }));

/** The refusals of a message whose head can be read, and whose end, version or purpose is in doubt. */
export const refusals: Readonly<
  Record<
    "version" | "tunnel" | "expectation" | "length" | "lengthAndCoding" | "oldCoding" | "endlessCoding" | "coding",
    HeadRefusal
  >
> = {
  version: closing(problem(versionNotSupported)),
  tunnel: closing(noTunnel),
  expectation: closing(expectationFailed),
  length: malformedFraming("Content-Length must be one number of bytes."),
  lengthAndCoding: malformedFraming("The request has both Content-Length and Transfer-Encoding."),
  oldCoding: malformedFraming("The request has Transfer-Encoding, which HTTP/1.0 does not know."),
  endlessCoding: malformedFraming("The last coding of Transfer-Encoding, and only the last, must be chunked."),
  coding: closing(problem(transferCodingUnknown, { detail: "The only transfer coding that can be read is chunked." })),
};

/** The refusal of a method that HTTP does not have. */
export const refuseMethod = (method: string): HeadRefusal => closing(refuseUnknownMethod(method));

/** The answers to a message that does not arrive whole: in time, or before its client stops sending. */
export const incomplete: Readonly<Record<"late" | "ended", HttpResponse>> = {
  late: problem(requestTimeout),
  ended: problem(malformed, { detail: "The connection ended in the midst of a message." }),
};
