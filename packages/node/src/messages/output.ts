import type { Writable } from "node:stream";
import type { ServeSettings } from "../options.ts";
import type { Unsent, UnsentHolder } from "./unsent.ts";

/** How little a client may take before it is cut off, and where what waits for all clients is counted. */
export interface OutputLimits extends Pick<ServeSettings, "writeTimeout" | "minWriteRate"> {
  readonly unsent: Unsent;
}

/**
 * The sending side of a connection, or of a stream of HTTP/2. While a connection reads what has arrived, its answers are
 * gathered, so that those to many requests of one segment are one write. What is long is written in slices, each when the
 * one before has been taken: so a client that takes little can be known from one that takes nothing. Both are cut off. The
 * slices are longer while the system takes them at once.
 */
export class Output implements UnsentHolder {
  readonly #stream: Writable;
  readonly #limits: OutputLimits;
  readonly #onDrain: () => void;
  readonly #cut: () => void;
  /** Characters and bytes that were handed to Node. */
  #written: number;
  #gathers = false;
  #gathered = "";
  /** What is to be written, and how much of the first part has been; `unsent` counts the characters and bytes of all that is left. */
  readonly #backlog: (string | Uint8Array)[] = [];
  #sliced = 0;
  #sliceSize = leastSlice;
  /** As counted here; what Node holds comes on top. */
  unsent = 0;
  #isDiscarded = false;
  #isSlicing = false;
  #ends = false;
  #whenEmpty: (() => void) | undefined;
  /** What the client had taken at the last look. */
  #taken = 0;
  /** For how long it has taken nothing, in milliseconds. */
  still = 0;
  /** For how long something has waited, in milliseconds, and how much was taken meanwhile. */
  #waited = 0;
  #progress = 0;

  /**
   * @param onDrain called when there is room again after it was full
   * @param cut breaks the connection, or the stream, of a client that takes too little
   */
  constructor(stream: Writable, limits: OutputLimits, onDrain: () => void, cut: () => void) {
    this.#stream = stream;
    this.#written = stream.writableLength;
    this.#limits = limits;
    this.#onDrain = onDrain;
    this.#cut = cut;
  }

  /** To be called when Node has room again. */
  resume(): void {
    if (!this.isFull) this.#onDrain();
  }

  /** Whether the client has to take something before more should be written. */
  get isFull(): boolean {
    return this.unsent > 0 || this.#stream.writableNeedDrain;
  }

  /** Whether everything that was written has left the process. */
  get isSent(): boolean {
    return this.#gathered === "" && this.unsent === 0 && this.#stream.writableLength === 0;
  }

  /** Gathers what is written from now on, until `flush`. */
  gather(): void {
    this.#gathers = true;
  }

