import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, describe, it } from "node:test";
import { personCollection } from "../../src/index.ts";
import { createSqliteFile, type TestDatabase } from "../tools/databases.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";
import { answerTo } from "../transfer/import.ts";
import { fillWithPeople } from "./streaming.ts";

const people = 20_000;

/** What everybody is like, so that each record is looked into again and again. */
const longQuery = [
  ...Object.entries(personCollection.members).flatMap(([name, { filter }]) =>
    filter === undefined ? [] : `${name}[ne]=${filter === "date" ? "1815-12-10" : "x"}`,
  ),
  ...["name", "identifier"].flatMap((member) => [
    `${member}[gt]=A`,
    `${member}[ge]=A`,
    `${member}[lt]=z`,
    `${member}[le]=z`,
  ]),
];

describe("a count that takes long", () => {
  let database: TestDatabase;
  let service: ServiceProcess;
  before(async () => {
    database = await createSqliteFile();
    await fillWithPeople(database.location, people, 100);
    service = await startService("--database", database.location);
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await database.remove();
  });

  const count = (query: readonly string[]) =>
    request(`${service.url}/person?limit=1&${query.join("&")}`, { headers: { Prefer: "count=exact" } });

  it("does not delay other reads and lists", async () => {
    const order: string[] = [];
    // Each takes a tenth of a second: enough of them for the other requests to come first, and not for the 10 seconds that they may
    // take together on a busy machine.
    const counting = Array.from({ length: 8 }, () => count(longQuery));
    const counted = Promise.all(counting.map(answerTo)).then((answers) => {
      for (const { status } of answers) assert.equal(status, 200);
      order.push("counts");
    });
    for (const each of counting) await new Promise<void>((resolve) => each.end(resolve));
    for (const target of ["/person/7", "/person?limit=50&sort=name"]) {
      const answer = await fetch(`${service.url}${target}`);
      await answer.text();
      order.push(`${target} ${answer.status}`);
    }
    await counted;
    assert.deepEqual(order, ["/person/7 200", "/person?limit=50&sort=name 200", "counts"]);
  });

  it("is stopped when its client has gone, and the service goes on", async () => {
    for (let i = 0; i < 40; i++) {
      const counting = count(longQuery);
      counting.once("error", () => undefined);
      await new Promise<void>((resolve) => counting.end(resolve));
      counting.destroy();
    }
    const { status } = await answerTo(count([]).end());
    assert.equal(status, 200);
    service.kill("SIGTERM");
    const { code, stderr } = await service.exited;
    assert.deepEqual([code, stderr], [0, ""]);
  });
});
