import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connect2 } from "node:http2";
import { afterEach, describe, it } from "node:test";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { testEngine } from "../../../node/test/tools/test-engine.ts";
import { openPersonService, type PersonService, type PersonServiceOptions } from "../../src/index.ts";
import { asked, Client, type Fields, follow1 } from "../tools/event-stream-client.ts";

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
const tls = { key: fixture("key"), cert: fixture("cert") };

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
