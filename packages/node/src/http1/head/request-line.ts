import { HttpError } from "waymark";
import { requestTarget, syntax } from "waymark/internal";
import { decodeTarget } from "../../messages/head-fields.ts";
import { type HeadRefusal, malformedMessage, refusals, refuseMethod } from "../../refusals.ts";

/** The first line of a request (RFC 9112 §3). */
export interface RequestLine {
  readonly method: string;
  readonly isKnown: boolean;
  /** As sent: it has no space, no control character, and nothing beyond ASCII. */
  readonly target: string;
  /** 0 or 1 of HTTP/1.0 and HTTP/1.1; undefined for another version, or another protocol. */
  readonly minorVersion: 0 | 1 | undefined;
}

/**
 * Parses a request line without its line end.
 *
 * @throws HttpError 400 `malformed-message`; 505 `version-not-supported` for HTTP/0.9, which has no lines behind it
 */
export function parseRequestLine(line: string): RequestLine {
  const methodEnd = line.indexOf(" ");
  const sent = line.slice(0, Math.max(methodEnd, 0));
  const known = knownMethods[knownMethods.indexOf(sent)];
  const isKnown = known !== undefined;
  const method = known ?? sent;
  if (!isKnown && !syntax.isToken(method)) throw malformedMessage("The request line has no method.");
  const targetEnd = line.indexOf(" ", methodEnd + 1);
  // HTTP/0.9 has a method and a target, and no version.
  const target = targetEnd < 0 ? line.slice(methodEnd + 1) : line.slice(methodEnd + 1, targetEnd);
  const protocol = targetEnd < 0 ? "" : line.slice(targetEnd + 1);
  if (!sound.test(target)) throw malformedMessage(unsoundTarget(target));
  if (protocol.includes(" ")) {
    throw malformedMessage("The request line has more than a method, a target and a version: write a space as %20.");
  }
  const minorVersion = minorVersionOf(protocol);
  if (minorVersion === undefined) {
    // The preface of HTTP/2 is there for servers of HTTP/1.1 to refuse it (RFC 9113 §3.4).
    if (method === "PRI" || !otherProtocol.test(protocol)) {
      throw malformedMessage("The request line has no version of HTTP.");
    }
    if (protocol === "") throw new HttpError(refusals.version.response);
    return { method, isKnown, target, minorVersion };
  }
  if (method !== "CONNECT" && !target.startsWith("/") && !otherForm.test(target)) {
    throw malformedMessage("The request target is neither a path, nor an absolute URI, nor an asterisk.");
  }
  return { method, isKnown, target, minorVersion };
}

/** Whether the bytes may be the beginning of a request line, or of an empty line before it. */
export function mayBeginRequestLine(bytes: Buffer, start: number, end: number): boolean {
  if (end === start || (end - start === 1 && bytes[start] === 0x0d)) return true;
  const first = bytes.toString("latin1", start, Math.min(end, start + 32)).split(" ", 1)[0] as string; // never an empty list
  return syntax.isToken(first);
}

/** Returns the refusal of a version or a method that the server does not know; undefined when it knows both. */
export function refuseLine({ method, isKnown, minorVersion }: RequestLine): HeadRefusal | undefined {
  if (minorVersion === undefined) return refusals.version;
  if (!isKnown) return refuseMethod(method);
  return method === "CONNECT" ? refusals.tunnel : undefined;
}

/** A later minor version is served as the latest that is known (RFC 9110 §2.5). */
function minorVersionOf(protocol: string): 0 | 1 | undefined {
  if (protocol === "HTTP/1.1") return 1;
  if (protocol === "HTTP/1.0") return 0;
  return /^HTTP\/1\.\d$/.test(protocol) ? 1 : undefined;
}

/** Another major version of HTTP, another protocol, or, of HTTP/0.9, nothing. */
const otherProtocol = /^(?:HTTP\/\d\.\d|(?!HTTP\/)[A-Z]+\/[\d.]+|)$/;

function unsoundTarget(target: string): string {
  if (target === "") return "The request line has more than one space before its target, or no target.";
  const text = decodeTarget(target);
  const offset = text.search(/[^!-~]/);
  const question = text.indexOf("?");
  return question < 0 || offset < question
    ? requestTarget.faultOfCharacter("path", text, offset)
    : requestTarget.faultOfCharacter("query", text.slice(question + 1), offset - question - 1);
}

const sound = /^[!-~]+$/;
const otherForm = /^(?:[A-Za-z]+:\/\/|\*$)/;

// Those of the registry (RFC 9110 §16.1.1) and of WebDAV and UPnP that are in use; CONNECT is refused later.
const knownMethods: readonly string[] = (
  "GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT QUERY ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE " +
  "MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND " +
  "UNLINK UNLOCK UNSUBSCRIBE"
).split(" ");
