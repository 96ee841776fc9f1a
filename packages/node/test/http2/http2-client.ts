import { type ClientHttp2Session, connect } from "node:http2";
import type { RawResponse } from "../tools/raw-connection.ts";

/** A client of HTTP/2 that has its responses as a `RawConnection` has them. */
export class Http2Client {
  readonly #session: ClientHttp2Session;

  constructor(port: number) {
    this.#session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    // Each request fails then.
    this.#session.on("error", () => undefined);
  }

  /** Sends a request with these field lines; rejects when the session breaks. */
  ask(line: string, fields: readonly string[] = [], body = ""): Promise<RawResponse> {
    const [method = "", path = ""] = line.split(" ");
    const pairs = fields.map((each) => [each.slice(0, each.indexOf(":")).toLowerCase(), each.replace(/^.*?: */, "")]);
    const headers = { ":method": method, ":path": path, ":authority": "localhost", ...Object.fromEntries(pairs) };
    const stream = this.#session.request(headers, { endStream: body === "" });
    if (body !== "") stream.end(body);
    stream.setEncoding("latin1");
    let received = "";
    stream.on("data", (piece: string) => {
      received += piece;
    });
    return new Promise((resolve, reject) => {
      let answer: Omit<RawResponse, "body"> | undefined;
      stream.on("response", ({ ":status": status = 0, ...rest }) => {
        const values = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
        const head = values.map(([name, value]) => `${name}: ${value}`).join("\r\n");
        answer = { status, headers: Object.fromEntries(values), head: `${status}\r\n${head}` };
      });
      stream.on("error", reject);
      stream.on("close", () => {
        if (answer === undefined) reject(new Error("The session has ended"));
        else resolve({ ...answer, body: received });
      });
    });
  }

  destroy(): void {
    this.#session.destroy();
  }
}
