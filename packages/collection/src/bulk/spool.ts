import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LineCutter } from "../formats/list-decoder.ts";
import { type Document, StoreUnavailable } from "../store.ts";

/** A document that is to be stored once all of them are known to be good. */
export interface SpooledDocument {
  /** The line of the content on which it begins. */
  readonly line: number;
  readonly document: Document;
  /** Of its JSON text, in bytes. */
  readonly size: number;
}

/**
 * Documents on disk, so that neither memory nor a transaction holds them while a client sends more: a file in the system's
 * temporary folder (`TMPDIR`). It has no name from the start, so that it is gone with the process, however that ends.
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
   * @param count called before as many bytes are written; what it throws ends that
   * @throws StoreUnavailable (rejects) when there is no room for it
   */
  static async open(count: (bytes: number) => void): Promise<Spool> {
    const path = join(tmpdir(), `collection-${randomUUID()}`);
    try {
      const file = await open(path, "wx+", 0o600);
      await unlink(path);
      return new Spool(file, count);
    } catch (error) {
      throw toStoreFault(error);
    }
  }

  /** Takes a document; a promise when it has to wait for the disk. */
  add(line: number, document: Document): Promise<void> | undefined {
    this.#unwritten += `${line} ${JSON.stringify(document)}\n`;
    return this.#unwritten.length < pieceSize ? undefined : this.#write();
  }

  /** The documents in their order, from the first, each time. */
  async *documents(): AsyncGenerator<SpooledDocument, void, undefined> {
    await this.#write();
    const lines = new LineCutter(Number.POSITIVE_INFINITY); // each is ended
    for await (const piece of this.#pieces()) {
      for (const { bytes } of lines.add(piece)) {
        const text = new TextDecoder().decode(bytes);
        const space = text.indexOf(" ");
        const [line, json] = [text.slice(0, space), text.slice(space + 1)];
        yield { line: Number(line), document: JSON.parse(json), size: bytes?.length ?? 0 };
      }
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
    // From the current position, which reading does not move.
    await this.#file.writeFile(bytes).catch((error: unknown) => {
      throw toStoreFault(error);
    });
  }

  async *#pieces(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let position = 0; ; ) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.allocUnsafe(pieceSize), 0, pieceSize, position);
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }
}

const pieceSize = 65_536;

/** What passes by itself or by making room is for the client to try again; anything else is a fault. */
function toStoreFault(error: unknown): unknown {
  const isPassing = error instanceof Error && "code" in error && passing.has(String(error.code));
  return isPassing ? new StoreUnavailable("There is no room for temporary files", { cause: error }) : error;
}

const passing: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG", "EMFILE", "ENFILE"]);
