import { type HeaderList, parsedHeaders } from "../../fields/header-list.ts";
import {
  findSingletons,
  type HeadLimits,
  type HeadRefusal,
  isContinue,
  isFramingField,
  refuseFields,
  trimBlanks,
} from "../message-head.ts";
import { asksForUpgrade } from "../upgrade.ts";
import { parseFieldLines } from "./field-lines.ts";
import { refusals } from "./refusals.ts";
import type { RequestLine } from "./request-line.ts";

/** The fields of a head, and what follows from them: the same for every request of this version that has them. */
export interface FieldSection {
  readonly minorVersion: RequestLine["minorVersion"];
  /** Bytes, with the empty line behind them. */
  readonly length: number;
  readonly headers: HeaderList;
  /** Where the content ends (RFC 9112 §6): its length in bytes, 0 without content, or undefined when it is chunked. */
  readonly contentLength: number | undefined;
  /** Whether the client will send another request on the connection, as far as it says (RFC 9112 §9.3). */
  readonly keepsAlive: boolean;
  /** Whether the client waits for `100 Continue` before it sends the content (RFC 9110 §10.1.1). */
  readonly expectsContinue: boolean;
  /** Whether the client would rather speak another protocol (RFC 9110 §7.8), on a connection that can be handed over. */
  readonly asksForUpgrade: boolean;
  /** The answer to a head that can be read, and must not be acted on. */
  readonly refusal: HeadRefusal | undefined;
}

/**
 * Reads the fields of a head.
 *
 * @param text the field lines, and the empty line behind them
 * @throws HttpError as `parseFieldLines` does
 */
export function readFieldSection(
  text: string,
  minorVersion: RequestLine["minorVersion"],
  limits: HeadLimits,
): FieldSection {
  const flat = parseFieldLines(text, 0, text.length - 2);
  const headers = parsedHeaders(flat);
  const { host, transferEncoding, repeated } = findSingletons(flat);
  const contentLength = headers.get("Content-Length");
  const connection = headers.get("Connection");
  const options = new Set(connection === undefined ? [] : members(connection));
  // HTTP/1.0 knew no expectations.
  const expectation = minorVersion === 1 ? headers.get("Expect") : undefined;
  // Two lines of a field are refused as such.
  const isFramedTwice = repeated !== undefined && isFramingField(repeated);
  const unframed = isFramedTwice ? undefined : refuseFraming(transferEncoding, contentLength, minorVersion);
  // The length counts as it was sent, whatever the blanks in it.
  const singletons = { host, transferEncoding, repeated, size: text.length - 2 };
  return {
    minorVersion,
    length: text.length,
    headers,
    contentLength: transferEncoding === undefined ? Number(contentLength ?? 0) : undefined,
    keepsAlive: !options.has("close") && (minorVersion === 1 || options.has("keep-alive")),
    expectsContinue: expectation !== undefined,
    asksForUpgrade: minorVersion === 1 && connection !== undefined && asksForUpgrade(headers),
    refusal:
      unframed ??
      refuseFields(flat, minorVersion === 1, limits, singletons) ??
      (expectation === undefined || isContinue(expectation) ? undefined : refusals.expectation),
  };
}

/**
 * The refusal of a message whose end two readers could find in different places (RFC 9112 §6.3); undefined when it is clear.
 *
 * @param transferEncoding the value of the only such field, if there is one
 * @param contentLength likewise
 */
function refuseFraming(
  transferEncoding: string | undefined,
  contentLength: string | undefined,
  minorVersion: RequestLine["minorVersion"],
): HeadRefusal | undefined {
  if (transferEncoding === undefined) {
    return contentLength === undefined || isLength(contentLength) ? undefined : refusals.length;
  }
  // HTTP/1.0 knew no codings, and what passed such a message on may have framed it otherwise (RFC 9112 §6.1).
  if (minorVersion === 0) return refusals.oldCoding;
  if (contentLength !== undefined) return refusals.lengthAndCoding;
  const codings = members(transferEncoding);
  if (codings.indexOf("chunked") !== codings.length - 1) return refusals.endlessCoding;
  return codings.length === 1 ? undefined : refusals.coding;
}

const members = (value: string): readonly string[] =>
  value
    .toLowerCase()
    .split(",")
    .map((member) => trimBlanks(member));

const isLength = (value: string): boolean => /^\d{1,16}$/.test(value) && Number.isSafeInteger(Number(value));
