import assert from "node:assert/strict";
import type { CollectionDefinition, Database, DatabaseOptions } from "../../src/index.ts";
import { create, everything, replace } from "../store-contract/contract.ts";
import { changesBehind, inOrderOfIds } from "../store-contract/feed.ts";

/** Opens a database for what the files of the layouts contain. */
export function optionsOf(startMinute: number): DatabaseOptions {
  let minute = startMinute;
  return {
    collections: [person, book],
    now: () => new Date(Date.UTC(2026, 10, 1, 12, minute++)),
  };
}

const person: CollectionDefinition = {
  name: "person",
  members: {
    identifier: { unique: true },
    name: { filter: "text", search: true },
    email: { filter: "text" },
    height: { filter: "number" },
    seen: { filter: "time" },
    tags: { filter: "text", list: true },
  },
};
const book: CollectionDefinition = {
  name: "book",
  owner: { collection: "person", member: "personId" },
  members: { title: { filter: "text" } },
};

/** Stores all kinds of things that a database can have. */
export async function fill(database: Database): Promise<void> {
  const [people, books] = [database.store("person"), database.store("book")];
  const ada = {
    name: "Ada Lovelace",
    identifier: "A1",
    email: "Ada@example.org",
    height: 1.65,
    seen: "2026-01-02T03:04:05Z",
  };
  await people.create(ada, withKey("Ada"));
  await people.create({ name: "Grace Hopper", identifier: "A2" }, withKey("Grace"));
  await people.create({ name: "Removed Person", identifier: "A3", email: "r@example.org" }, withKey("the removed one"));
  await create(people, { name: 'Zoë "Eve" O\'Neill \\ \u{1f600}', email: "eve@example.org" });
  const owner = await create(people, { name: "Owner of removed books" });
  await create(people, { id: 100, name: "One with an id of its own", identifier: 1 });
  await create(people, { name: "One after it", identifier: "1" });
  await books.within(1).create({ title: "Notes" }, withKey("Notes"));
  await create(books.within(owner.id), { title: "Removed with the owner" });
  await create(books.within(4), { title: "Diary" });
  await replace(people, 2, { name: "Grace Brewster Hopper", identifier: "A2" });
  await people.remove(3);
  await people.remove(owner.id);
  await people.createAll([{ name: "First of many" }, { name: "Second of many" }]);
}

/** Asserts that a database, opened 30 minutes after the first record was stored, has all of it, and changes it as it should. */
export async function assertFilled(database: Database): Promise<void> {
  const [people, books] = [database.store("person"), database.store("book")];
  const namesBy = async (selection: Parameters<typeof people.list>[0]): Promise<readonly string[]> => {
    const records = (await Array.fromAsync(people.list(selection))).flat();
    return records.map(({ json }) => (JSON.parse(json) as { name: string }).name);
  };
  const order = ["name", "id"].map((member) => ({ member, descending: false }));
  assert.deepEqual(await namesBy({ order }), [
    "Ada Lovelace",
    "First of many",
    "Grace Brewster Hopper",
    "One after it",
    "One with an id of its own",
    "Second of many",
    'Zoë "Eve" O\'Neill \\ \u{1f600}',
  ]);
  assert.deepEqual(await namesBy({ words: ["brewster", "hop"] }), ["Grace Brewster Hopper"]);
  const filters = [
    { member: "email", operator: "eq", value: "ADA@EXAMPLE.ORG" },
    { member: "height", operator: "gt", value: 1.6 },
    { member: "seen", operator: "lt", value: Date.parse("2026-01-02T03:04:06Z") },
  ] as const;
  for (const filter of filters) assert.deepEqual(await namesBy({ filters: [filter] }), ["Ada Lovelace"]);

  const again = await people.create({ name: "Ada Lovelace" }, withKey("Ada"));
  assert.equal(again.kind === "repeated" && again.record?.id, 1);
  const removed = await people.create({ name: "Removed Person" }, withKey("the removed one"));
  assert.deepEqual(removed.kind === "repeated" && [removed.id, removed.record], [3, undefined]);
  for (const identifier of ["A1", 1, "1"]) {
    assert.deepEqual(await people.create({ identifier }), { kind: "conflict", member: "identifier" });
  }
  for (const id of [1, 3, 100]) assert.deepEqual(await people.create({ id }), { kind: "conflict", member: "id" });

  const before = new Set((await everything(people)).map(({ id }) => id));
  const revision = await people.revision();
  const { id } = await create(people, { name: "One more", tags: ["new", "last"] });
  assert.deepEqual(await namesBy({ filters: [{ member: "tags", operator: "eq", value: "last" }] }), ["One more"]);
  assert.ok(!before.has(id) && id !== 3);
  assert.equal(await people.revision(), revision + 1);

  assert.deepEqual(
    (await everything(books)).map(({ id: bookId }) => bookId),
    [1, 3],
  );
  const [changesOfPeople, changesOfBooks] = [await changesBehind(people), await changesBehind(books)];
  const stored = changesOfPeople.changes.flatMap((change) => (change.kind === "stored" ? [change.record.id] : []));
  assert.deepEqual(new Set(stored), new Set([...before, id]));
  await people.remove(1);
  assert.deepEqual(
    (await everything(books)).map(({ id: bookId }) => bookId),
    [3],
  );
  assert.deepEqual(inOrderOfIds((await changesBehind(people, changesOfPeople.cursor)).changes), [1]);
  assert.deepEqual(inOrderOfIds((await changesBehind(books, changesOfBooks.cursor)).changes), [1]);
}

const withKey = (name: string): { readonly idempotency: { readonly key: string; readonly fingerprint: string } } => ({
  idempotency: { key: `key of ${name}`, fingerprint: `print of key of ${name}` },
});
