import { type HeadRefusal, trimBlanks } from "../message-head.ts";
import { refusals } from "./refusals.ts";

/** Where the content of a message ends (RFC 9112 §6): its length in bytes, 0 without content, or undefined when it is chunked. */
export type ContentLength = number | undefined;

/**
 * The refusal of a message whose end two readers could find in different places (RFC 9112 §6.3); undefined when it is clear.
 *
 * @param transferEncoding the value of the only such field, if there is one
 * @param contentLength likewise
 */
export function refuseFraming(
  transferEncoding: string | undefined,
  contentLength: string | undefined,
  minorVersion: number,
): HeadRefusal | undefined {
  if (transferEncoding === undefined) {
    return contentLength === undefined || isLength(contentLength) ? undefined : refusals.length;
  }
  // HTTP/1.0 knew no codings, and what passed such a message on may have framed it otherwise (RFC 9112 §6.1).
  if (minorVersion === 0) return refusals.oldCoding;
  if (contentLength !== undefined) return refusals.lengthAndCoding;
  const codings = transferEncoding
    .toLowerCase()
    .split(",")
    .map((coding) => trimBlanks(coding));
  if (codings.indexOf("chunked") !== codings.length - 1) return refusals.endlessCoding;
  return codings.length === 1 ? undefined : refusals.coding;
}

/** The length of content whose framing is sound. */
export function toContentLength(
  transferEncoding: string | undefined,
  contentLength: string | undefined,
): ContentLength {
  return transferEncoding === undefined ? Number(contentLength ?? 0) : undefined;
}

const isLength = (value: string): boolean => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value));
