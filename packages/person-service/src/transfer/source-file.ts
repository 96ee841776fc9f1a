import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { openUnnamedFile, piecesOf } from "@waymark/collection/internal";

/** A file that is imported, read once from end to end to know what it is. */
export interface SourceFile {
  /** In bytes. */
  readonly size: number;
  /** SHA-256, by which a second import of the same file is known. */
  readonly digest: string;
  readonly charset: Charset;
  /** The first 64 KiB, as text. */
  readonly beginning: string;
  /** False if it has the NUL characters that archives and spreadsheets have. */
  readonly isText: boolean;
  /** What separates the cells of its first line, if it is CSV. */
  readonly delimiter: Delimiter;
  /**
   * The content in UTF-8, without a byte order mark, and with LF where lines end in CR only. The line `sep=;`, which Excel knows, is
   * a blank one. `onBytes` is called with the size of each piece that was read. Raw, it is as it stands, unless it is UTF-16: the
   * properties of vCards are in charsets of their own.
   */
  pieces(reading?: Reading): AsyncIterable<Uint8Array>;
}

interface Reading {
  readonly onBytes?: ((count: number) => void) | undefined;
  readonly isRaw?: boolean;
}

export type Charset = "UTF-8" | "UTF-16 LE" | "UTF-16 BE" | "Windows-1252";

/** What a charset is called where it is given. */
export const givenCharsets = ["utf-8", "utf-16", "windows-1252"] as const;

export type GivenCharset = (typeof givenCharsets)[number];

export type Delimiter = "," | ";" | "\t" | "|";

/**
 * Reads a file through, by its path or as it is open. UTF-16 is known by its byte order mark, or its first character; what is not valid UTF-8 is
 * Windows-1252, unless its charset is given.
 *
 * @throws Error of the system (rejects) when the file cannot be read
 */
export async function openSourceFile(file: string | FileHandle, given?: GivenCharset): Promise<SourceFile> {
  const hash = createHash("sha256");
  const utf8 = new TextDecoder("utf-8", { fatal: true });
  let size = 0;
  let isUtf8 = true;
  let beginning = Buffer.alloc(0);
  for await (const piece of read(file)) {
    hash.update(piece);
    size += piece.length;
    if (beginning.length < sampleSize) beginning = Buffer.concat([beginning, piece.subarray(0, sampleSize)]);
    isUtf8 &&= isValid(utf8, piece);
  }
  isUtf8 &&= isValid(utf8, undefined);
  const { charset, mark } = charsetOf(beginning, given ?? (isUtf8 ? "utf-8" : "windows-1252"));
  const label = labels[charset];
  const text = new TextDecoder(label).decode(beginning.subarray(mark));
  const endsLinesInCr = text.includes("\r") && !text.includes("\n");
  const [separatorLine = "", separator] = /^sep=([,;\t|])\r?(?=\n)/.exec(text) ?? [];
  const start = mark + separatorLine.length * (charset.startsWith("UTF-16") ? 2 : 1);
  return {
    size,
    digest: hash.digest("hex"),
    charset,
    beginning: text,
    isText: !text.includes("\0"),
    delimiter: delimiters.find((delimiter) => delimiter === separator) ?? delimiterOf(text),
    async *pieces({ onBytes, isRaw = false } = {}) {
      const isAsIs = charset === "UTF-8" || (isRaw && !charset.startsWith("UTF-16"));
      const decoder = isAsIs ? undefined : new TextDecoder(label);
      for await (const piece of read(file, start)) {
        onBytes?.(piece.length);
        const content = decoder === undefined ? piece : Buffer.from(decoder.decode(piece, { stream: true }));
        yield endsLinesInCr ? content.map((byte) => (byte === carriageReturn ? lineFeed : byte)) : content;
      }
      if (decoder !== undefined) yield Buffer.from(decoder.decode());
    },
  };
}

const read = (file: string | FileHandle, start = 0): AsyncIterable<Buffer> =>
  typeof file === "string" ? createReadStream(file, { start, highWaterMark: pieceSize }) : piecesOf(file, start);

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

const pieceSize = 65_536;
const sampleSize = 65_536;

const labels: Readonly<Record<Charset, string>> = {
  "UTF-8": "utf-8",
  "UTF-16 LE": "utf-16le",
  "UTF-16 BE": "utf-16be",
  "Windows-1252": "windows-1252",
};

function isValid(decoder: TextDecoder, piece: Uint8Array | undefined): boolean {
  try {
    decoder.decode(piece, { stream: piece !== undefined });
    return true;
  } catch {
    return false;
  }
}

function charsetOf(beginning: Buffer, otherwise: GivenCharset): { readonly charset: Charset; readonly mark: number } {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return { charset: "UTF-16 LE", mark: 2 };
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return { charset: "UTF-16 BE", mark: 2 };
  // Without a mark, by the first character, which is one of ASCII.
  if (beginning[0] === 0 && beginning[1] !== 0) return { charset: "UTF-16 BE", mark: 0 };
  if (beginning[0] !== 0 && beginning[1] === 0) return { charset: "UTF-16 LE", mark: 0 };
  if (otherwise === "utf-16") return { charset: "UTF-16 LE", mark: 0 };
  if (otherwise === "windows-1252") return { charset: "Windows-1252", mark: 0 };
  const hasMark = beginning[0] === 0xef && beginning[1] === 0xbb && beginning[2] === 0xbf;
  return { charset: "UTF-8", mark: hasMark ? 3 : 0 };
}

/** Returns the separator that occurs most in the first line that is not blank, outside of quotation marks. */
function delimiterOf(sample: string): Delimiter {
  const text = sample.replace(/^[\s\ufeff]*\n/, "");
  const line = /^(?:"(?:[^"]|"")*"|[^"\r\n])*/.exec(text)?.[0].replaceAll(/"(?:[^"]|"")*"/g, "") ?? "";
  const count = (delimiter: Delimiter): number => line.split(delimiter).length;
  return delimiters.toSorted((a, b) => count(b) - count(a))[0] ?? ",";
}

const delimiters: readonly Delimiter[] = [",", ";", "\t", "|"];

/**
 * Copies a stream to a file without a name, since an import reads its source twice.
 *
 * @throws Error of the system (rejects) when the file cannot be written
 */
export async function copyOfStream(stream: AsyncIterable<Uint8Array>): Promise<FileHandle> {
  const file = await openUnnamedFile();
  try {
    await file.writeFile(stream);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
