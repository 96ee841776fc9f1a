import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { it } from "node:test";
import { createSqliteFile } from "../tools/databases.ts";
import { type ServiceProcess, startService } from "../tools/programs/service-process.ts";

const json = { "Content-Type": "application/json" };

const send = (service: ServiceProcess, method: string, path: string, headers: Record<string, string>, body?: object) =>
  fetch(service.url + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });

it("leaves nothing of a removed or replaced person in an SQLite file", async () => {
  const database = await createSqliteFile();
  const files = ["", "-wal"].map((suffix) => database.location + suffix);
  const found = (text: string): boolean =>
    files.some((file) => existsSync(file) && readFileSync(file, "latin1").includes(text));
  try {
    await using service = await startService("--database", database.location);
    for (let i = 0; i < 50; i++) {
      const person = { name: `Person ${i}`, description: `The secret of ${i}. `.repeat(i * 4 + 1).trimEnd() };
      const headers = { ...json, "Idempotency-Key": `"key ${i}"` };
      assert.equal((await send(service, "POST", "/person", headers, person)).status, 200);
    }
    assert.ok(found("The secret of 7."));
    for (let id = 1; id <= 50; id++) {
      const changed =
        id % 2 === 0
          ? await send(service, "DELETE", `/person/${id}`, {})
          : await send(service, "PUT", `/person/${id}`, json, { name: `Person ${id}` });
      assert.ok(changed.ok);
    }
    const again = await send(
      service,
      "POST",
      "/person",
      { ...json, "Idempotency-Key": '"key 0"' },
      {
        name: "Person 0",
        description: "The secret of 0.",
      },
    );
    assert.deepEqual([again.status, again.headers.get("Location")], [200, "/person/1"]);
    service.kill("SIGTERM");
    assert.equal((await service.exited).code, 0);
    assert.ok(!found("The secret"));
    assert.ok(found("Person 1"));
  } finally {
    await database.remove();
  }
});
