import type { Transform } from "node:stream";
import type { Zlib } from "node:zlib";

/** A stream of node:zlib that is fed step by step: it works on what a step puts in, as fast as what comes out is taken. */
export class ZlibSteps {
  readonly #stream: Transform & Zlib;
  #wake: () => void = () => undefined;
  #error: Error | undefined;

  constructor(stream: Transform & Zlib) {
    const fail = (error: Error): void => {
      this.#error ??= error;
      this.#wake();
    };
    this.#stream = stream;
    stream.on("readable", () => this.#wake());
    stream.on("error", fail);
    stream.on("close", () => fail(new Error("The coding was ended early")));
  }

  /** Puts bytes in, and gives what comes out before the next are needed. Throws what zlib makes of them. */
  write(bytes: Uint8Array): AsyncIterable<Uint8Array> {
    return this.#step((taken) => this.#stream.write(bytes, taken));
  }

  /** Gives what is held back, by a flush of this kind, one of zlib's constants. */
  flush(kind: number): AsyncIterable<Uint8Array> {
    return this.#step((taken) => this.#stream.flush(kind, taken));
  }

  /** Gives the rest. */
  end(): AsyncIterable<Uint8Array> {
    return this.#step((taken) => this.#stream.once("end", taken).end());
  }

  /** Frees the stream; a step that is under way throws. */
  close(): void {
    this.#stream.destroy();
  }

  async *#step(put: (taken: (error?: unknown) => void) => void): AsyncGenerator<Uint8Array> {
    let isTaken = false;
    put((error) => {
      isTaken = error === undefined || error === null;
      this.#wake();
    });
    for (;;) {
      const piece: Uint8Array | null = this.#stream.read();
      if (piece !== null) yield piece;
      else if (isTaken) return;
      else if (this.#error !== undefined) throw this.#error;
      else await this.#woken();
    }
  }

  #woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
