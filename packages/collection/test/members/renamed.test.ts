import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import {
  type CollectionDefinition,
  type Database,
  type DatabaseOptions,
  openDatabase,
  parseRecord,
  recordSchema,
  type Store,
  toWords,
} from "../../src/index.ts";
import { create, noon } from "../store-contract/contract.ts";
import { changesBehind } from "../store-contract/feed.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const folder = openFolder("renamed");

const before: CollectionDefinition = {
  name: "note",
  members: {
    name: { filter: "text", search: true },
    code: { unique: true },
    "place.zip": { filter: "exact" },
    "links.url": { filter: "exact", list: true },
  },
};
const now: CollectionDefinition = {
  name: "note",
  members: {
    title: { filter: "text", search: true, renamed: "name" },
    number: { unique: true, renamed: "code" },
    "place.postalCode": { filter: "exact", renamed: "zip" },
    "links.href": { filter: "exact", list: true, renamed: "url" },
    text: { renamed: "content" },
  },
};

const documents = [
  { name: "Plan", code: "P", place: { zip: "0150", town: "Oslo" }, links: [{ url: "a" }, { url: "b", label: "B" }] },
  { name: "Song", content: "La" },
  { other: "nothing" },
];
const present = [
  {
    title: "Plan",
    number: "P",
    place: { postalCode: "0150", town: "Oslo" },
    links: [{ href: "a" }, { href: "b", label: "B" }],
  },
  { title: "Song", text: "La" },
  { other: "nothing" },
];

const openers: Readonly<Record<string, () => Promise<string>>> = {
  SQLite: async () => folder.newFile(),
  PostgreSQL: newPostgresDatabase,
};

const open = (address: string, definition: CollectionDefinition, options: Partial<DatabaseOptions> = {}) =>
  openDatabase(address, { collections: [definition], now: () => noon, ...options });

const valuesOf = async (store: Store): Promise<readonly unknown[]> =>
  (await Array.fromAsync(store.list())).flat().map((record) => {
    const { id: _, createdAt: __, updatedAt: ___, ...value } = parseRecord(record);
    return value;
  });

const foundBy = async (store: Store): Promise<readonly number[]> =>
  Promise.all([
    store.count({ filters: [{ member: "title", operator: "eq", value: "plan" }] }),
    store.count({ words: toWords("song") }),
    store.count({ filters: [{ member: "place.postalCode", operator: "eq", value: "0150" }] }),
    store.count({ filters: [{ member: "links.href", operator: "eq", value: "b" }] }),
  ]);

for (const [kind, newAddress] of Object.entries(openers)) {
  describe(`a member that was renamed (${kind})`, () => {
    it("is that of all records, which are stored so, as a change of each", async () => {
      const address = await newAddress();
      const older = await open(address, before);
      for (const document of documents) await create(older.store("note"), document);
      const { cursor } = await changesBehind(older.store("note"));
      const [tagged, state] = [await older.store("note").find(2), await older.store("note").state()];
      await older.close();
      const forgotten: string[] = [];
      const onForgotten: DatabaseOptions["onForgotten"] = (_, members) => void forgotten.push(...members);
      await using database = await open(address, now, { onForgotten });
      const notes = database.store("note");
      assert.deepEqual(await valuesOf(notes), present);
      await database.makeIndexes();
      assert.deepEqual(await valuesOf(notes), present);
      assert.deepEqual(await foundBy(notes), [1, 1, 1, 1]);
      assert.deepEqual(await notes.create({ number: "P" }), { kind: "conflict", member: "number" });
      const renamed = await notes.find(2);
      assert.ok(renamed !== undefined && tagged !== undefined && renamed.revision > tagged.revision);
      assert.equal(renamed.updatedAt, tagged.updatedAt);
      assert.notEqual(await notes.state(), state);
      const { changes } = await changesBehind(notes, cursor);
      assert.deepEqual(
        changes.map((each) => each.kind === "stored" && each.record.id),
        [1, 2],
      );
      assert.deepEqual(forgotten, []);
      // What is stored has no former name.
      await database.close();
      await using plain = await open(address, { name: "note" });
      assert.deepEqual(await valuesOf(plain.store("note")), present);
    });

    it("is that of what is written by the former name", async () => {
      await using database = await open(await newAddress(), now);
      const notes = database.store("note");
      const { id, json } = await create(notes, { name: "Plan", code: "P" });
      assert.equal((await notes.find(id))?.json, json);
      assert.deepEqual(await valuesOf(notes), [{ title: "Plan", number: "P" }]);
      assert.deepEqual(await notes.create({ number: "P" }), { kind: "conflict", member: "number" });
      await notes.changeAll([{ kind: "replace", id, document: { name: "Song" } }]);
      assert.deepEqual(await valuesOf(notes), [{ title: "Song" }]);
      assert.equal(await notes.count({ filters: [{ member: "title", operator: "eq", value: "song" }] }), 1);
    });

    it("is that of records that are restored", async () => {
      const source = await open(await newAddress(), before);
      for (const document of documents) await create(source.store("note"), document);
      const address = await newAddress();
      const target = await open(address, now, { forRestore: true });
      const snapshot = await source.snapshot();
      await target.restore(snapshot);
      await snapshot.close();
      assert.deepEqual(
        [await valuesOf(target.store("note")), await foundBy(target.store("note"))],
        [present, [1, 1, 1, 1]],
      );
      await Promise.all([source.close(), target.close()]);
      await using plain = await open(address, { name: "note" });
      assert.deepEqual(await valuesOf(plain.store("note")), present);
    });
  });
}

