import type { Socket } from "node:net";

/**
 * The sending side of a connection. While the connection reads what has arrived, its answers are gathered, so that those to
 * many requests of one segment are one write.
 */
export class Output {
  readonly #socket: Socket;
  #gathered = "";
  #gathers = false;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether the client has to take something before more should be written. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain;
  }

  /** Whether everything that was written has left the process. */
  get isSent(): boolean {
    return this.#gathered === "" && this.#socket.writableLength === 0;
  }

  /** Gathers what is written from now on, until `flush`. */
  gather(): void {
    this.#gathers = true;
  }

  /** Writes text each of whose characters is one byte. */
  latin1(text: string): void {
    this.#gathered += text;
    if (!this.#gathers || this.#gathered.length > mostGathered) this.#writeGathered();
  }

  utf8(text: string): void {
    this.#writeGathered();
    this.#socket.write(text, "utf8");
  }

  /** Writes a text each of whose characters is one byte, bytes, and another such text, as one write. */
  bytes(before: string, bytes: Uint8Array, after = ""): void {
    const start = this.#gathered + before;
    this.#gathered = "";
    this.#socket.cork();
    if (start !== "") this.#socket.write(start, "latin1");
    if (bytes.length > 0) this.#socket.write(bytes);
    if (after !== "") this.#socket.write(after, "latin1");
    this.#socket.uncork();
  }

  flush(): void {
    this.#gathers = false;
    this.#writeGathered();
  }

  /** Calls back when everything that was written has left the process, or with false when it never will. */
  whenSent(done: (isSent: boolean) => void): void {
    this.#writeGathered();
    this.#socket.write("", (error) => done(error === null || error === undefined));
  }

  #writeGathered(): void {
    if (this.#gathered === "") return;
    const text = this.#gathered;
    this.#gathered = "";
    this.#socket.write(text, "latin1");
  }
}

/** Characters: what Node takes at once before a socket is full. */
const mostGathered = 65_536;
