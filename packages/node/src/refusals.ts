import { HttpError, type HttpResponse, problem, problemTypes } from "waymark";
import { routerRefusals } from "waymark/internal";
import { connectionProblemTypes } from "./problem-types.ts";

/** The answer to a message that no app sees. */
export interface HeadRefusal {
  readonly response: HttpResponse;
  /** Whether it is in doubt where the next message begins, or for whom this one was meant: its connection is closed. */
  readonly closes: boolean;
}

const { malformedMessage: malformed, headTooLarge, longTarget, ...types } = connectionProblemTypes;

const closing = (response: HttpResponse): HeadRefusal => ({ response, closes: true });
const keeping = (response: HttpResponse): HeadRefusal => ({ response, closes: false });
const malformedHead = (detail: string): HeadRefusal => closing(problem(malformed, { detail }));

type HeadFault = "version" | "tunnel" | "expectation" | "noHost" | "host" | "asterisk";
type FramingFault = "length" | "lengthAndCoding" | "oldCoding" | "endlessCoding" | "coding";

/** The refusals of a message whose head can be read, and whose end, version, receiver or purpose is in doubt. */
export const refusals: Readonly<Record<HeadFault | FramingFault, HeadRefusal>> = {
  version: closing(problem(types.versionNotSupported)),
  tunnel: closing(problem(problemTypes.notImplemented, { detail: "CONNECT is not supported." })),
  expectation: closing(
    problem(problemTypes.expectationFailed, { detail: 'The only expectation that can be met is "100-continue".' }),
  ),
  noHost: malformedHead("The request has no Host line, which HTTP/1.1 requires."),
  host: malformedHead("Host must be a host and an optional port, as in example.org:8080."),
  length: malformedHead("Content-Length must be one number of bytes."),
  lengthAndCoding: malformedHead("The request has both Content-Length and Transfer-Encoding."),
  oldCoding: malformedHead("The request has Transfer-Encoding, which HTTP/1.0 does not know."),
  endlessCoding: malformedHead("The last coding of Transfer-Encoding, and only the last, must be chunked."),
  coding: closing(
    problem(types.transferCodingUnknown, { detail: "The only transfer coding that can be read is chunked." }),
  ),
  asterisk: keeping(problem(problemTypes.malformedTarget, { detail: 'The target "*" is only for OPTIONS.' })),
};

/** The answers to a message that does not arrive whole: in time, or before its client stops sending. */
export const incomplete: Readonly<Record<"late" | "ended", HttpResponse>> = {
  late: problem(types.requestTimeout),
  ended: problem(malformed, { detail: "The connection ended in the midst of a message." }),
};

/** Makes the refusal of content for which there is no memory. */
export function contentBusy(): HttpError {
  const detail = "There is no memory left for the content of more requests. Try again in 1 s.";
  return new HttpError(problem(types.contentBusy, { detail }).withHeader("Retry-After", "1"));
}

/** The refusal of bytes that are not a message of HTTP/1.1; nothing behind them can be trusted. */
export function malformedMessage(detail: string): HttpError {
  return new HttpError(problem(malformed, { detail }));
}

/** The refusal of a method that HTTP does not have. */
export const refuseMethod = (method: string): HeadRefusal => closing(routerRefusals.refuseUnknownMethod(method));

/** The refusal of a field that may occur once, and does not. */
export function refuseRepeated(name: string, isFraming: boolean): HeadRefusal {
  const response = problem(malformed, { detail: `The request has more than one ${name} line.` });
  return isFraming ? closing(response) : keeping(response);
}

/** The refusal of a target longer than the limit, in bytes. */
export const targetTooLong = (limit: number): HeadRefusal =>
  keeping(problem(longTarget, { detail: `The request target is longer than ${limit} bytes.` }));

/** The refusal of fields that are together longer than the limit, in bytes. */
export const headTooLong = (limit: number): HeadRefusal =>
  keeping(problem(headTooLarge, { detail: `The header fields are together longer than ${limit} bytes.` }));

/** The refusal of more fields than the limit. */
export const tooManyFields = (limit: number): HeadRefusal =>
  keeping(problem(headTooLarge, { detail: `The request has more than ${limit} header fields.` }));