describe("a member that was renamed while an older version runs", () => {
  it("is read by its present name, and stored so soon after", async () => {
    const address = await newPostgresDatabase();
    await using older = await open(address, before);
    await using database: Database = await open(address, now);
    await database.makeIndexes();
    const [former, notes] = [older.store("note"), database.store("note")];
    for (const document of documents) await create(former, document);
    assert.deepEqual(await valuesOf(notes), present);
    assert.match((await notes.find(1))?.json ?? "", /"title":"Plan"/);
    const { changes } = await changesBehind(notes);
    assert.match(changes.map((each) => (each.kind === "stored" ? each.record.json : "")).join(), /"title":"Song"/);
    const [, song] = present;
    assert.equal((await notes.replace(2, { ...song, text: "Lala" })).kind, "replaced");
    await database.transaction(async (tx) => {
      const inside = tx.store("note");
      assert.match((await inside.find(1))?.json ?? "", /"title":"Plan"/);
      assert.deepEqual((await valuesOf(inside))[0], present[0]);
    });
    // What both names are in was changed last by the older version.
    const one = await former.find(2);
    assert.ok(one !== undefined);
    await former.replace(2, { ...parseRecord(one), name: "Hymn" });
    const hymn = { title: "Hymn", text: "Lala" };
    assert.deepEqual((await valuesOf(notes))[1], hymn);
    await database.makeIndexes();
    await using plain = await open(address, { name: "note" });
    assert.deepEqual(await valuesOf(plain.store("note")), [present[0], hymn, present[2]]);
  });
});

describe("renamed", () => {
  const refusal = async (members: CollectionDefinition["members"]): Promise<string> =>
    openDatabase(":memory:", { collections: [{ name: "note", ...(members && { members }) }] }).then(
      () => "",
      (error: unknown) => String(error),
    );

  it("is refused where the former name is that of another member, or of none", async () => {
    assert.equal(
      await refusal({ title: { renamed: "name" }, name: {} }),
      "TypeError: title was name, which is a member, too",
    );
    assert.equal(
      await refusal({ "a.one": { renamed: "x" }, "a.two": { renamed: "x" } }),
      "TypeError: Two members were a.x",
    );
    for (const former of ["", "id", "a.b", "a b"]) {
      assert.match(
        await refusal({ title: { renamed: former } }),
        /^TypeError: The former name of title takes 1 to 63 of /,
      );
    }
    assert.equal(await refusal({ "a.one": { renamed: "x" }, "b.one": { renamed: "x" } }), "");
    const owner = { collection: "note", member: "noteId" };
    const line = { name: "line", owner, members: { of: { renamed: "noteId" } } };
    await assert.rejects(
      openDatabase(":memory:", { collections: [{ name: "note" }, line] }),
      /^TypeError: of was noteId, which is a member, too$/,
    );
  });

  it("has clients that send the former name get the present one", () => {
    const schema = recordSchema({ title: { schema: z.string(), renamed: "subject" } });
    const { issues } = schema["~standard"].validate({ subject: "Plan" }) as {
      readonly issues: readonly { message: string }[];
    };
    assert.match(issues.map(({ message }) => message).join(), /did you mean title\?/);
  });
});
