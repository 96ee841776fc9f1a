import { ContentError } from "waymark/content";

/** A form with one file, which is sent after all other fields. */
export interface FileForm {
  readonly fields: URLSearchParams;
  /** What the file is called; empty where none was chosen. */
  readonly fileName: string;
  /** The pieces of the file, as they arrive. They throw ContentError where the form does not end after the file. */
  readonly file: AsyncIterable<Uint8Array>;
}

/**
 * Reads a form of the type `multipart/form-data` (RFC 7578), up to its file, which is read when its pieces are asked for.
 *
 * @param boundary the parameter of the type
 * @param fileField the name of the field of the file
 * @throws ContentError when it is no such form, has any other file, or long fields
 */
export async function readFileForm(
  content: AsyncIterable<Uint8Array>,
  boundary: string,
  fileField: string,
): Promise<FileForm> {
  const parts = new PartReader(content, boundary);
  const fields = new URLSearchParams();
  while (await parts.next()) {
    const { name, fileName } = disposition(await parts.text(headEnd));
    if (fileName !== undefined) {
      if (name !== fileField) throw new ContentError(`The form has a file in a field other than "${fileField}"`);
      return { fields, fileName, file: parts.last() };
    }
    if (fields.size === mostFields) throw new ContentError("The form has too many fields");
    fields.append(name, await parts.text(parts.delimiter));
  }
  throw new ContentError(`The form has no file in the field "${fileField}"`);
}

/** A column of a file has one each. */
export const mostFields = 1_000;
/** In bytes: all that a form may have beside its file. */
export const mostAround = 262_144;
const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");

/** Reads the head of a part, in which browsers escape quotation marks and line ends as in a URL. */
function disposition(head: string): { readonly name: string; readonly fileName: string | undefined } {
  const [, name, fileName] =
    /^content-disposition: *form-data; *name="([^"\r\n]*)"(?:; *filename="([^"\r\n]*)")? *$/im.exec(head) ?? [];
  if (name === undefined) throw new ContentError("A part of the form has no Content-Disposition with a name");
  return { name, fileName };
}

/** Takes the parts out of a form. Of what arrives it keeps a piece, and what may be the beginning of a delimiter. */
class PartReader {
  /** What ends each part. */
  readonly delimiter: Buffer;
  readonly #pieces: AsyncIterator<Uint8Array>;
  /** The first delimiter has no line end before it. */
  #held: Buffer = lineEnd;
  #isBegun = false;
  /** In bytes. */
  #textLength = 0;

  constructor(content: AsyncIterable<Uint8Array>, boundary: string) {
    this.delimiter = Buffer.from(`\r\n--${boundary}`);
    this.#pieces = content[Symbol.asyncIterator]();
  }

  /** Goes on to the next part; returns false where the form has ended. */
  async next(): Promise<boolean> {
    if (!this.#isBegun) await this.text(this.delimiter);
    this.#isBegun = true;
    while (this.#held.length < lineEnd.length) await this.#receive();
    const mark = this.#held.subarray(0, lineEnd.length).toString("latin1");
    this.#held = this.#held.subarray(lineEnd.length);
    if (mark !== "\r\n" && mark !== "--") throw new ContentError("The form has more than a boundary on its line");
    return mark === "\r\n";
  }

  /** Returns what is before the end, as text. */
  async text(end: Buffer): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.#until(end)) {
      this.#textLength += piece.length;
      if (this.#textLength > mostAround)
        throw new ContentError(`The form has fields of more than ${mostAround} bytes together`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString();
  }

  /** The pieces of the part, which must be the last one. */
  async *last(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      yield* this.#until(this.delimiter);
      if (await this.next()) throw new ContentError("The form has something after its file");
      // What follows the last delimiter says nothing.
      while (!(await this.#pieces.next()).done);
    } finally {
      await this.#pieces.return?.();
    }
  }

  async *#until(end: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const at = this.#held.indexOf(end);
      const due = at >= 0 ? at : this.#held.length - end.length + 1;
      const piece = this.#held.subarray(0, Math.max(due, 0));
      this.#held = this.#held.subarray(piece.length + (at >= 0 ? end.length : 0));
      if (piece.length > 0) yield piece;
      if (at >= 0) return;
      await this.#receive();
    }
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new ContentError("The form ended before its last boundary");
    this.#held = Buffer.concat([this.#held, value]);
  }
}
