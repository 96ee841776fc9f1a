import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type RunningServer, serve } from "@waymark/node";
import { spooledFiles } from "../../../collection/test/bulk/spooled-files.ts";
import { openPersonService, type PersonService } from "../../src/index.ts";
import { createSqliteFile, databaseKinds, type TestDatabase } from "../tools/databases.ts";
import { startService } from "../tools/programs/service-process.ts";
import { answerTo, beginImport } from "./import.ts";

for (const kind of databaseKinds) {
  describe(`an import that takes long (${kind.name})`, () => {
    let database: TestDatabase;
    let service: PersonService;
    let server: RunningServer;
    before(async () => {
      database = await kind.create();
      service = await openPersonService({ database: database.location });
      server = await serve(service.app);
    });
    after(async () => {
      await server.close({ grace: 0 });
      await service.database.close();
      await database.remove();
    });

    const post = async (name: string): Promise<number> => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(`${server.url}/person`, { method: "POST", headers, body: JSON.stringify({ name }) });
      return answer.status;
    };
    const names = async (): Promise<readonly string[]> => {
      const people = (await (await fetch(`${server.url}/person`)).json()) as { name: string }[]; // the service's own
      return people.map(({ name }) => name);
    };

    it("keeps no other change waiting, of one or of many, and comes after them", async () => {
      const slow = beginImport(server.url, "application/x-ndjson");
      const answered = answerTo(slow);
      slow.write('{"name":"Slow 1"}\n{"name":"Slow 2"}\n{"name":');
      assert.equal(await post("Ada"), 200);
      const quick = beginImport(server.url, "text/csv").end("name\r\nGrace\r\nMary\r\n");
      assert.equal((await answerTo(quick)).status, 200);
      slow.write('"Slow 3"}\n');
      assert.equal(await post("Zoë"), 200);
      assert.deepEqual(await names(), ["Ada", "Grace", "Mary", "Zoë"]);
      slow.end('{"name":"Slow 4"}');
      assert.deepEqual(await answered, { status: 200, body: '{"stored":4,"refused":0,"errors":[]}' });
      assert.deepEqual((await names()).slice(4), ["Slow 1", "Slow 2", "Slow 3", "Slow 4"]);
    });
  });
}

describe("an import whose client goes away", () => {
  for (const preference of [undefined, "handling=lenient"]) {
    it(`stores nobody and leaves nothing, ${preference ?? "all or none"}`, async () => {
      const database = await createSqliteFile();
      try {
        await using service = await startService("--database", database.location);
        const { url, pid } = service;
        const sending = beginImport(url, "application/x-ndjson", preference);
        sending.write('{"name":"Ada"}\n'.repeat(10_000));
        await until(url, () => spooledFiles(pid) !== 0);
        const broken = once(sending, "error");
        sending.destroy(new Error("the client goes away"));
        await broken;
        await until(url, () => spooledFiles(pid) !== 1);
        assert.equal(await (await fetch(`${url}/person`)).text(), "[]");
        service.kill("SIGTERM");
        const { code, stderr } = await service.exited;
        assert.deepEqual([code, stderr], [0, ""]);
      } finally {
        await database.remove();
      }
    });
  }
});

/** Asks the service for something else until the condition holds. */
async function until(url: string, holds: () => boolean): Promise<void> {
  while (!holds()) assert.equal((await fetch(`${url}/hello-world`)).status, 200);
}
