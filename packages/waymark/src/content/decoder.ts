import * as problemTypes from "../common/problem-types.ts";
import { memoizeText } from "../common/text-map.ts";
import { excerpt, quote, type TextPosition } from "../common/wording.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { coversMediaType, type MediaType, parseMediaRange, parseMediaType } from "../fields/media-type.ts";
import { HttpError, problem } from "../problem.ts";

/**
 * Reads content of certain media types into a value; which one reads a request is chosen by its Content-Type.
 *
 * ```ts
 * const lines: Decoder = {
 *   mediaTypes: ["text/plain"],
 *   charsets: ["utf-8"],
 *   decode: (content) => decodeUtf8(content).split("\n"),
 * };
 * ```
 */
export interface Decoder {
  /** Media types (`application/json`) or ranges (`text/*`, `application/*+json`), in the order in which a refusal names them. */
  readonly mediaTypes: readonly string[];
  /** The values of a `charset` parameter that it reads, in lower case; without this member, any. */
  readonly charsets?: readonly string[];
  /**
   * Returns the value of the content, which may be empty, or a promise of it from a decoder that reads long content over
   * several turns of the event loop. Throws ContentError, or rejects with it, when the content is not of the media type.
   */
  decode(content: Uint8Array, mediaType: MediaType): unknown | Promise<unknown>;
}

/**
 * What a decoder throws when the content is not what its media type says: the client gets a 400 with the detail.
 *
 * ```ts
 * throw new ContentError("The row has 3 fields, and the header 4", { line: 17, column: 1 });
 * ```
 */
export class ContentError extends Error {
  /** What was found and what would be right, without the position; at most some forty characters of the content. */
  readonly detail: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(detail: string, position?: TextPosition, options?: ErrorOptions) {
    super(position === undefined ? detail : `${detail} at line ${position.line}, column ${position.column}`, options);
    this.name = "ContentError";
    this.detail = detail;
    this.line = position?.line;
    this.column = position?.column;
  }
}

/**
 * Returns the text of bytes that must be UTF-8 (RFC 3629); a byte order mark is kept, for the format to judge.
 *
 * @throws ContentError naming the first byte that begins no whole character, by its offset from 0
 */
export function decodeUtf8(content: Uint8Array): string {
  try {
    return strictUtf8.decode(content);
  } catch (cause) {
    const offset = firstFault(content);
    const byte = content[offset]?.toString(16).toUpperCase().padStart(2, "0");
    const detail = `The content is not UTF-8: 0x${byte} at byte offset ${offset} begins no character`;
    throw new ContentError(detail, undefined, { cause });
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Finds the first malformed byte: the lenient decoder puts a U+FFFD there that the content does not itself spell. */
function firstFault(content: Uint8Array): number {
  const text = lenientUtf8.decode(content);
  // In UTF-16 units at the front and in bytes: a loop over characters takes several times as long.
  let offset = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0xfffd && !spellsReplacement(content, offset)) return offset;
    // Each half of a surrogate pair counts two of its four bytes.
    offset += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 2 : 3;
  }
  return offset;
}

const spellsReplacement = (content: Uint8Array, offset: number): boolean =>
  content[offset] === 0xef && content[offset + 1] === 0xbf && content[offset + 2] === 0xbd;

/** What a decoder says of the content that it reads; how it reads does not matter to the choice. */
export type ContentReader = Pick<Decoder, "mediaTypes" | "charsets">;

/** The decoder that reads content of the request's Content-Type, and that type. */
export interface DecoderChoice<D extends ContentReader = Decoder> {
  readonly decoder: D;
  readonly mediaType: MediaType;
}

/**
 * Returns the first decoder that reads what Content-Type names. The type is never guessed from the content: what a form
 * of another site can send without asking (text/plain) would pass for JSON. `request.body` chooses by it; a handler
 * that reads `request.stream` calls it first.
 *
 * @throws HttpError 415 with Accept (RFC 9110 §15.5.16) when the field is missing, given twice or malformed, or no decoder
 *   reads the type in its charset
 * @throws TypeError when a decoder names something that is not a media type
 */
