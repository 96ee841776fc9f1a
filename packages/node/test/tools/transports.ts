import { request as sendOverHttp } from "node:http";
import { buffer } from "node:stream/consumers";
import { serve } from "@waymark/node";
import type { App } from "waymark";
import { fetched } from "../../../waymark/test/tools/ask.ts";
import { testEngine } from "./test-engine.ts";

/** What came over a transport. */
export interface Answer {
  readonly status: number;
  /** By lower-case name; the lines of a field joined. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
  /** The bytes as UTF-8. */
  readonly text: string;
}

/** Sends a request: the line is its method and its target. */
export type Ask = (line: string, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

/** The ways to an app, by name: each runs a body of tests with an `ask` that goes its way. */
export const transports: Readonly<Record<string, (app: App, use: (ask: Ask) => Promise<void>) => Promise<void>>> = {
  async "in memory"(app, use) {
    await use((line, headers) => fetched(app, line, headers));
  },
  async "over a socket"(app, use) {
    const server = await serve(app, { engine: testEngine });
    try {
      await use((line, headers = {}) => {
        const [method, path] = line.split(" ");
        return new Promise((resolve, reject) => {
          const message = sendOverHttp({ port: server.port, host: "127.0.0.1", method, path, headers, agent: false });
          message.once("error", reject);
          message.once("response", (response) => {
            const fields = Object.entries(response.headersDistinct).map(([name, lines = []]) => [
              name,
              lines.join(", "),
            ]);
            const answer = { status: response.statusCode ?? 0, headers: Object.fromEntries(fields) };
            buffer(response).then((bytes) => resolve({ ...answer, bytes, text: bytes.toString() }), reject);
          });
          message.end();
        });
      });
    } finally {
      await server.close({ grace: 0 });
    }
  },
};
