import type { Writable } from "node:stream";
import type { UnsentShare } from "./unsent.ts";

/**
 * The sending side of a connection, or of a stream of HTTP/2. While a connection reads what has arrived, its answers are
 * gathered, so that those to many requests of one segment are one write. What is long is written in slices, each when the
 * one before has been taken: so a client that takes little can be known from one that takes nothing.
 */
export class Output {
  readonly #stream: Writable;
  /** Characters and bytes that were handed to Node. */
  #written = 0;
  #gathers = false;
  #gathered = "";
  /** What waits for its turn, how much of the first has been written, and the characters and bytes of all that is left. */
  readonly #backlog: (string | Uint8Array)[] = [];
  #sliced = 0;
  #backlogLength = 0;
  readonly #unsent: UnsentShare;
  #isDiscarded = false;
  #isSlicing = false;
  #ends = false;
  #whenEmpty: (() => void)[] = [];
  readonly #onDrain: () => void;

  /** @param onDrain called when there is room again after it was full */
  constructor(stream: Writable, unsent: UnsentShare, onDrain: () => void) {
    this.#stream = stream;
    this.#unsent = unsent;
    this.#onDrain = onDrain;
  }

  /** To be called when Node has room again. */
  resume(): void {
    if (!this.isFull) this.#onDrain();
  }

  /** Whether the client has to take something before more should be written. */
  get isFull(): boolean {
    return this.#backlogLength > 0 || this.#stream.writableNeedDrain;
  }

  /** Whether everything that was written has left the process. */
  get isSent(): boolean {
    return this.#gathered === "" && this.#backlogLength === 0 && this.#stream.writableLength === 0;
  }

  /** A number that grows when the client takes something. */
  get taken(): number {
    return this.#written - this.#stream.writableLength;
  }

  /** Gathers what is written from now on, until `flush`. */
  gather(): void {
    this.#gathers = true;
  }

  /** Writes text each of whose characters is one byte. */
  latin1(text: string): void {
    if (this.#gathered.length + text.length > sliceSize) this.#writeGathered();
    this.#gathered += text;
    if (!this.#gathers) this.#writeGathered();
  }

  utf8(text: string): void {
    this.#writeGathered();
    if (text.length > sliceSize || this.#backlogLength > 0) this.#enqueue(Buffer.from(text));
    else this.#hand(text, "utf8");
  }

  /** Writes a text each of whose characters is one byte, bytes, and another such text: as one write unless they are long. */
  bytes(before: string, bytes: Uint8Array, after = ""): void {
    const start = this.#gathered + before;
    this.#gathered = "";
    this.#stream.cork();
    this.#write(start);
    this.#write(bytes);
    this.#write(after);
    this.#stream.uncork();
  }

  flush(): void {
    this.#gathers = false;
    this.#writeGathered();
  }

  /** Ends the sending side behind what was written. */
  end(): void {
    this.flush();
    if (this.#backlogLength === 0) this.#stream.end();
    else this.#ends = true;
  }

  /** Lets go of everything that has not been written, and takes no more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#gathered = "";
    this.#backlog.length = 0;
    this.#backlogLength = 0;
    this.#unsent.releaseAll();
  }

  /** Calls back when everything that was written has left the process; never, if the connection breaks. */
  whenSent(done: () => void): void {
    this.#writeGathered();
    if (this.#backlogLength > 0) this.#whenEmpty.push(done);
    else this.#stream.write("", (error) => error ?? done());
  }

  #writeGathered(): void {
    const text = this.#gathered;
    this.#gathered = "";
    this.#write(text);
  }

  #write(part: string | Uint8Array): void {
    if (part.length === 0) return;
    if (part.length > sliceSize || this.#backlogLength > 0) this.#enqueue(part);
    else this.#hand(part, "latin1");
  }

  #hand(part: string | Uint8Array, encoding: "latin1" | "utf8", taken?: (error?: Error | null) => void): void {
    if (this.#isDiscarded) return;
    this.#written += part.length;
    if (typeof part === "string") this.#stream.write(part, encoding, taken);
    else this.#stream.write(part, taken);
  }

  #enqueue(part: string | Uint8Array): void {
    if (this.#isDiscarded) return;
    this.#backlog.push(part);
    this.#backlogLength += part.length;
    this.#unsent.hold(part);
    if (!this.#isSlicing) this.#writeSlice();
  }

  #writeSlice(): void {
    const [part] = this.#backlog;
    // Too much may have been held, and let go.
    if (part === undefined) return;
    const end = this.#sliced + sliceSize;
    const slice = typeof part === "string" ? part.slice(this.#sliced, end) : part.subarray(this.#sliced, end);
    this.#sliced += slice.length;
    this.#isSlicing = true;
    const taken = (error?: Error | null): void => {
      if (error || this.#isDiscarded) return;
      this.#backlogLength -= slice.length;
      if (this.#sliced === part.length) {
        this.#backlog.shift();
        this.#sliced = 0;
        this.#unsent.release(part);
      }
      this.#isSlicing = this.#backlog.length > 0;
      if (this.#isSlicing) this.#writeSlice();
      else this.#emptied();
    };
    this.#hand(slice, "latin1", taken);
  }

  #emptied(): void {
    for (const done of this.#whenEmpty.splice(0)) done();
    if (this.#ends) this.#stream.end();
    else this.#onDrain();
  }
}

/** Bytes. A client is taken for gone that does not take as much within the time of `writeTimeout`. */
const sliceSize = 16_384;
