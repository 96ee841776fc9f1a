import type { HeaderList } from "waymark/fields";
import { headerLists, syntax } from "waymark/internal";
import { asksForUpgrade } from "../../connections/upgrade.ts";
import { AskedFields } from "../../memory/asked-fields.ts";
import { type HeadLimits, refuseFields, refuseFraming } from "../../messages/head-fields.ts";
import { type HeadRefusal, malformedMessage } from "../../refusals.ts";
import type { RequestLine } from "./request-line.ts";

/** The fields of a head, and what follows from them: the same for every request of this version that has them. */
export interface FieldSection {
  readonly minorVersion: RequestLine["minorVersion"];
  /** Bytes, with the empty line behind them. */
  readonly length: number;
  readonly headers: HeaderList;
  /** What is asked of them for the memory of answers. */
  readonly asked: AskedFields;
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
  /** Whether a head with these fields is answered, has no content, and leaves the connection as it is. */
  readonly mayRepeat: boolean;
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
  const headers = headerLists.parsedHeaders(parseFieldLines(text, 0, text.length - 2));
  const transferEncoding = headers.get("Transfer-Encoding");
  const contentLength = headers.get("Content-Length");
  const connection = headers.get("Connection");
  const options = connection === undefined ? [] : syntax.tokenList(connection);
  const isCurrent = minorVersion === 1;
  const contentEnd = transferEncoding === undefined ? Number(contentLength ?? 0) : undefined;
  const keepsAlive = !options.includes("close") && (isCurrent || options.includes("keep-alive"));
  const expectsContinue = isCurrent && headers.has("Expect");
  const isUpgrade = isCurrent && connection !== undefined && asksForUpgrade(headers);
  const unframed = refuseFraming(headers, minorVersion);
  // The length counts as it was sent, whatever the blanks in it.
  const refusal = refuseFields(headers, text.length - 2, limits, !isCurrent, unframed);
  const isPlain = keepsAlive && !expectsContinue && !isUpgrade;
  return {
    minorVersion,
    length: text.length,
    headers,
    asked: new AskedFields(headers),
    contentLength: contentEnd,
    keepsAlive,
    expectsContinue,
    asksForUpgrade: isUpgrade,
    refusal,
    mayRepeat: isCurrent && isPlain && contentEnd === 0 && refusal === undefined,
  };
}

/** The lines of fields that were read: of others that are like them, only the values that differ are parsed. */
export class FieldLines {
  readonly #bytes: Buffer;
  readonly #section: FieldSection;
  readonly #lines: readonly { readonly name: string; readonly colon: number; readonly end: number }[];

  constructor(bytes: Buffer, section: FieldSection) {
    this.#bytes = bytes;
    this.#section = section;
    let end = 0;
    this.#lines = section.headers.flat
      .filter((_, i) => i % 2 === 0)
      .map((name) => {
        const colon = end + name.length;
        end = bytes.indexOf(0x0a, colon) + 1;
        return { name: name.toLowerCase(), colon, end };
      });
  }

  /**
   * Reads fields that have these lines, perhaps with other values from which nothing follows for the connection: of a browser's fields
   * with a new id, that takes half the time. Returns how many bytes were compared where more differs, or what is there cannot be read.
   */
  withOtherValues(bytes: Buffer, start: number, end: number, { maxHeaderSize }: HeadLimits): FieldSection | number {
    const section = this.#section;
    const known = this.#bytes;
    if (end - start - 2 > maxHeaderSize) return 0;
    const others: { readonly line: number; readonly name: string; readonly from: number; readonly to: number }[] = [];
    let line = 0;
    let at = start;
    for (let i = 0; i < known.length; i++, at++) {
      if (known[i] === bytes[at]) continue;
      while (i >= (this.#lines[line]?.end ?? known.length)) line++;
      const { name, colon, end: next } = this.#lines[line] ?? noLine;
      if (i <= colon || framing.has(name) || others.length === mostOther) return at - start;
      const feed = bytes.indexOf(0x0a, at);
      if (feed < 0 || feed >= end || bytes[feed - 1] !== 0x0d) return at - start;
      others.push({ line, name, from: at - (i - colon) + 1, to: feed - 1 });
      [i, at] = [next - 1, feed];
    }
    if (at !== end) return at - start;
    if (others.length === 0) return section;
    const flat = [...section.headers.flat];
    for (const { line, from, to } of others) {
      const value = syntax.trimBlanks(bytes.toString("latin1", from, to));
      if (!syntax.isFieldValue(value)) return at - start;
      flat[2 * line + 1] = value;
    }
    const headers = headerLists.parsedHeaders(flat);
    const names = others.map(({ name }) => name);
    return {
      ...section,
      length: end - start,
      headers,
      asked: new AskedFields(headers, { fields: section.asked, names }),
    };
  }
}

/** A proxy and a browser change no more values from one request to the next. Where all differ, none is read in vain. */
const mostOther = 8;

const noLine = { name: "", colon: Number.POSITIVE_INFINITY, end: 0 };

/** What `readFieldSection` asks for. */
const framing: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "expect",
  "upgrade",
]);

/**
 * Parses field lines (RFC 9112 §5), each with its line end, from this place of the text up to another; returns names and
 * values in turn.
 *
 * @throws HttpError 400 `malformed-message`: the line has no name or no colon, is folded, or has a character that a field
 *   cannot carry; a line ends otherwise than with CR LF
 */
export function parseFieldLines(text: string, from: number, to: number): readonly string[] {
  const fields: string[] = [];
  let at = from;
  while (at < to) {
    const colon = nameEnd(text, at);
    const end = text.indexOf("\r\n", colon + 1);
    const value = syntax.trimBlanks(text, colon + 1, end);
    if (!syntax.isFieldValue(value)) {
      throw malformedMessage(`The value of ${text.slice(at, colon)} has a character that a field cannot carry.`);
    }
    const name = text.slice(at, colon);
    if (framesContent(name) && text.slice(colon, end).includes("\t")) {
      throw malformedMessage(`${name} has a tab, which some readers take for a part of its value.`);
    }
    fields.push(name, value);
    at = end + 2;
  }
  return fields;
}

/** The place of the colon behind the name that begins here. No regular expression: one that starts here takes twice the time. */
function nameEnd(text: string, start: number): number {
  let at = start;
  while (isNameCharacter[text.charCodeAt(at)] === 1) at++;
  if (at > start && text.charCodeAt(at) === 0x3a) return at;
  const first = text.charCodeAt(start);
  if (first === 0x20 || first === 0x09)
    throw malformedMessage("A field line begins with white space. Folded lines are not allowed.");
  if (at === start) throw malformedMessage("A field line has no name.");
  throw malformedMessage("A field line has no colon straight behind its name.");
}

// The lengths decide for most names, so that hardly any but these is put in lower case.
const framesContent = (name: string): boolean =>
  (name.length === 14 && name.toLowerCase() === "content-length") ||
  (name.length === 17 && name.toLowerCase() === "transfer-encoding");

const isNameCharacter = new Uint8Array(256);
for (const character of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
  isNameCharacter[character.charCodeAt(0)] = 1;
}
