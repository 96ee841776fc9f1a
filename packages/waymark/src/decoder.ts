import type { MediaType } from "./media-type.ts";
import type { TextPosition } from "./text-position.ts";

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
  /** Media types (`application/json`) or ranges (`text/*`), in the order in which a refusal names them. */
  readonly mediaTypes: readonly string[];
  /** The values of a `charset` parameter that it reads, in lower case; without this member, any. */
  readonly charsets?: readonly string[];
  /** The value of the content, which may be empty. Throws MalformedContent when it is not of the media type. */
  decode(content: Uint8Array, mediaType: MediaType): unknown;
}

/**
 * What a decoder throws when the content is not what its media type says: the client gets a 400 with the detail.
 *
 * ```ts
 * throw new MalformedContent("The row has 3 fields, and the header 4", { line: 17, column: 1 });
 * ```
 */
export class MalformedContent extends Error {
  /** What was found and what would be right, without the position; at most some forty characters of the content. */
  readonly detail: string;
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(detail: string, position?: TextPosition, options?: ErrorOptions) {
    super(position === undefined ? detail : `${detail} at line ${position.line}, column ${position.column}`, options);
    this.name = "MalformedContent";
    this.detail = detail;
    this.line = position?.line;
    this.column = position?.column;
  }
}

/**
 * The text of bytes that must be UTF-8 (RFC 3629); a byte order mark is kept, for the format to judge.
 *
 * @throws MalformedContent naming the first byte that begins no whole character, by its offset from 0
 */
export function decodeUtf8(content: Uint8Array): string {
  try {
    return strictUtf8.decode(content);
  } catch (cause) {
    const offset = firstFault(content);
    const byte = content[offset]?.toString(16).toUpperCase().padStart(2, "0");
    const detail = `The content is not UTF-8: 0x${byte} at byte offset ${offset} begins no character`;
    throw new MalformedContent(detail, undefined, { cause });
  }
}

const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenientUtf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The lenient decoder puts U+FFFD where the fault is: the first one that the content does not itself spell. */
function firstFault(content: Uint8Array): number {
  let offset = 0;
  for (const character of lenientUtf8.decode(content)) {
    if (character === "\ufffd" && !spellsReplacement(content, offset)) break;
    const code = character.codePointAt(0) as number; // a character has a code point
    offset += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return offset;
}

const spellsReplacement = (content: Uint8Array, offset: number): boolean =>
  content[offset] === 0xef && content[offset + 1] === 0xbf && content[offset + 2] === 0xbd;