  /** Writes text each of whose characters is one byte. */
  latin1(text: string): void {
    if (this.#gathered.length + text.length > leastSlice) this.#writeGathered();
    this.#gathered += text;
    if (!this.#gathers) this.#writeGathered();
  }

  utf8(text: string): void {
    this.#writeGathered();
    if (text.length > leastSlice || this.unsent > 0) this.#enqueue(Buffer.from(text));
    else this.#hand(text, "utf8");
  }

  /** Writes a text each of whose characters is one byte, bytes, and another such text: as one write unless they are long. */
  bytes(before: string, bytes: Uint8Array, after = ""): void {
    const parts = [this.#gathered + before, bytes, after].filter(({ length }) => length > 0);
    this.#gathered = "";
    if (bytes.length > leastSlice || this.unsent > 0) this.#enqueue(...parts);
    else {
      this.#stream.cork();
      for (const part of parts) this.#hand(part, "latin1");
      this.#stream.uncork();
    }
  }

  /** Writes bytes that are short, and ends the sending side with them. */
  endWith(bytes: Uint8Array): void {
    if (this.#isDiscarded) return;
    this.#written += bytes.length;
    this.#stream.end(bytes);
  }

  flush(): void {
    this.#gathers = false;
    this.#writeGathered();
  }

  /** Ends the sending side behind what was written. */
  end(): void {
    this.flush();
    if (this.unsent === 0) this.#stream.end();
    else this.#ends = true;
  }

  /** Calls back when everything that was written has left the process; never, if the connection breaks. One at a time. */
  whenSent(done: () => void): void {
    this.#writeGathered();
    if (this.unsent > 0) this.#whenEmpty = done;
    else this.#stream.write("", (error) => error ?? done());
  }

  /** Lets go of everything that has not been written, and takes no more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#gathered = "";
    this.unsent = 0;
    for (const part of this.#backlog.splice(0)) this.#limits.unsent.release(this, part);
  }

  giveUp(): void {
    this.discard();
    this.#cut();
  }

  /**
   * Gives the client up when it has taken too little since the last call.
   *
   * @param elapsed since the last call, in milliseconds
   * @param isSilent whether the client is watched even when nothing waits for it
   */
  look(elapsed: number, isSilent = false): void {
    const { writeTimeout, minWriteRate } = this.#limits;
    const { isSent } = this;
    const taken = this.#written - this.#stream.writableLength;
    const progress = taken - this.#taken;
    this.#taken = taken;
    this.still = progress === 0 && (!isSent || isSilent) ? this.still + elapsed : 0;
    this.#waited = isSent ? 0 : this.#waited + elapsed;
    this.#progress = isSent ? 0 : this.#progress + progress;
    if (writeTimeout === 0 || (this.still <= writeTimeout && this.#waited <= writeTimeout)) return;
    if (this.still > writeTimeout || this.#progress < (this.#waited / 1_000) * minWriteRate) this.giveUp();
    this.#waited = 0;
    this.#progress = 0;
  }

  #writeGathered(): void {
    const text = this.#gathered;
    this.#gathered = "";
    if (text === "") return;
    if (text.length > leastSlice || this.unsent > 0) this.#enqueue(text);
    else this.#hand(text, "latin1");
  }

  #hand(part: string | Uint8Array, encoding: "latin1" | "utf8", taken?: (error?: Error | null) => void): void {
    if (this.#isDiscarded) return;
    this.#written += part.length;
    if (typeof part === "string") this.#stream.write(part, encoding, taken);
    else this.#stream.write(part, taken);
  }

  #enqueue(...parts: readonly (string | Uint8Array)[]): void {
    for (const part of parts) {
      if (this.#isDiscarded) return; // perhaps because of the part before
      this.#backlog.push(part);
      this.unsent += part.length;
      this.#limits.unsent.hold(this, part);
    }
    if (!this.#isSlicing) this.#writeSlice();
  }

  /** Writes the next slice as one write, which may have several parts. */
  #writeSlice(): void {
    // Too much may have been held, and let go.
    if (this.#backlog.length === 0) return;
    this.#isSlicing = true;
    let [whole, length] = [0, 0];
    const taken = (error?: Error | null): void => {
      if (error || this.#isDiscarded) return;
      this.unsent -= length;
      for (const part of this.#backlog.splice(0, whole)) this.#limits.unsent.release(this, part);
      this.#isSlicing = this.#backlog.length > 0;
      if (this.#isSlicing) this.#writeSlice();
      else this.#emptied();
    };
    this.#stream.cork();
    for (const part of this.#backlog) {
      const end = this.#sliced + this.#sliceSize - length;
      const piece = typeof part === "string" ? part.slice(this.#sliced, end) : part.subarray(this.#sliced, end);
      length += piece.length;
      const isWhole = this.#sliced + piece.length === part.length;
      this.#sliced = isWhole ? 0 : this.#sliced + piece.length;
      if (isWhole) whole++;
      const isLast = length === this.#sliceSize || whole === this.#backlog.length;
      this.#hand(piece, "latin1", isLast ? taken : undefined);
      if (isLast) break;
    }
    this.#stream.uncork();
    this.#sliceSize = this.#stream.writableLength === 0 ? mostSlice : leastSlice;
  }

  #emptied(): void {
    const done = this.#whenEmpty;
    this.#whenEmpty = undefined;
    done?.();
    if (this.#ends) this.#stream.end();
    else this.#onDrain();
  }
}

/** Bytes. A client is taken for gone that does not take as much within the time of `writeTimeout`. */
const leastSlice = 16_384;
/** Bytes of a slice after one that the system took at once: a fourth of the system calls for a client that keeps up. */
const mostSlice = 65_536;
