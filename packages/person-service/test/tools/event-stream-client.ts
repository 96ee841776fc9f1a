import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import type { RunningServer } from "@waymark/node";

export type Fields = Readonly<Record<string, string>>;

/** An event stream that is read line by line. */
export class Client {
  readonly fields: Fields;
  readonly input: Readable;
  readonly #lines: AsyncIterator<string>;
  /** The last cursor, and the latest state of each person. */
  id = "";
  readonly people: Map<number, string | undefined> = new Map();

  constructor(fields: Fields, input: Readable) {
    this.fields = fields;
    this.input = input;
    const lines: Interface = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Reads on until it has a cursor behind what it is to have; false where the stream ends before. */
  async until(hasAll: () => boolean): Promise<boolean> {
    for (let hasCursor = false; ; ) {
      const { done, value = "" } = await this.#lines.next();
      if (done === true) return false;
      const [, name, text = ""] = /^(\w*): ?(.*)$/.exec(value) ?? [];
      if (name === "id") {
        this.id = text;
        hasCursor = true;
      }
      if (name === "data") {
        const { id, removed, ...person } = JSON.parse(text);
        this.people.set(id, removed === true ? undefined : person.name);
      }
      // An empty line ends an event.
      if (value === "" && hasCursor && hasAll()) return true;
      if (value === "") hasCursor = false;
    }
  }

  /** Resolves when the server has ended the stream. */
  async ended(): Promise<void> {
    assert.equal(await this.until(() => false), false);
  }
}

/** What asks for an event stream, and takes any coding. */
export const asked: Fields = { Accept: "text/event-stream", "Accept-Encoding": "gzip, br, zstd" };

/** Follows the changes of people over HTTP/1.1. */
export async function follow1({ server }: { readonly server: RunningServer }, fields: Fields = {}): Promise<Client> {
  const sent = request(`${server.url}/person/changes`, { headers: { ...asked, ...fields } }).end();
  const [response] = await once(sent, "response");
  assert.equal(response.statusCode, 200);
  return new Client(response.headers, response);
}
