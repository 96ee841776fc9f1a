import type { IncomingMessage } from "node:http";
import { problem } from "../../problem.ts";
import type { HttpResponse } from "../../response.ts";
import { connectionProblemTypes } from "./connection-problem-types.ts";

/**
 * The refusal of a message that Node's parser lets through although its head breaks HTTP/1.1; undefined when it is sound.
 * The connection is closed after it: where the next message begins is in doubt.
 */
export function refuseFraming(message: IncomingMessage): HttpResponse | undefined {
  const { httpVersionMajor, httpVersionMinor, rawHeaders } = message;
  if (httpVersionMajor !== 1 || httpVersionMinor > 1) return refusals.version;
  const hosts = countHosts(rawHeaders);
  // RFC 9112 §3.2; HTTP/1.0 knew no Host.
  if (hosts > 1) return refusals.severalHosts;
  if (hosts === 0 && httpVersionMinor === 1) return refusals.noHost;
  return undefined;
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") count++;
  }
  return count;
}

const { malformedMessage, versionNotSupported } = connectionProblemTypes;

const refusals = {
  version: problem(versionNotSupported),
  severalHosts: problem(malformedMessage, { detail: "The request has more than one Host line." }),
  noHost: problem(malformedMessage, { detail: "The request has no Host line, which HTTP/1.1 requires." }),
};
