import { randomUUID } from "node:crypto";
import { channel } from "node:diagnostics_channel";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { StoreUnavailable } from "../../stores/contract/errors.ts";
import type { Document } from "../../stores/contract/store.ts";

/** A valid document that waits to be stored until all documents are known to be valid. */
export interface SpooledDocument {
  /** The line of the content on which it begins. */
  readonly line: number;
  readonly document: Document;
  /** The length of its JSON text, in characters. */
  readonly size: number;
}

/**
 * Keeps documents on disk while a client sends more, so that neither memory nor a transaction has to hold them. The file has no
 * name, and nothing is left of it.
 */
export class Spool {
  readonly #file: FileHandle;
  readonly #count: (bytes: number) => void;
  #unwritten = "";

  private constructor(file: FileHandle, count: (bytes: number) => void) {
    this.#file = file;
    this.#count = count;
  }

  /**
   * @param count called with a number of bytes before they are written; may throw to prevent it
   * @throws StoreUnavailable (rejects) when there is no room for the file
   */
  static async open(count: (bytes: number) => void): Promise<Spool> {
    try {
      return new Spool(await openUnnamedFile(), count);
    } catch (error) {
      throw temporaryFileFault(error);
    }
  }

  /** Adds a document. Returns a promise when it has to wait for the disk. */
  add(line: number, document: Document): Promise<void> | undefined {
    this.#unwritten += `${line} ${JSON.stringify(document)}\n`;
    return this.#unwritten.length < pieceSize ? undefined : this.#write();
  }

  /** Reads the documents in order. Each call starts with the first. */
  async *documents(): AsyncGenerator<SpooledDocument, void, undefined> {
    await this.#write();
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of piecesOf(this.#file)) {
      text += decoder.decode(piece, { stream: true });
      let start = 0;
      for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
        const space = text.indexOf(" ", start);
        const json = text.slice(space + 1, end);
        yield { line: Number(text.slice(start, space)), document: JSON.parse(json), size: json.length };
        start = end + 1;
      }
      text = text.slice(start);
    }
  }

  /** Frees the disk. */
  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.from(this.#unwritten);
    this.#unwritten = "";
    this.#count(bytes.length);
    // Writes at the current position, which reading does not move.
    await this.#file.writeFile(bytes).catch((error: unknown) => {
      throw temporaryFileFault(error);
    });
  }
}

const pieceSize = 65_536;

/** Groups documents that are looked at, or stored, at the same time. */
export async function* inBatches(
  documents: AsyncIterable<SpooledDocument> | Iterable<SpooledDocument>,
  most: number,
): AsyncGenerator<readonly SpooledDocument[], void, undefined> {
  let batch: SpooledDocument[] = [];
  let size = 0;
  for await (const spooled of documents) {
    batch.push(spooled);
    size += spooled.size;
    if (batch.length < most && size < batchSize) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** In characters of JSON, exceeded by at most one document: a store refuses changes when too many bytes wait to be written. */
const batchSize = 1_048_576;

/**
 * Converts errors of a temporary file that pass by themselves or when room is made to StoreUnavailable, after which clients try again.
 * These are published on `noRoomChannel`.
 */
export function temporaryFileFault(error: unknown): unknown {
  if (!(error instanceof Error && "code" in error && passing.has(String(error.code)))) return error;
  const fault = new StoreUnavailable("There is no room for temporary files", { cause: error });
  noRoom.publish(fault);
  return fault;
}

/** The name of the channel of `node:diagnostics_channel` on which each StoreUnavailable for want of room for temporary files is published. */
export const noRoomChannel = "waymark.collection.no-room";
/** Kept, since Bun forgets a channel that nothing but its subscribers has. */
const noRoom = channel(noRoomChannel);

const passing: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE"]);

/**
 * Opens a new file without a name in the system's temporary folder (`TMPDIR`), for reading and writing. The system removes it when
 * it is closed, or the process ends, however it ends.
 *
 * @throws Error of the system (rejects) when it cannot be made
 */
export async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `collection-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

/** Yields what a file has from a position on, in pieces of 64 KiB. Each call reads for itself, and none moves where is written. */
export async function* piecesOf(file: FileHandle, start = 0): AsyncGenerator<Buffer, void, undefined> {
  for (let position = start; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
