import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type App, type HttpRequest, router } from "waymark";
import { z } from "zod";
import { collection, type Database, openDatabase, type Visibility } from "../../src/index.ts";
import { ask, idsOf } from "../tools/ask.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const Note = z.strictObject({
  title: z.string(),
  code: z.string().optional(),
  team: z.string(),
  readers: z.array(z.string()).optional(),
});

/** The teams of a caller are a field of the request here; `*` sees everything. */
const teamsOf = (request: HttpRequest<unknown>): "everything" | { readonly team?: readonly string[] } => {
  const teams = request.headers.get("Teams");
  return teams === "*" ? "everything" : teams === undefined ? {} : { team: teams.split(",") };
};

describe("the records that a caller sees", () => {
  let database: Database;
  let app: App;
  const asked = new EventEmitter();
  let grants: "everything" | { readonly team?: readonly string[] } | undefined;
  before(async () => {
    const members = {
      title: { filter: "text", search: true },
      code: { unique: true, filter: "exact" },
      team: { filter: "exact" },
    } as const;
    database = await openDatabase(":memory:", { collections: [{ name: "note", members }] });
    const notes = collection({
      path: "/notes",
      store: database.store("note"),
      schema: Note,
      visible: {
        by: ["team"],
        to: (request) => {
          asked.emit("asked");
          return grants ?? teamsOf(request);
        },
      },
    });
    app = router(notes.routes());
    const rows = [
      { title: "Plan", code: "P", team: "red" },
      { title: "Plan", code: "Q", team: "blue" },
      { title: "Song", team: "Red" },
    ];
    for (const row of rows) await database.store("note").create(row);
  });
  after(() => database.close());

  const send = (teams: string | undefined, method: string, path: string, content?: unknown, fields = {}) =>
    ask(app, `${method} /notes${path}`, { ...fields, ...(teams !== undefined && { Teams: teams }) }, content);
  const seenBy = async (teams: string | undefined, query = ""): Promise<readonly number[]> =>
    idsOf(await send(teams, "GET", query));

  it("are those of its values, in lists, searches and counts", async () => {
    assert.deepEqual(await seenBy("red"), [1]);
    assert.deepEqual(await seenBy("red,blue"), [1, 2]);
    assert.deepEqual(await seenBy("*"), [1, 2, 3]);
    assert.deepEqual(await seenBy("blue", "?q=plan"), [2]);
    assert.deepEqual(await seenBy("blue", "?team=red"), []);
    const counted = await send("red", "GET", "?limit=1", undefined, { Prefer: "count=exact" });
    assert.equal(counted.header("X-Total-Count"), "1");
  });

  it("are none for a caller without a value", async () => {
    assert.deepEqual(await seenBy(undefined), []);
    assert.equal((await send(undefined, "GET", "/1")).status, 404);
  });

  it("alone can be read, changed and removed", async () => {
    assert.equal((await send("red", "GET", "/1")).status, 200);
    for (const [method, content] of [
      ["GET", undefined],
      ["PATCH", { title: "x" }],
      ["PUT", { title: "x", team: "red" }],
      ["DELETE", undefined],
    ] as const) {
      assert.equal((await send("red", method, "/2", content)).status, 404, method);
      assert.equal((await send("red", method, "/2", content, { "If-Match": "*" })).status, 404, method);
    }
    assert.equal((await send("red", "PATCH", "/1", { title: "Plan B" })).status, 204);
    assert.equal((await send("blue", "GET", "/2")).status, 200);
  });

  it("have tags of their own in lists", async () => {
    const known = { "If-None-Match": (await send("red", "GET", "")).header("ETag") };
    assert.equal((await send("red", "GET", "", undefined, known)).status, 304);
    assert.equal((await send("blue", "GET", "", undefined, known)).status, 200);
  });

  it("are what it may store, one or many", async () => {
    assert.equal((await send("red", "POST", "", { title: "New", team: "blue" })).status, 403);
    assert.equal((await send("red", "PATCH", "/1", { team: "blue" })).status, 403);
    const lines = ["red", "blue"].map((team) => JSON.stringify({ title: "Line", team })).join("\n");
    assert.equal((await send("red", "POST", "", lines, { "Content-Type": "application/x-ndjson" })).status, 403);
    assert.deepEqual(await seenBy("*", "?title=Line"), []);
    const conflict = await send("red", "POST", "", { title: "New", code: "Q", team: "red" });
    assert.equal(conflict.status, 409);
  });

  it("are those that a change of many finds, and those that it names", async () => {
    const all = await send("red", "PATCH", "?all=true", { merge: { title: "Ours" } });
    assert.equal(all.status, 200, all.text);
    assert.equal(all.value.matched, 1);
    const named = await send("red", "PATCH", "", { records: [{ id: 2 }], merge: { title: "Ours" } });
    assert.equal(named.status, 409);
    assert.deepEqual(await seenBy("*", "?title=Ours"), [1]);
  });

  it("are those whose changes it follows; one that is not visible any more is removed", async () => {
    const first = await send("red", "GET", "/changes");
    assert.deepEqual(
      first.value.map(({ id, removed }: { id: number; removed?: true }) => [id, removed ?? false]),
      [
        [2, true],
        [3, true],
        [1, false],
      ],
    );
    assert.doesNotMatch(first.text, /blue|Song/);
    const [, next = ""] = /<[^?]*([^>]*)>/.exec(first.header("Link") ?? "") ?? [];
    assert.equal((await send("*", "PATCH", "/1", { team: "blue" })).status, 204);
    assert.equal((await send("red", "GET", `/changes${next}`)).text, '[{"id":1,"removed":true}]');
    assert.equal((await send("blue", "GET", `/changes${next}`)).status, 410);
    assert.equal((await send("blue", "GET", "/changes?after=AAAA")).status, 410);
    assert.equal((await send("*", "PATCH", "/1", { team: "red" })).status, 204);
  });

  it("end a wait when they are others", async () => {
    grants = { team: ["red"] };
    let isAnswered = false;
    const waiting = send(undefined, "GET", "/changes?after=now", undefined, { Prefer: "wait=30" }).finally(() => {
      isAnswered = true;
    });
    await once(asked, "asked");
    grants = { team: ["blue"] };
    // The first of them may come before the request waits.
    while (!isAnswered) await database.store("note").create({ title: "Wake", team: "red" });
    assert.equal((await waiting).text, "[]");
    grants = undefined;
  });
});

