import type { HeaderList } from "waymark/fields";
import { requestTarget, syntax } from "waymark/internal";
import type { ServeSettings } from "../options.ts";
import { type HeadRefusal, headTooLong, refusals, refuseRepeated, targetTooLong, tooManyFields } from "../refusals.ts";

/** What the head of a message may have. */
export type HeadLimits = Pick<ServeSettings, "maxHeaderSize" | "maxHeaderFields" | "maxTargetLength">;

/**
 * Returns the refusal of fields that break HTTP or the limits; undefined when they are sound.
 *
 * @param size bytes of all field lines
 * @param isOld whether they are of HTTP/1.0, which required no Host (RFC 9112 §3.2), and knew no expectations
 * @param unframed the refusal of a message whose end is in doubt
 */
export function refuseFields(
  headers: HeaderList,
  size: number,
  limits: HeadLimits,
  isOld: boolean = false,
  unframed?: HeadRefusal | undefined,
): HeadRefusal | undefined {
  const repeated = findRepeated(headers.flat);
  if (repeated !== undefined && isFramingField(repeated)) return refuseRepeated(repeated, true);
  if (unframed !== undefined) return unframed;
  if (repeated !== undefined) return refuseRepeated(repeated, false);
  const host = headers.get("Host");
  if (host === undefined ? !isOld : !requestTarget.isHost(host))
    return host === undefined ? refusals.noHost : refusals.host;
  if (size > limits.maxHeaderSize) return headTooLong(limits.maxHeaderSize);
  if (headers.flat.length > 2 * limits.maxHeaderFields) return tooManyFields(limits.maxHeaderFields);
  const expectation = isOld ? undefined : headers.get("Expect");
  return expectation === undefined || isContinue(expectation) ? undefined : refusals.expectation;
}

/**
 * Returns the refusal of a message whose end two readers could find in different places (RFC 9112 §6.3); undefined when it is
 * clear.
 */
export function refuseFraming(headers: HeaderList, minorVersion: number | undefined): HeadRefusal | undefined {
  const transferEncoding = headers.get("Transfer-Encoding");
  const contentLength = headers.get("Content-Length");
  if (transferEncoding === undefined) {
    return contentLength === undefined || isLength(contentLength) ? undefined : refusals.length;
  }
  // HTTP/1.0 knew no codings, and what passed such a message on may have framed it otherwise (RFC 9112 §6.1).
  if (minorVersion === 0) return refusals.oldCoding;
  if (contentLength !== undefined) return refusals.lengthAndCoding;
  const codings = syntax.tokenList(transferEncoding);
  if (codings.indexOf("chunked") !== codings.length - 1) return refusals.endlessCoding;
  return codings.length === 1 ? undefined : refusals.coding;
}

const isLength = (value: string): boolean => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value));

/** Returns the refusal of a target that is too long, or stands for the whole server where that makes no sense. */
export function refuseTarget(method: string, target: string, { maxTargetLength }: HeadLimits): HeadRefusal | undefined {
  if (target.length > maxTargetLength) return targetTooLong(maxTargetLength);
  return target === "*" && method !== "OPTIONS" ? refusals.asterisk : undefined;
}

/** Returns what a client meant by a target that has a character for each byte: most that do not encode it send UTF-8. */
export function decodeTarget(target: string): string {
  if (!/[\x80-\xff]/.test(target)) return target;
  const utf8 = Buffer.from(target, "latin1").toString();
  return utf8.includes("\ufffd") ? target : utf8;
}

/** Returns how many bytes the field lines have in HTTP/1.1. */
export const sizeOfLines = ({ flat }: HeaderList): number => flat.reduce((bytes, text) => bytes + text.length + 2, 0);

/** Whether the Expect field expects `100-continue` and nothing else (RFC 9110 §10.1.1). */
function isContinue(expectation: string): boolean {
  const members = syntax.tokenList(expectation);
  return members.includes("100-continue") && members.every((member) => member === "100-continue" || member === "");
}

/** Whether the message's framing or routing hangs on this field. */
export function isFramingField(name: string): boolean {
  return name === "host" || name === "transfer-encoding" || name === "content-length";
}

/**
 * Returns, in lower case, the first field of names and values in turn that must not be repeated and is (RFC 9110 §5.3);
 * undefined when there is no such field.
 */
function findRepeated(flat: readonly string[]): string | undefined {
  // Length and first letter rule out nearly every other name: 40 ns for 4 fields, and 90 for 13 (Node 26).
  let seen = 0;
  for (let i = 0; i < flat.length; i += 2) {
    const name = flat[i] as string;
    if (name.length > 31) continue;
    const index = bySlot[slot(name)] as number; // the table has every slot
    if (index < 0 || name.toLowerCase() !== singletons[index]) continue;
    if ((seen & (1 << index)) !== 0) return singletons[index];
    seen |= 1 << index;
  }
  return undefined;
}

// Two lines of one of these would be taken differently by different readers, and something is decided by it.
const singletons: readonly string[] = [
  "host",
  "transfer-encoding",
  "content-length",
  "content-type",
  "content-range",
  "authorization",
  "proxy-authorization",
  "if-modified-since",
  "if-unmodified-since",
  "if-range",
  "range",
  "origin",
  "access-control-request-method",
  "max-forwards",
  "idempotency-key",
];

/** A number under 1,024 for a name's length, under 32, and its first letter in either case. */
const slot = (name: string): number => (name.length << 5) | (name.charCodeAt(0) & 31);

// No two of the names have a slot in common.
const bySlot = new Int8Array(1024).fill(-1);
singletons.forEach((name, index) => {
  bySlot[slot(name)] = index;
});
