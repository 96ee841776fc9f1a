import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type App, type HttpRequest, router } from "waymark";
import { openApi } from "waymark/openapi";
import { z } from "zod";
import { collection, type Database, openDatabase } from "../../src/index.ts";
import { type Answer, ask } from "../tools/ask.ts";

const Note = z.strictObject({ text: z.string(), code: z.string().optional() });

const ndjson = { "Content-Type": "application/x-ndjson" };

describe("members that the server sets", () => {
  let database: Database;
  let app: App;
  before(async () => {
    const members = { code: { unique: true, filter: "exact" }, owner: { filter: "exact" } } as const;
    database = await openDatabase(":memory:", { collections: [{ name: "note", members }] });
    const who = (request: HttpRequest<unknown>): string | undefined => request.headers.get("User");
    const notes = collection({
      path: "/notes",
      store: database.store("note"),
      schema: Note,
      set: {
        owner: (request, before) => before?.["owner"] ?? who(request),
        changedBy: who,
      },
      visible: {
        by: ["owner"],
        to: (request) => (who(request) === "admin" ? "everything" : { owner: who(request) }),
      },
    });
    app = router(notes.routes());
  });
  after(() => database.close());

  const send = (user: string, method: string, path: string, content?: unknown, fields = {}): Promise<Answer> =>
    ask(app, `${method} /notes${path}`, { User: user, ...fields }, content);
  const stateOf = async (id: number) => {
    const { createdAt: _, updatedAt: __, ...rest } = (await send("admin", "GET", `/${id}`)).value;
    return rest;
  };

  it("are those of whoever creates and changes a record", async () => {
    assert.equal((await send("ada", "POST", "", { text: "one", code: "1" })).status, 201);
    assert.deepEqual(await stateOf(1), { id: 1, text: "one", code: "1", owner: "ada", changedBy: "ada" });
    assert.equal((await send("admin", "PATCH", "/1", { text: "two" })).status, 204);
    assert.deepEqual(await stateOf(1), { id: 1, text: "two", code: "1", owner: "ada", changedBy: "admin" });
    assert.equal((await send("ada", "PUT", "/1", { text: "three", code: "1" })).status, 204);
    assert.deepEqual(await stateOf(1), { id: 1, text: "three", code: "1", owner: "ada", changedBy: "ada" });
  });

  it("stay where a change says what the record says", async () => {
    assert.equal((await send("admin", "PUT", "/1", { text: "three", code: "1" })).status, 204);
    assert.equal((await stateOf(1)).changedBy, "ada");
  });

  it("are not changed by clients, who may send back what they have read", async () => {
    const { value: read } = await send("ada", "GET", "/1");
    assert.equal((await send("ada", "PUT", "/1", { ...read, text: "four" })).status, 204);
    for (const [method, path, content] of [
      ["POST", "", { text: "x", owner: "eve" }],
      ["PUT", "/1", { text: "x", owner: "eve" }],
      ["PATCH", "/1", { owner: "eve" }],
    ] as const) {
      const answer = await send("ada", method, path, content);
      assert.equal(answer.status, 400, method);
      assert.match(answer.text, /owner/);
    }
  });

  it("decide who sees a record", async () => {
    assert.equal((await send("eve", "GET", "/1")).status, 404);
    assert.equal((await send("eve", "GET", "")).text, "[]");
    assert.equal((await send("ada", "GET", "?owner=ada")).value.length, 1);
  });

  it("are set in many records, new and changed ones", async () => {
    const lines = [
      { text: "by line", code: "2", owner: "eve" },
      { text: "five", code: "1" },
    ];
    const body = lines.map((line) => JSON.stringify(line)).join("\n");
    const answer = await send("ada", "POST", "?upsert=code", body, ndjson);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(await stateOf(2), { id: 2, text: "by line", code: "2", owner: "ada", changedBy: "ada" });
    assert.equal((await send("admin", "PATCH", "?all=true", { merge: { text: "all" } })).status, 200);
    for (const id of [1, 2]) {
      const { owner, changedBy, text } = await stateOf(id);
      assert.deepEqual({ owner, changedBy, text }, { owner: "ada", changedBy: "admin", text: "all" });
    }
  });

  it("are in the document, as read", async () => {
    const document = await openApi(app, { title: "Notes", version: "1" });
    const schemas = document.components?.schemas as Record<string, { properties: object; required: readonly string[] }>;
    const stored = Object.entries(schemas).find(([name]) => name.startsWith("Stored"))?.[1];
    assert.deepEqual(stored?.properties, {
      ...stored?.properties,
      owner: { readOnly: true },
      changedBy: { readOnly: true },
    });
    assert.deepEqual(stored?.required, ["id", "text", "createdAt", "updatedAt"]);
  });

  it("are refused where the schema or the store has one of that name", () => {
    for (const name of ["text", "id"])
      assert.throws(
        () => collection({ store: database.store("note"), schema: Note, set: { [name]: () => 1 } }),
        new RegExp(`set has ${name}, which is a member that the schema or the store has`),
      );
  });
});

