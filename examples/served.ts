import { after, before } from "node:test";
import type { Database } from "@waymark/collection";
import { type RunningServer, serve } from "@waymark/node";
import type { App } from "waymark";

/** Sends a request, whose line is its method and target, with JSON. */
export type Ask = (line: string, body?: unknown, headers?: Readonly<Record<string, string>>) => Promise<Answer>;

export interface Answer {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** Serves an example on a port of its own and a database in memory, for the tests of the file. */
export function served(open: (address: string) => Promise<{ app: App; database: Database }>): Ask {
  let [server, database]: [RunningServer?, Database?] = [];
  before(async () => {
    const opened = await open(":memory:");
    database = opened.database;
    server = await serve(opened.app);
  });
  after(async () => {
    await server?.close({ grace: 0 });
    await database?.close();
  });
  return async (line, body, headers) => {
    const [method = "", target] = line.split(" ");
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${server?.port}${target}`, {
      method,
      headers: { "Content-Type": "application/json", ...headers },
      ...sent,
    });
    const text = await response.text();
    return { status: response.status, text, header: (name) => response.headers.get(name) };
  };
}
