import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import type { SentRecord } from "../tools/answers.ts";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";

describe("two services on one SQLite file", () => {
  let database: TestDatabase;
  let services: readonly [ServiceProcess, ServiceProcess];

  before(async () => {
    database = await createSqliteFile();
    const start = () => startService("--database", database.location);
    services = await Promise.all([start(), start()]);
  });
  after(async () => {
    for (const service of services) await service[Symbol.asyncDispose]();
    await database.remove();
  });

  const post = ({ url }: ServiceProcess, person: object): Promise<Response> =>
    fetch(`${url}/person`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(person),
    });
  const list = async ({ url }: ServiceProcess): Promise<readonly SentRecord[]> =>
    JSON.parse(await (await fetch(`${url}/person`)).text());

  /** Sends the person until the service has stored it: a slow disk or processor may keep it from it for too long. */
  const store = async (service: ServiceProcess, person: object): Promise<Response> => {
    for (;;) {
      const answer = await post(service, person);
      if (answer.status !== 503) return answer;
      assert.notEqual(answer.headers.get("Retry-After"), null);
      await answer.text();
    }
  };

  it("both store what they are sent at the same time, each person once and with an id of its own", async () => {
    const answers = await Promise.all(
      Array.from({ length: 400 }, (_, n) => store(services[n % 2 === 0 ? 0 : 1], { name: `Ada ${n}` })),
    );
    const locations = new Set(answers.map(({ status, headers }) => `${status} ${headers.get("Location")}`));
    const expected = Array.from({ length: 400 }, (_, n) => `200 /person/${n + 1}`);
    assert.deepEqual([...locations].sort(), expected.sort());
    for (const service of services) {
      const names = (await list(service)).map(({ name }) => name);
      assert.equal(new Set(names).size, 400);
    }
  });

  it("store one of many people with the same identifier", async () => {
    const sent = Array.from({ length: 20 }, (_, n) =>
      store(services[n % 2 === 0 ? 0 : 1], { name: "Ada", identifier: "A1" }),
    );
    const statuses = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, ...Array.from({ length: 19 }, () => 409)]);
  });

  it("answer 503 to changes while another program writes for too long, and go on reading", async () => {
    const [service] = services;
    const before = await list(service);
    const other = new DatabaseSync(database.location);
    other.exec("BEGIN IMMEDIATE");
    let isWaiting = true;
    const refusals = Promise.all(Array.from({ length: 10 }, () => post(service, { name: "Ada" }))).finally(() => {
      isWaiting = false;
    });
    let reads = 0;
    for (; isWaiting || reads === 0; reads++) {
      const { status } = await fetch(`${service.url}/person/1`);
      assert.equal(status, 200);
    }
    for (const answer of await refusals) {
      assert.deepEqual([answer.status, answer.headers.get("Retry-After")], [503, "1"]);
      assert.match(await answer.text(), /Nothing was changed/);
    }
    assert.ok(reads > 1, `only ${reads} were read meanwhile`);
    other.exec("ROLLBACK");
    other.close();
    assert.deepEqual(await list(service), before);
    assert.equal((await post(service, { name: "Ada" })).status, 200);
  });
});
