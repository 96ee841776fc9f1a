import { connect, type Socket } from "node:net";

/** A response as it came over the connection. */
export interface RawResponse {
  readonly status: number;
  /** Values by lower-case name; of several lines the last. */
  readonly headers: Readonly<Record<string, string>>;
  /** Status line and fields, as sent. */
  readonly head: string;
  readonly body: string;
}

/** An HTTP client that sends exactly these bytes and reads one response at a time. */
export class RawConnection {
  readonly socket: Socket;
  /** Resolves when the connection is closed, with how: by the other side's end, or broken. */
  readonly closed: Promise<"ended" | "broken">;
  // Joined when they are looked at: joining at each piece would take quadratic time.
  #pieces: Buffer[] = [];
  #size = 0;
  #ended = false;
  #wake: () => void = () => undefined;

  /** @param localAddress the address that the server sees; default: that of the system's choice */
  constructor(port: number, localAddress?: string) {
    this.socket = connect({ port, host: "127.0.0.1", localAddress });
    let ending: "ended" | "broken" = "broken";
    this.socket.on("data", (piece) => {
      this.#pieces.push(piece as Buffer);
      this.#size += piece.length;
      this.#wake();
    });
    this.socket.on("end", () => {
      ending = "ended";
    });
    this.socket.on("error", () => {
      ending = "broken";
    });
    this.closed = new Promise((resolve) => {
      this.socket.on("close", () => {
        this.#ended = true;
        this.#wake();
        resolve(ending);
      });
    });
  }

  send(bytes: string): this {
    this.socket.write(bytes, "latin1");
    return this;
  }

  /** Sends each line with its end. */
  sendLines(...lines: readonly string[]): this {
    return this.send(lines.map((line) => `${line}\r\n`).join(""));
  }

  /** Sends a request without content. */
  request(line: string, ...fields: readonly string[]): this {
    return this.sendLines(`${line} HTTP/1.1`, "Host: localhost", ...fields, "");
  }

  /** The next response; `HEAD` has fields about content that does not follow. */
  async response(method: "GET" | "HEAD" = "GET"): Promise<RawResponse> {
    const headEnd = await this.#find("\r\n\r\n");
    const head = this.#take(headEnd + 4).slice(0, -4);
    const [statusLine = "", ...lines] = head.split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const status = Number(statusLine.split(" ")[1]);
    const bodiless = method === "HEAD" || status < 200 || status === 204 || status === 304;
    return { status, headers, head, body: bodiless ? "" : await this.#body(headers) };
  }

  /** Everything that has come and not been taken as a response, once the connection is closed. */
  async rest(): Promise<string> {
    await this.closed;
    return this.#take(this.#size);
  }

  /** Waits until the text has come, and takes everything up to its end. */
  async through(text: string): Promise<string> {
    return this.#take((await this.#find(text)) + text.length);
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Goes away at once, and lets the server know. */
  reset(): void {
    this.socket.resetAndDestroy();
  }

  async #body(headers: RawResponse["headers"]): Promise<string> {
    if (headers["transfer-encoding"] === "chunked") {
      let body = "";
      for (;;) {
        const size = Number.parseInt(this.#take((await this.#find("\r\n")) + 2), 16);
        await this.#until(() => this.#size >= size + 2);
        body += this.#take(size + 2).slice(0, -2);
        if (size === 0) return body;
      }
    }
    const length = headers["content-length"];
    if (length === undefined) return this.rest();
    await this.#until(() => this.#size >= Number(length));
    return this.#take(Number(length));
  }

  async #find(text: string): Promise<number> {
    await this.#until(() => this.#received.includes(text));
    return this.#received.indexOf(text);
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#ended)
        throw new Error(`The connection closed after ${JSON.stringify(this.#received.toString("latin1", 0, 1000))}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  get #received(): Buffer {
    if (this.#pieces.length !== 1) this.#pieces = [Buffer.concat(this.#pieces)];
    return this.#pieces[0] as Buffer;
  }

  #take(length: number): string {
    const received = this.#received;
    this.#pieces = [received.subarray(length)];
    this.#size -= length;
    return received.toString("latin1", 0, length);
  }
}