describe("the function that gets stored records", () => {
  let database: Database;
  let app: App;
  const calls: unknown[] = [];
  const isLate = Promise.withResolvers<void>();
  const mail = Promise.withResolvers<void>();
  before(async () => {
    database = await openDatabase(":memory:", { collections: [{ name: "note" }] });
    const notes = collection({
      path: "/notes",
      store: database.store("note"),
      schema: Note,
      async stored({ id, text }, request) {
        calls.push([request.method, id, text, (await database.store("note").find(id)) !== undefined]);
        if (text === "fault") throw new Error("no mail");
        if (text !== "late") return;
        isLate.resolve();
        await mail.promise;
      },
    });
    app = router(notes.routes());
  });
  after(() => database.close());

  const send = async (method: string, path: string, body: string, fields = {}): Promise<number> =>
    (await ask(app, `${method} /notes${path}`, fields, body)).status;

  it("gets each new and changed one, of single requests and once", async () => {
    const key = { "Idempotency-Key": '"once"' };
    assert.equal(await send("POST", "", '{"text":"one"}', key), 201);
    assert.equal(await send("POST", "", '{"text":"one"}', key), 201);
    assert.equal(await send("PUT", "/1", '{"text":"two"}'), 204);
    assert.equal(await send("PUT", "/1", '{"text":"two"}'), 204); // says what the record says
    assert.equal(await send("PATCH", "/1", '{"text":"three"}'), 204);
    assert.equal(await send("POST", "", '{"text":1}'), 400);
    assert.equal(await send("POST", "", '{"text":"many"}', ndjson), 200);
    assert.deepEqual(calls, [
      ["POST", 1, "one", true],
      ["PUT", 1, "two", true],
      ["PATCH", 1, "three", true],
    ]);
  });

  it("changes nothing in the answer where it fails, which the console says", async (t) => {
    const written = t.mock.method(console, "error", () => undefined);
    assert.equal(await send("POST", "", '{"text":"fault"}'), 201);
    const [message, error] = written.mock.calls[0]?.arguments ?? [];
    assert.match(message, /^stored of the collection at .*prepared-changes\.test\.ts:\d+:\d+ failed$/);
    assert.equal(String(error), "Error: no mail");
  });

  it("keeps an answer for ten seconds at most, and what it throws later is written, too", async (t) => {
    const written = t.mock.method(console, "error", () => undefined);
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const answer = send("POST", "", '{"text":"late"}');
    await isLate.promise;
    t.mock.timers.tick(10_000);
    assert.equal(await answer, 201);
    mail.reject(new Error("no mail"));
    await new Promise(setImmediate);
    assert.deepEqual(
      written.mock.calls.map(({ arguments: [, error] }) => String(error)),
      ["Error: The answer waits for it no longer than 10 s", "Error: no mail"],
    );
  });
});
