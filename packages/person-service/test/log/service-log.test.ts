import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { StoreUnavailable } from "@waymark/collection";
import { around, HttpRequest } from "waymark";
import { caller } from "waymark/filters";
import { openPersonService, type PersonService, type PersonServiceOptions } from "../../src/index.ts";
import { watchDatabase } from "../../src/log/database-watch.ts";
import { logService, watchRefusals } from "../../src/log/service-log.ts";
import { type RecordedLog, recordedLog } from "./recorded-log.ts";

type Logged = RecordedLog & PersonService & AsyncDisposable;

async function loggedService(options: Partial<PersonServiceOptions> = {}): Promise<Logged> {
  const recorded = recordedLog({ detail: "requests" });
  const { observer, onFault } = logService(recorded.log);
  const service = await openPersonService({ database: ":memory:", observers: [observer], onFault, ...options });
  return { ...recorded, ...service, [Symbol.asyncDispose]: () => service.database.close() };
}

describe("a log of requests", () => {
  it("has a line for each: id, method, route, status, duration, bytes, caller, and nothing else of the client", async () => {
    const letIn = around((request, next) => next(request.withAttribute(caller, { id: "key:ci", scopes: [] })));
    await using service = await loggedService({ access: letIn });
    const headers = { Authorization: "Bearer secret", "Content-Type": "application/json", "X-Request-Id": "mine" };
    const body = JSON.stringify({ name: "Ada Lovelace" });
    await service.app.handle(HttpRequest.of({ method: "POST", target: "/person", headers, body }));
    await service.app.handle(HttpRequest.of({ target: "/person?name=Ada%20Lovelace" }));
    await service.app.handle(HttpRequest.of({ target: "/Lovelace" }));
    const [created, listed, missed] = service.entries().filter(({ event }) => event === "request");
    assert(created !== undefined);
    const { ["time"]: _time, ["pid"]: _pid, ["ms"]: ms, ...members } = created;
    assert.deepEqual(members, {
      level: "info",
      event: "request",
      id: "mine",
      method: "POST",
      route: "/person",
      status: 200,
      bytes: 0,
      received: body.length,
      caller: "key:ci",
    });
    assert(Number(ms) > 0);
    assert.deepEqual([listed?.["route"], listed?.["status"], listed?.["received"]], ["/person", 200, undefined]);
    assert.deepEqual([missed?.["route"], missed?.["status"]], [undefined, 404]);
    assert.doesNotMatch(service.lines.join(""), /Lovelace|secret/);
  });
});

it("cuts the names that clients have, and long methods", async () => {
  const id = "sub:".padEnd(6_000, "x");
  const letIn = around((request, next) => next(request.withAttribute(caller, { id, scopes: [] })));
  await using service = await loggedService({ access: letIn });
  await service.app.handle(HttpRequest.of({ method: "M".repeat(5_000), target: "/person" }));
  assert.ok(Buffer.byteLength(service.lines.join("")) < 600);
});

describe("a change of state", () => {
  it("is logged once, when the first client has used up its quota", async () => {
    await using service = await loggedService({ rateLimit: { limit: 1, window: 60 } });
    for (let i = 0; i < 3; i++) await service.app.handle(HttpRequest.of({ target: "/hello-world" }));
    const changes = service.entries().filter(({ event }) => event !== "request");
    assert.deepEqual(
      changes.map(({ event, level }) => [event, level]),
      [["quota-exceeded", "warn"]],
    );
  });

  it("is logged once more when it is over, with how many were refused", async () => {
    const { log, entries } = recordedLog();
    const over = Promise.withResolvers<void>();
    const write: typeof log.write = (level, event, message, members) => {
      log.write(level, event, message, members);
      if (event === "overload-over") over.resolve();
    };
    const refuse = watchRefusals({ ...log, write }, "overload", "busy", 1);
    for (let i = 0; i < 4; i++) refuse();
    const waiting = setInterval(() => undefined, 1000); // the watch keeps no process running
    await over.promise;
    clearInterval(waiting);
    assert.deepEqual(
      entries().map(({ event, ["refused"]: refused }) => [event, refused]),
      [
        ["overload", undefined],
        ["overload-over", 4],
      ],
    );
  });

  it("of the database is logged with its cause; so is what fails while the database can be used, if it refused it", async () => {
    const { log, entries } = recordedLog();
    const failures = ["The disk of the database is full", "The disk of the database is full"];
    const watch = watchDatabase(
      log,
      async () => {
        const failure = failures.shift();
        if (failure !== undefined) throw new StoreUnavailable(failure);
        return { readOnly: false };
      },
      1,
    );
    const waiting = setInterval(() => undefined, 1000); // the watch keeps no process running
    for (let i = 0; i < 10; i++) watch.onUnavailable(new StoreUnavailable("no room"));
    while (entries().length < 2) await eventLoopTurn();
    watch.onUnavailable(new StoreUnavailable("Too many changes wait"));
    for (let i = 0; i < 10; i++) await eventLoopTurn();
    const full = new StoreUnavailable("The disk of the database is full", { cause: new Error("database is full") });
    while (entries().length < 3) {
      watch.onUnavailable(full);
      await eventLoopTurn();
    }
    clearInterval(waiting);
    watch.close();
    assert.deepEqual(
      entries().map(({ event, ["cause"]: cause }) => [event, cause]),
      [
        ["database-unavailable", "The disk of the database is full"],
        ["database-available", undefined],
        ["operation-failed", "The disk of the database is full"],
      ],
    );
  });
});
