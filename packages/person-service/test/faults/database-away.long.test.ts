import assert from "node:assert/strict";
import { it } from "node:test";
import { postgresServer } from "../../../collection/test/tools/postgres-server.ts";
import { startService } from "../tools/programs/service-process.ts";

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
    log.map(({ event }) => event).filter((event) => !event.startsWith("change")),
    ["start", "database-unavailable", "database-available", "stop"],
  );
});

it("a PostgreSQL server that goes away breaks off the lists that it sends, and the events go on when it is back", async () => {
  const server = await postgresServer();
  await using service = await startService("--database", await server.createDatabase());
  const people = `${service.url}/person`;
  const post = (type: string, body: string): Promise<Response> =>
    fetch(people, { method: "POST", headers: { "Content-Type": type }, body });
  const lines = `${JSON.stringify({ name: "Ada", description: "x".repeat(4000) })}\n`.repeat(5_000);
  assert.equal((await post("application/x-ndjson", lines)).status, 200);
  const events = await fetch(`${people}/changes?after=now`, { headers: { Accept: "text/event-stream" } });
  const pieces = events.body?.pipeThrough(new TextDecoderStream()).getReader() ?? assert.fail();
  const untilEvent = async (name: string): Promise<void> => {
    for (let text = ""; !text.includes(name); ) text += (await pieces.read()).value ?? assert.fail(text);
  };
  await post("application/json", '{"name":"Before"}');
  await untilEvent('"Before"');

  const list = await fetch(people);
  const held = fetch(`${people}/changes?after=now`, { headers: { Prefer: "wait=30" } });
  await server.stop();
  const lost = await post("application/json", '{"name":"Lost"}');
  assert.deepEqual([lost.status, lost.headers.get("Retry-After")], [503, "1"]);
  await assert.rejects(list.text());
  assert.equal((await held).status, 503);

  const available = service.untilPrinted(/"database-available"/);
  await server.start();
  await available;
  assert.equal((await post("application/json", '{"name":"After"}')).status, 200);
  await untilEvent('"After"');
  await pieces.cancel();
  service.kill("SIGTERM");
  const { code, log } = await service.exited;
  assert.equal(code, 0);
  const states = log.map(({ event }) => event).filter((event) => !event.startsWith("change"));
  assert.deepEqual(states.toSorted(), ["broken-off", "database-available", "database-unavailable", "start", "stop"]);
});
