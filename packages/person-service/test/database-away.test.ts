import assert from "node:assert/strict";
import { it } from "node:test";
import { postgresServer } from "../../collection/test/postgres-server.ts";
import { startService } from "./service-process.ts";

it("a PostgreSQL server that is stopped and started makes the service not ready, with the cause, and ready again", async () => {
  const server = await postgresServer();
  await using service = await startService("--database", await server.createDatabase());
  const headers = { "Content-Type": "application/json" };
  const post = async (name: string): Promise<number> =>
    (await fetch(`${service.url}/person`, { method: "POST", headers, body: JSON.stringify({ name }) })).status;
  const readiness = (): Promise<Response> => fetch(`${service.url}/health/ready`);
  assert.deepEqual([await post("Ada"), (await readiness()).status], [200, 200]);

  const unavailable = service.untilPrinted(/"database-unavailable"/);
  await server.stop();
  assert.equal(await post("Grace"), 503);
  const notReady = await readiness();
  assert.equal(notReady.status, 503);
  assert.match(await notReady.text(), /"detail":"The (?:connection to the )?database (?:broke|cannot be reached)\."/);
  for (let i = 0; i < 5; i++) assert.equal(await post("Grace"), 503);
  await unavailable;

  const available = service.untilPrinted(/"database-available"/);
  await server.start();
  await available;
  assert.deepEqual([(await readiness()).status, await post("Grace")], [200, 200]);
  service.kill("SIGTERM");
  const { code, log } = await service.exited;
  assert.equal(code, 0);
  assert.deepEqual(
    log.map(({ event }) => event),
    ["start", "database-unavailable", "database-available", "stop"],
  );
});
