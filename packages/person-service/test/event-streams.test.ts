import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request as request1 } from "node:http";
import { connect as connect2 } from "node:http2";
import { createInterface, type Interface } from "node:readline";
import type { Readable } from "node:stream";
import { afterEach, describe, it, mock } from "node:test";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { testEngine } from "../../node/test/test-engine.ts";
import { openFolder } from "../../waymark/test/folder.ts";
import { openAccess, openPersonService, type PersonService, type PersonServiceOptions } from "../src/index.ts";
import { basic, quickHash } from "./access/basic-authentication.ts";

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
const tls = { key: fixture("key"), cert: fixture("cert") };

type Fields = Readonly<Record<string, string>>;

/** An event stream that is read line by line. */
class Client {
  readonly fields: Fields;
  readonly input: Readable;
  readonly #lines: AsyncIterator<string>;
  /** The last cursor, and the latest state of each person. */
  id = "";
  readonly people = new Map<number, string | undefined>();

  constructor(fields: Fields, input: Readable) {
    this.fields = fields;
    this.input = input;
    const lines: Interface = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** Reads on until it has a cursor behind what it is to have; false where the stream ends before. */
  async until(hasAll: () => boolean): Promise<boolean> {
    for (;;) {
      const { done, value = "" } = await this.#lines.next();
      if (done === true) return false;
      const [, name, text = ""] = /^(\w*): ?(.*)$/.exec(value) ?? [];
      if (name === "id") this.id = text;
      if (name === "data") {
        const { id, removed, ...person } = JSON.parse(text);
        this.people.set(id, removed === true ? undefined : person.name);
      }
      if (name === "id" && hasAll()) return true;
    }
  }

  /** Resolves when the server has ended the stream. */
  async ended(): Promise<void> {
    assert.equal(await this.until(() => false), false);
  }
}

interface Running {
  readonly service: PersonService;
  readonly server: RunningServer;
}

const open: Running[] = [];

async function start(options: Partial<PersonServiceOptions> = {}, serving: ServeOptions = {}): Promise<Running> {
  const service = await openPersonService({ database: ":memory:", ...options });
  const server = await serve(service.app, { engine: testEngine, ...serving });
  open.push({ service, server });
  return { service, server };
}

afterEach(async () => {
  for (const { service, server } of open.splice(0)) {
    await server.close({ grace: 0 });
    await service.database.close();
  }
});

const asked: Fields = { Accept: "text/event-stream", "Accept-Encoding": "gzip, br, zstd" };

async function follow1({ server }: Running, fields: Fields = {}, query = ""): Promise<Client> {
  const sent = request1(`${server.url}/person/changes${query}`, { headers: { ...asked, ...fields } }).end();
  const [response] = await once(sent, "response");
  assert.equal(response.statusCode, 200);
  return new Client(response.headers, response);
}

async function follow2({ server }: Running, fields: Fields = {}): Promise<Client> {
  const session = connect2(server.url, { ca: tls.cert });
  const stream = session.request({ ":path": "/person/changes", ...asked, ...fields });
  const [headers] = await once(stream, "response");
  assert.equal(headers[":status"], 200);
  stream.on("close", () => session.close());
  return new Client(headers, stream);
}

describe("an event stream of people", () => {
  for (const [protocol, serving, follow] of [
    ["HTTP/1.1", {}, follow1],
    ["HTTP/2", { tls }, follow2],
  ] as const) {
    it(`brings each change over ${protocol}, uncoded, and ends with the last cursor when the server does`, async () => {
      const running = await start({}, serving);
      const { people } = running.service;
      const client = await follow(running);
      assert.equal(client.fields["content-type"], "text/event-stream");
      assert.equal(client.fields["content-encoding"], undefined);
      await client.until(() => true);
      for (const name of ["Ada", "Grace"]) {
        await people.create({ name });
        await client.until(() => client.people.size > 0 && [...client.people.values()].at(-1) === name);
      }
      await people.remove(1);
      await client.until(() => client.people.get(1) === undefined);
      await running.server.close({ grace: 2_000_000 });
      await client.ended();
      assert.deepEqual([...client.people.values()], [undefined, "Grace"]);

      await people.create({ name: "Alan" });
      const next = await serve(running.service.app, { engine: testEngine, ...serving });
      open.push({ service: running.service, server: next });
      open.shift();
      const again = await follow({ ...running, server: next }, { "Last-Event-ID": client.id });
      await again.until(() => true);
      assert.deepEqual([...again.people], [[3, "Alan"]]);
    });
  }

  it("brings a client that does not read for a while to the latest states", async () => {
    const running = await start();
    const { people } = running.service;
    const description = "x".repeat(4000);
    const slow = await follow1(running);
    slow.input.pause();
    for (const round of ["first", "second", "last"]) {
      for (let id = 1; id <= 500; id++) {
        if (round === "first") await people.create({ name: round, description });
        else await people.replace(id, { name: round, description });
      }
    }
    for (let id = 3; id <= 500; id += 3) await people.remove(id);
    slow.input.resume();
    const names = (): readonly unknown[] => [...slow.people.values()];
    await slow.until(
      () =>
        names().every((name) => name === undefined || name === "last") &&
        slow.people.size === 500 &&
        !slow.people.get(498),
    );
    assert.equal(names().filter((name) => name === undefined).length, 166);
  });
});

describe("an event stream whose client's rights change", () => {
  const folder = openFolder("event-stream-rights");
  afterEach(() => mock.timers.reset());

  it("ends within 10 seconds where a GET would be refused now, and no other does", async () => {
    const names = ["stays", "leaves", "may-not-list", "new-password"];
    const users = names.map((name) => ({ name, password: quickHash("x"), scopes: ["list"] }));
    const rules = [
      { methods: ["GET"], path: "/person", scopes: ["list"] },
      { methods: ["GET"], path: "/person/changes", scopes: [] },
    ];
    const file = folder.write("access.json", { users, rules });
    const access = await openAccess({ file });
    mock.timers.enable({ apis: ["setInterval"] });
    const running = await start({ access: access.filter });
    const clients = new Map<string, Client>();
    for (const name of names) {
      const client = await follow1(running, { Authorization: basic(name, "x") });
      await client.until(() => true);
      clients.set(name, client);
    }
    const clientOf = (name: string): Client => clients.get(name) ?? assert.fail(name);
    folder.write("access.json", {
      rules,
      users: users.flatMap((user) => {
        if (user.name === "leaves") return [];
        if (user.name === "may-not-list") return [{ ...user, scopes: [] }];
        return [user.name === "new-password" ? { ...user, password: quickHash("y") } : user];
      }),
    });
    await access.reload();
    mock.timers.tick(5000);
    for (const name of names.slice(1)) await clientOf(name).ended();
    await running.service.people.create({ name: "Ada" });
    const stays = clientOf("stays");
    await stays.until(() => stays.people.size === 1);
  });
});