export function chooseDecoder<D extends ContentReader>(headers: HeaderList, decoders: readonly D[]): DecoderChoice<D> {
  const line = headers.get("Content-Type");
  // A comma may join two fields, of which neither is read.
  const isOne = line !== undefined && (!line.includes(",") || headers.getAll("Content-Type").length === 1);
  const choice = isOne ? chooserOf(decoders)(line) : undefined;
  if (choice !== undefined) return choice;
  throw refusalOf(headers.getAll("Content-Type"), decoders);
}

/** Returns what chooses among these decoders by a Content-Type; most requests have the same few. */
function chooserOf<D extends ContentReader>(decoders: readonly D[]): Chooser<D> {
  const known = choosers.get(decoders) as Chooser<D> | undefined; // made of these below
  if (known !== undefined) return known;
  const ranges = decoders.map(rangesOf);
  const choose: Chooser<D> = memoizeText((line) => {
    const mediaType = parseMediaType(line);
    const decoder =
      mediaType && decoders.find((each, i) => reads(ranges[i] ?? [], mediaType) && readsCharset(each, mediaType));
    return decoder && { decoder, mediaType };
  });
  choosers.set(decoders, choose);
  return choose;
}

type Chooser<D extends ContentReader> = (line: string) => DecoderChoice<D> | undefined;

const choosers = new WeakMap<readonly ContentReader[], Chooser<ContentReader>>();

const reads = (ranges: readonly MediaType[], type: MediaType): boolean =>
  ranges.some((range) => coversMediaType(range, type));

function readsCharset({ charsets }: ContentReader, { parameters }: MediaType): boolean {
  const charset = parameters.get("charset");
  return charset === undefined || charsets === undefined || charsets.includes(charset);
}

/** Returns the refusal of content that no decoder reads. */
function refusalOf([line, ...others]: readonly string[], decoders: readonly ContentReader[]): HttpError {
  if (line === undefined) return unsupported("The content has no Content-Type", decoders, "");
  if (others.length > 0) return unsupported(`The Content-Type is given ${others.length + 1} times`, decoders);
  const type = parseMediaType(line);
  if (type === undefined) return unsupported(`The Content-Type ${excerpt(line)} is not a media type`, decoders);
  const readers = decoders.filter((decoder) => reads(rangesOf(decoder), type));
  if (readers.length === 0) return unsupported(`The Content-Type ${excerpt(line)} is not read here`, decoders, line);
  const charsets = readers.flatMap((reader) => reader.charsets ?? []);
  return unsupported(`The Content-Type ${excerpt(line)} is read in ${charsets.join(", ")} only`, decoders);
}

/**
 * Says what to add to JSON whose type is not said, or is that of a form, as `curl -d` says without being asked, and what to do
 * with a file in a form. Whether the content is JSON is not looked at.
 *
 * @param sent the Content-Type; empty without one, undefined where something else is wrong with it
 * @param supported the types that are read
 */
export function hintAtType(sent: string | undefined, supported: readonly string[]): string {
  if (sent === undefined || !supported.includes("application/json")) return "";
  if (sent === "") return " If it is JSON, add the header Content-Type: application/json.";
  if (/^multipart\/form-data\b/i.test(sent)) {
    return " Send a file as the content itself, with its type; for curl, by --data-binary @FILE in the place of -F.";
  }
  if (!/^application\/x-www-form-urlencoded\b/i.test(sent)) return "";
  return " If it is JSON, add the header Content-Type: application/json; for curl, -H 'Content-Type: application/json'.";
}

const rangesOf = ({ mediaTypes }: ContentReader): readonly MediaType[] =>
  mediaTypes.map((range) => {
    const parsed = parseMediaRange(range);
    if (parsed === undefined) throw new TypeError(`A decoder names ${quote(range)}, which is not a media type`);
    return parsed;
  });

/** Returns the media types and ranges that these read, each once. */
export const typesDecodedBy = (decoders: readonly ContentReader[]): readonly string[] => [
  ...new Set(decoders.flatMap(({ mediaTypes }) => mediaTypes)),
];

function unsupported(found: string, decoders: readonly ContentReader[], sent?: string): HttpError {
  const supported = typesDecodedBy(decoders);
  const detail = `${found}; send ${supported.join(" or ")}.${hintAtType(sent, supported)}`;
  const refusal = problem(problemTypes.unsupportedMediaType, { detail, supported });
  return new HttpError(refusal.withHeader("Accept", supported.join(", ")));
}
