import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import {
  type ChangesOptions,
  type RecordChange,
  type Store,
  StoreCursorGone,
  StoreCursorInvalid,
  type StoredRecord,
} from "../../src/index.ts";
import { create, everything, replace, type WithStore } from "./given.ts";

export function describeFeed(name: string, withStore: WithStore): void {
  describe(`${name}: changes`, () => {
    it(
      "are each changed record once, in its latest state or as removed, in the order of the commits",
      withStore(async (store) => {
        for (const identifier of ["A1", "A2", "A3"]) await create(store, { identifier });
        const second = await replace(store, 2, { identifier: "B2" });
        await store.remove(1);
        const fourth = await create(store, {});
        const third = await store.find(3);
        const { changes } = await changesBehind(store);
        assert.deepEqual(inOrderOfIds(changes), [second, third, fourth]);
        assertInOrder(changes);
      }),
    );

    it(
      "are without what was removed before the first of them was asked for",
      withStore(async (store) => {
        await store.createAll(Array.from({ length: 6 }, () => ({})));
        for (const id of [1, 3]) await store.remove(id);
        await changesBehind(store); // else a copy could begin before the removals, while others keep these back
        const first = await store.changes(undefined, { limit: 2 });
        assert.deepEqual(first.changes.map(idOf), [2, 4]);
        for (const id of [2, 5]) await store.remove(id);
        const rest = await changesBehind(store, first.cursor, { limit: 1 });
        assert.deepEqual(rest.changes.map(idOf), [6, 2, 5]);
        await store.remove(4);
        assert.deepEqual((await changesBehind(store, rest.cursor)).changes.map(idOf), [4]);
      }),
    );

    it(
      "go on behind a cursor with what was committed since",
      withStore(async (store) => {
        await create(store, { identifier: "A1" });
        const first = await changesBehind(store);
        assert.deepEqual((await changesBehind(store, first.cursor)).changes, []);
        const other = await create(store, {});
        const second = await changesBehind(store, first.cursor);
        assert.deepEqual(inOrderOfIds(second.changes), [other]);
        await store.remove(1);
        assert.deepEqual(inOrderOfIds((await changesBehind(store, second.cursor)).changes), [1]);
        assert.deepEqual(inOrderOfIds((await changesBehind(store, first.cursor)).changes), [1, other]);
      }),
    );

    it(
      "are those of an empty store before the first one",
      withStore(async (store) => {
        const none = await store.changes();
        assert.deepEqual([none.changes, none.hasMore], [[], false]);
        const record = await create(store, {});
        assert.deepEqual(inOrderOfIds((await changesBehind(store, none.cursor)).changes), [record]);
      }),
    );

    it(
      "begin with the next one, where that is asked for",
      withStore(async (store) => {
        await store.createAll([{}, {}, {}]);
        const end = (await changesBehind(store)).cursor;
        const { changes, cursor, hasMore } = await store.changes("now");
        assert.deepEqual([changes, hasMore], [[], false]);
        await store.remove(2);
        for (const place of [cursor, end]) {
          assert.deepEqual(inOrderOfIds((await changesBehind(store, place)).changes), [2]);
        }
      }),
    );

    it(
      "come in parts of any size, of which none is skipped and none comes twice",
      withStore(async (store) => {
        const { cursor } = await store.changes();
        await store.createAll(Array.from({ length: 30 }, () => ({})));
        for (let id = 3; id <= 30; id += 3) await store.remove(id);
        for (let id = 4; id <= 30; id += 3) await replace(store, id, { name: `changed ${id}` });
        const records = new Map((await everything(store)).map((record) => [record.id, record]));
        for (const limit of [1, 2, 7, 1000]) {
          const { changes } = await changesBehind(store, cursor, { limit });
          assert.equal(changes.length, 30);
          assertInOrder(changes);
          for (const change of changes) {
            assert.deepEqual(change.kind === "stored" ? change.record : undefined, records.get(idOf(change)));
          }
        }
      }),
    );

    it(
      "are of bounded size",
      withStore(async (store) => {
        const description = "x".repeat(300_000);
        await store.createAll(Array.from({ length: 10 }, () => ({ description })));
        const { changes, hasMore } = await store.changes();
        assert.ok(changes.length >= 3 && changes.length < 8 && hasMore, `${changes.length}`);
        assert.equal((await changesBehind(store)).changes.length, 10);
      }),
    );

    it(
      "of one owner are those of the owner's records, also removed ones",
      withStore(async (store, database) => {
        for (const _ of [1, 2]) await create(store, {});
        const books = database.store("book");
        const [mine, theirs] = [books.within(1), books.within(2)];
        const emma = await create(mine, { title: "Emma", isbn: "1" });
        const diary = await create(theirs, { title: "Diary", isbn: "2" });
        const before = await changesBehind(mine);
        assert.deepEqual(inOrderOfIds(before.changes), [emma]);
        await mine.remove(emma.id);
        const notes = await create(mine, { title: "Notes", isbn: "3" });
        assert.deepEqual(inOrderOfIds((await changesBehind(mine, before.cursor)).changes), [emma.id, notes]);
        assert.deepEqual(inOrderOfIds((await changesBehind(theirs)).changes), [diary]);
        assert.deepEqual(inOrderOfIds((await changesBehind(books)).changes), [diary, notes]);
        for (const other of [theirs, books, store]) {
          await assert.rejects(other.changes(before.cursor), StoreCursorInvalid);
        }
      }),
    );

    it(
      "have the records that are removed with their owner",
      withStore(async (store, database) => {
        for (const _ of [1, 2]) await create(store, {});
        const [books, pages] = [database.store("book"), database.store("page")];
        for (const owner of [1, 2, 1]) await create(books.within(owner), {});
        for (const owner of [1, 2, 3]) for (const _ of [1, 2]) await create(pages.within(owner), {});
        const [before, pagesBefore] = [await changesBehind(books), await changesBehind(pages)];
        await store.remove(1);
        const after = await changesBehind(books, before.cursor);
        assert.deepEqual(inOrderOfIds(after.changes), [1, 3]);
        assertInOrder(after.changes);
        assert.deepEqual(inOrderOfIds((await changesBehind(pages, pagesBefore.cursor)).changes), [1, 2, 5, 6]);
        const again = await create(books.within(2), {});
        assert.deepEqual(inOrderOfIds((await changesBehind(books, after.cursor)).changes), [again]);
      }),
    );

    it(
      "are refused behind what is no cursor of them",
      withStore(async (store, database) => {
        await create(store, {});
        const { cursor } = await store.changes();
        const bytes = Buffer.from(cursor, "base64url");
        const forged = [...bytes.keys()].map((at) => bytes.with(at, (bytes[at] ?? 0) ^ 1));
        const wrong = ["", "x", `${cursor}A`, `${cursor}=`, cursor.slice(1), cursor.slice(0, -2), "AQAAAAAA"];
        for (const text of [...wrong, ...forged.map((each) => Buffer.from(each).toString("base64url"))]) {
          await assert.rejects(store.changes(text), StoreCursorInvalid, text);
        }
        for (const [what, text] of Object.entries(madeByHand)) {
          await assert.rejects(store.changes(text), StoreCursorInvalid, what);
        }
        await assert.rejects(database.store("book").changes(cursor), StoreCursorInvalid);
        for (const limit of [0, -1, 1.5, 1001, Number.NaN])
          await assert.rejects(store.changes(cursor, { limit }), TypeError);
      }),
    );

    it(
      "are gone behind a cursor from before the database was resumed",
      withStore(async (store, database) => {
        await create(store, {});
        const before = await store.changes();
        await database.resume();
        await assert.rejects(store.changes(before.cursor), StoreCursorGone);
        const record = await create(store, {});
        const { changes, cursor } = await changesBehind(store);
        assert.deepEqual(inOrderOfIds(changes).at(-1), record);
        assert.deepEqual((await store.changes(cursor)).changes, []);
      }),
    );
  });
}

