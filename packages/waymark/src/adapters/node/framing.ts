import type { IncomingMessage } from "node:http";
import { problem } from "../../problem.ts";
import { problemTypes } from "../../problem-types.ts";
import type { HttpResponse } from "../../response.ts";
import { connectionProblemTypes } from "./connection-problem-types.ts";
import { findSingletons, isFramingField } from "./singleton-fields.ts";

/** What the head of a message may have. */
export interface HeadLimits {
  /** Header field lines. */
  readonly maxHeaderFields: number;
  /** Characters. */
  readonly maxTargetLength: number;
}

/** The answer to a message that no app sees. */
export interface HeadRefusal {
  readonly response: HttpResponse;
  /** Whether it is in doubt where the next message begins, or what this one was meant for: its connection is closed. */
  readonly closes: boolean;
}

/**
 * The refusal of a message that Node's parser lets through although its head breaks HTTP/1.1 or the limits; undefined when
 * it is sound.
 */
export function refuseHead(message: IncomingMessage, limits: HeadLimits): HeadRefusal | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders } = message;
  if (httpVersionMajor !== 1 || httpVersionMinor > 1) return refusals.version;
  const { host, transferEncoding, repeated } = findSingletons(rawHeaders);
  if (repeated !== undefined) return severalLines(repeated);
  if (host === undefined) {
    // RFC 9112 §3.2; HTTP/1.0 knew no Host.
    if (httpVersionMinor === 1) return refusals.noHost;
  } else if (!hostPattern.test(host)) return refusals.host;
  if (transferEncoding !== undefined) {
    // RFC 9112 §6.1: HTTP/1.0 knew none, and who passed it on may have framed it by other means.
    if (httpVersionMinor === 0) return refusals.codingInOldVersion;
    if (transferEncoding.toLowerCase() !== "chunked") return refusals.coding;
  }
  if (rawHeaders.length > 2 * limits.maxHeaderFields) return tooManyFields(limits.maxHeaderFields);
  // A server's request always has a target.
  const target = message.url as string;
  if (target.length > limits.maxTargetLength) return targetTooLong(limits.maxTargetLength);
  if (target === "*" && message.method !== "OPTIONS") return refusals.asterisk;
  return undefined;
}

// uri-host [ ":" port ] (RFC 9110 §7.2, RFC 3986 §3.2.2); no registered name is empty under http.
const hostPattern =
  /^(?:\[(?:[\dA-F:.]+|v[\dA-F]+\.[\w.~!$&'()*+,;=:-]+)\]|(?:[\w.~!$&'()*+,;=-]|%[\dA-F]{2})+)(?::\d*)?$/i;

const { malformedMessage, versionNotSupported, transferCodingUnknown, headTooLarge, longTarget } =
  connectionProblemTypes;

const closing = (response: HttpResponse): HeadRefusal => ({ response, closes: true });
const keeping = (response: HttpResponse): HeadRefusal => ({ response, closes: false });
const malformed = (detail: string): HttpResponse => problem(malformedMessage, { detail });

const refusals = {
  version: closing(problem(versionNotSupported)),
  noHost: closing(malformed("The request has no Host line, which HTTP/1.1 requires.")),
  host: closing(malformed("Host must be a host and an optional port, as in example.org:8080.")),
  codingInOldVersion: closing(malformed("The request has Transfer-Encoding, which HTTP/1.0 does not know.")),
  coding: closing(problem(transferCodingUnknown, { detail: "The only transfer coding that can be read is chunked." })),
  asterisk: keeping(problem(problemTypes.malformedTarget, { detail: 'The target "*" is for OPTIONS alone.' })),
};

function severalLines(name: string): HeadRefusal {
  const response = malformed(`The request has more than one ${name} line.`);
  return isFramingField(name) ? closing(response) : keeping(response);
}

const tooManyFields = (limit: number): HeadRefusal =>
  keeping(problem(headTooLarge, { detail: `The request has more than ${limit} header fields.` }));

const targetTooLong = (limit: number): HeadRefusal =>
  keeping(problem(longTarget, { detail: `The request target is longer than ${limit} characters.` }));