describe("visible", () => {
  it("is refused where a member cannot decide", async () => {
    await using database = await openDatabase(":memory:", {
      collections: [
        {
          name: "note",
          members: {
            title: { filter: "text" },
            email: { filter: "exact" },
            emails: { filter: "exact", list: true, single: "email" },
          },
        },
      ],
    });
    const by = (...names: readonly string[]) =>
      collection({
        store: database.store("note"),
        schema: z.looseObject({}),
        visible: { by: names, to: () => "everything" } satisfies Visibility,
      });
    assert.throws(() => by("team"), /visible.by names team, which needs the filter exact, .*: it has none/);
    assert.throws(() => by("title"), /visible.by names title, .*: its filter is text/);
    for (const name of ["email", "emails"]) assert.throws(() => by(name), /is compared together with another member/);
    by("id");
  });

  it("is met by any value of a list", async () => {
    await using database = await openDatabase(":memory:", {
      collections: [{ name: "note", members: { readers: { filter: "exact", list: true } } }],
    });
    const store = database.store("note");
    const notes = collection({
      path: "/notes",
      store,
      schema: Note,
      visible: { by: ["readers"], to: (request) => ({ readers: request.headers.get("Teams") ?? [] }) },
    });
    await store.createAll([{ readers: ["a", "b"] }, { readers: ["c"] }, {}].map((each) => ({ title: "x", ...each })));
    const app = router(notes.routes());
    for (const [reader, ids] of [
      ["a", [1]],
      ["c", [2]],
      ["d", []],
    ] as const) {
      assert.deepEqual(idsOf(await ask(app, "GET /notes", { Teams: reader })), ids);
      for (const id of [1, 2, 3]) {
        const { status } = await ask(app, `GET /notes/${id}`, { Teams: reader });
        assert.equal(status, ids.includes(id as never) ? 200 : 404);
      }
    }
  });

  for (const kind of ["SQLite", "PostgreSQL"] as const) {
    it(`shows in lists what it shows by id, whatever is stored (${kind})`, async () => {
      const members = { one: { filter: "exact" }, many: { filter: "exact", list: true } } as const;
      const address = kind === "SQLite" ? ":memory:" : await newPostgresDatabase();
      await using database = await openDatabase(address, { collections: [{ name: "note", members }] });
      const store = database.store("note");
      const values = ["a", ["a"], ["b", "a"], [["a"]], { a: "a" }, [{ a: "a" }], "b", ["b"], 1, true, null];
      await store.createAll(values.flatMap((value) => [{ one: value }, { many: value }]));
      for (const [by, shown] of [
        ["one", [1]],
        ["many", [2, 4, 6]],
      ] as const) {
        const schema = z.looseObject({});
        const notes = collection({ path: "/notes", store, schema, visible: { by: [by], to: () => ({ [by]: "a" }) } });
        const app = router(notes.routes());
        assert.deepEqual(idsOf(await ask(app, "GET /notes")), shown);
        for (let id = 1; id <= 2 * values.length; id++) {
          const { status } = await ask(app, `GET /notes/${id}`);
          const what = `${by} ${JSON.stringify(values[(id - 1) >> 1])}`;
          assert.equal(status, shown.includes(id as never) ? 200 : 404, what);
        }
      }
    });
  }
});