/** Makes a cursor as anybody can who has read how: a form, a check, the mark of an era and numbers. */
const cursorOf = (form: 3 | 4 | 5, ...numbers: readonly number[]): string => {
  const body = [0, 0, 0, 0, 0, 0, ...numbers];
  const check = hash("sha256", Buffer.from([...Buffer.from(`person ${form}\n`), ...body]), "buffer");
  return Buffer.from([form, ...check.subarray(0, 6), ...body]).toString("base64url");
};

/** The bytes of a number below 2^49, or beyond 2^1022. */
const [many, infinite] = [Array<number>(6).fill(0xff), Array<number>(200).fill(0xff)];

const madeByHand: Readonly<Record<string, string>> = {
  "another form": cursorOf(4, 0, 1),
  "no numbers": cursorOf(3),
  "one number": cursorOf(3, 1),
  "a number more": cursorOf(3, 0, 1, 1),
  "a copy that began nowhere": cursorOf(5, 0, 1),
  "a copy that began beyond 64 bits": cursorOf(5, 0, 1, ...Array(9).fill(0xff), 0x7f),
  "a revision without an end": cursorOf(3, 0, 0x81),
  "a revision that is no safe integer": cursorOf(3, 0, ...many, ...many, 0x01),
  "an infinite revision": cursorOf(3, 0, ...infinite, 0x01),
  "a transaction that is no number": cursorOf(3, ...infinite.map(() => 0x80), 0x00, 1),
  "a transaction of more than 64 bits": cursorOf(3, ...Array(9).fill(0xff), 0x7f, 1),
  "a revision with a byte more": cursorOf(3, 0, 0x81, 0x00),
};

/**
 * All changes behind a cursor, read until there are no more. On PostgreSQL, a transaction of anybody on the server keeps changes back
 * while it runs: these are waited for.
 */
export async function changesBehind(
  store: Store,
  after?: string,
  options?: ChangesOptions,
): Promise<{ readonly changes: readonly RecordChange[]; readonly cursor: string }> {
  const changes: RecordChange[] = [];
  for (let cursor = after; ; ) {
    const batch = await store.changes(cursor, options);
    changes.push(...batch.changes);
    cursor = batch.cursor;
    if (!batch.hasMore && batch.isHeld !== true) return { changes, cursor };
  }
}

export const idOf = (change: RecordChange): number => (change.kind === "stored" ? change.record.id : change.id);

/** The records, and the ids of the removed ones, by ascending id. */
export const inOrderOfIds = (changes: readonly RecordChange[]): readonly (StoredRecord | number)[] =>
  changes
    .toSorted((one, other) => idOf(one) - idOf(other))
    .map((change) => (change.kind === "stored" ? change.record : change.id));

/** Asserts that the changes have ascending revisions, and that no record comes twice. */
function assertInOrder(changes: readonly RecordChange[]): void {
  let last = 0;
  for (const change of changes) {
    const { revision } = change.kind === "stored" ? change.record : change;
    assert.ok(revision > last, JSON.stringify(changes));
    last = revision;
  }
  assert.equal(new Set(changes.map(idOf)).size, changes.length);
}
