import { joinBytes } from "../join-bytes.ts";
import { type ContentSource, contentTooLarge } from "../request-content.ts";
import { contentInterrupted } from "./content-interrupted.ts";

/** The content of a web request, with its declared length when it has one. */
export class WebContent implements ContentSource {
  readonly length: number | undefined;
  readonly #body: ReadableStream<Uint8Array> | null;

  constructor(request: Request) {
    const declared = request.headers.get("Content-Length");
    this.#body = request.body;
    if (this.#body === null) this.length = 0;
    else this.length = declared !== null && /^\d+$/.test(declared) ? Number(declared) : undefined;
  }

  async bytes(limit: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    for await (const piece of this.stream(limit)) pieces.push(piece);
    return joinBytes(pieces);
  }

  async *stream(limit: number): AsyncGenerator<Uint8Array> {
    if (this.#body === null) return;
    const reader = this.#body.getReader();
    let left = limit;
    try {
      for (;;) {
        const { done, value } = await reader.read().catch((cause: unknown) => {
          throw contentInterrupted(cause);
        });
        if (done) return;
        // A request made in this process may have a stream of anything, whose size says nothing.
        if (!(value instanceof Uint8Array)) throw new TypeError("The content of a web Request must be bytes");
        left -= value.byteLength;
        if (left < 0) throw contentTooLarge(limit);
        yield value;
      }
    } finally {
      // What is left is not wanted; of a stream that has ended or broken there is nothing to cancel.
      reader.cancel().catch(() => undefined);
    }
  }
}
