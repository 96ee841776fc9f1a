/** Finds where responses end, of those with a length or in chunks: as much of HTTP/1.1 as a load generator needs. */
export class ResponseReader {
  #head = "";
  #status = 0;
  /** The bytes of content still to come; undefined before the end of the head is found, and for chunks. */
  #left: number | undefined;
  /** The last bytes of content in chunks, and before it the end of the head. */
  #end = lineEnd;

  /** Takes a piece of what the server sends; the status of the response when that is its end. */
  read(piece: Buffer): number | undefined {
    if (this.#status !== 0) return this.#readContent(piece);
    this.#head += piece.toString("latin1");
    const end = this.#head.indexOf("\r\n\r\n");
    if (end < 0) return undefined;
    const head = this.#head.slice(0, end);
    const rest = piece.subarray(piece.length - (this.#head.length - end - 4));
    this.#head = "";
    this.#status = Number(head.slice(9, 12));
    const length = /\r\nContent-Length: *(\d+)/i.exec(head)?.[1];
    this.#left = length === undefined ? undefined : Number(length);
    return this.#readContent(rest);
  }

  #readContent(piece: Buffer): number | undefined {
    if (this.#left === undefined) {
      this.#end = (this.#end + piece.toString("latin1", Math.max(0, piece.length - lastChunk.length))).slice(
        -lastChunk.length,
      );
      if (this.#end !== lastChunk) return undefined;
    } else {
      this.#left -= piece.length;
      if (this.#left > 0) return undefined;
    }
    const status = this.#status;
    this.#status = 0;
    this.#left = undefined;
    this.#end = lineEnd;
    return status;
  }
}

const lineEnd = "\r\n";
const lastChunk = "\r\n0\r\n\r\n";
