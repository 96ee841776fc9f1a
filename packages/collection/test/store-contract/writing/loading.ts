import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Database,
  RestoreError,
  type Snapshot,
  type SnapshotRecord,
  type Store,
  toWords,
} from "../../../src/index.ts";
import { create, everything, replace, type WithStore } from "../given.ts";

/** Opens so many empty databases of the same kind, with the same collections. */
export type WithDatabases = (
  count: number,
  use: (databases: readonly Database[]) => Promise<void>,
) => () => Promise<void>;

export function describeLoading(name: string, withStore: WithStore, withDatabases: WithDatabases): void {
  const withTwo = (use: (source: Database, target: Database) => Promise<void>) =>
    withDatabases(2, async ([source, target]) => use(source as Database, target as Database));

  describe(`${name}: snapshot and load`, () => {
    it(
      "take records with their ids, revisions, times and texts, and the ids and revisions that follow",
      withTwo(async (source, target) => {
        await fill(source.store("person"));
        await load(target, await source.snapshot());
        await assertSame(target, source);
        const [from, to] = [source.store("person"), target.store("person")];
        assert.deepEqual(await create(to, { name: "Zoe" }), await create(from, { name: "Zoe" }));
        assert.deepEqual(await to.create({ id: 3 }), { kind: "conflict", member: "id" });
        assert.deepEqual(await to.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
        assert.deepEqual(await everythingOf(to, "grün"), await everythingOf(from, "grün"));
        assert.equal((await everythingOf(to, "grün")).length, 1);
      }),
    );

    it(
      "take what is owned with its owner, and the keys by which records were created",
      withTwo(async (source, target) => {
        await fill(source.store("person"));
        await create(source.store("book").within(2), { title: "Emma", isbn: "1" });
        await create(source.store("page").within(1), { text: "first" });
        const idempotency = { key: "k \u0000", fingerprint: "f" };
        const first = await source.store("person").create({ name: "Jane" }, { idempotency });
        assert.ok(first.kind === "created");
        const keep = { key: "list", text: () => "a report" };
        await source.store("person").changeAll([{ kind: "create", document: { name: "Anne" } }], { keep });
        await load(target, await source.snapshot());
        await assertSame(target, source);
        const repeated = await target.store("person").create({ name: "Jane" }, { idempotency });
        assert.deepEqual(repeated, {
          kind: "repeated",
          id: first.record.id,
          revision: first.record.revision,
          record: first.record,
        });
        assert.equal(await target.store("person").kept("list"), "a report");
        assert.equal((await everything(target.store("book").within(2))).length, 1);
        await target.store("person").remove(2);
        for (const name of ["book", "page"]) assert.equal(await target.store(name).count(), 0);
      }),
    );

    it(
      "take an empty database",
      withTwo(async (source, target) => {
        await load(target, await source.snapshot());
        await assertSame(target, source);
        assert.equal((await create(target.store("person"), {})).id, 1);
      }),
    );

    it(
      "take what there was when the snapshot was taken, whatever is written meanwhile",
      withTwo(async (source, target) => {
        const store = source.store("person");
        await fill(store);
        const before = await everything(store);
        const revision = await store.revision();
        const snapshot = await source.snapshot();
        await replace(store, 1, { name: "changed" });
        await store.remove(2);
        await create(store, { name: "new" });
        await load(target, snapshot);
        assert.deepEqual(await everything(target.store("person")), before);
        assert.ok((await target.store("person").revision()) >= revision);
      }),
    );

    it(
      "report how far it is",
      withTwo(async (source, target) => {
        await source.store("person").createAll(large(5));
        const told: (readonly [number, number])[] = [];
        const snapshot = await source.snapshot();
        await target.restore(snapshot, {
          onProgress: ({ collection, stored, total }) => collection === "person" && told.push([stored, total]),
        });
        await snapshot.close();
        assert.deepEqual(told[0], [0, 5]);
        assert.deepEqual(told.at(-1), [5, 5]);
        assert.ok(told.length > 3, JSON.stringify(told));
      }),
    );

    it(
      "go on where they were broken off, with what has changed meanwhile",
      withTwo(async (source, target) => {
        const store = source.store("person");
        await fill(store);
        await create(source.store("book").within(5), { isbn: "1" });
        await create(source.store("page").within(1), {});
        await create(source.store("book").within(1), { isbn: "2" });
        await store.createAll(large(6));
        await assert.rejects(load(target, await source.snapshot(), 2), /broken off/);
        const begun = await everything(target.store("person"));
        assert.ok(begun.length > 0 && begun.length < (await everything(store)).length, `${begun.length}`);
        // Two who were loaded exchange what is unique, one goes, one is new and has what that one had.
        await replace(store, 1, { name: "Ada" });
        await replace(store, 2, { identifier: "A1" });
        await replace(store, 1, { name: "Ada", identifier: "A2" });
        await store.remove(5);
        await create(store, { identifier: "A5" });
        const snapshot = await source.snapshot();
        let read = 0;
        await load(target, { ...counting(snapshot, (count) => (read += count)) });
        await assertSame(target, source);
        assert.ok(read < (await everything(store)).length, `read ${read}`);
        assert.deepEqual(await target.store("person").create({ id: 5 }), { kind: "conflict", member: "id" });
      }),
    );

    it(
      "take one batch after another from snapshots of their own, while the source is changed, and are of the last one",
      withTwo(async (source, target) => {
        const store = source.store("person");
        await fill(store);
        await store.createAll(large(6));
        let steps = 0;
        for (let isDone = false; !isDone; steps++) {
          const snapshot = await source.snapshot();
          isDone = await target.restore(snapshot, { stopAfter: 0 });
          await snapshot.close();
          if (isDone) break;
          await replace(store, 1, { name: `Ada ${steps}`, identifier: `A1 of ${steps}` });
          await create(store, { identifier: steps === 0 ? "A1" : `A1 of ${steps - 1}` });
          if (steps === 1) await store.remove(2);
        }
        assert.ok(steps > 2, `${steps} steps`);
        await assertSame(target, source);
        assert.deepEqual(await target.store("person").create({ id: 2 }), { kind: "conflict", member: "id" });
      }),
    );

    it(
      "refuse a database that has, or had, records, and leave it as it is",
      withTwo(async (source, target) => {
        const store = target.store("person");
        await create(store, {});
        await assert.rejects(load(target, await source.snapshot()), refusal(/has, or had, records/));
        assert.equal((await everything(store)).length, 1);
        await store.remove(1);
        await assert.rejects(load(target, await source.snapshot()), refusal(/has, or had, records/));
        assert.equal((await create(store, {})).id, 2);
      }),
    );

    it(
      "refuse to go on from another database, and from itself",
      withDatabases(3, async ([source, other, target]) => {
        assert.ok(source && other && target);
        await fill(source.store("person"));
        await assert.rejects(load(target, await source.snapshot(), 0), /broken off/);
        await assert.rejects(load(target, await other.snapshot()), refusal(/unfinished restore from another source/));
        await assert.rejects(load(other, await other.snapshot()), refusal(/cannot be restored into itself/));
      }),
    );

    it(
      "refuse when another program writes to the database meanwhile",
      withTwo(async (source, target) => {
        await source.store("person").createAll(large(3));
        const snapshot = await source.snapshot();
        const intruding = wrapped(snapshot, async function* (batches) {
          for await (const batch of batches) {
            yield batch;
            await create(target.store("person"), { id: 900 });
          }
        });
        await assert.rejects(load(target, intruding), refusal(/Another program has changed the target database/));
      }),
    );

    it(
      "refuse records that share a value that must be unique",
      withTwo(async (source, target) => {
        await fill(source.store("person"));
        const doubled = wrapped(await source.snapshot(), async function* (batches) {
          for await (const batch of batches) {
            yield batch.map((record) => ({ ...record, json: record.json.replace('"A2"', '"A1"') }));
          }
        });
        await assert.rejects(load(target, doubled), refusal(/two records in it.* have the same identifier/));
      }),
    );

    it(
      "free what they hold when they are closed, as often as that may be",
      withStore(async (store, database) => {
        await create(store, {});
        const snapshot = await database.snapshot();
        await snapshot.close();
        await snapshot.close();
        await assert.rejects(Array.fromAsync(snapshot.records("person")));
      }),
    );
  });
}

/** Six people, of whom the third is removed and the fourth changed, with texts and ids of every kind. */
async function fill(store: Store): Promise<void> {
  for (const document of [
    { name: "Ada", identifier: "A1" },
    { name: "Grünwald \u{1f469}\u200d\u{1f4bb} \ud800 \u0000", identifier: "A2", address: { postalCode: "0" } },
    { name: "Zeno" },
    { name: "Grace", height: 1.5e300 },
    { identifier: "A5" },
    { id: 2 ** 52 + 7, name: "far away" },
  ]) {
    await create(store, document);
  }
  await store.remove(3);
  await replace(store, 4, { name: "Grace Hopper" });
}

/** Documents of which a batch has one or two. */
const large = (count: number) => Array.from({ length: count }, (_, n) => ({ name: "x".repeat(700_000), note: `${n}` }));

/** Loads and closes a snapshot; where a number is given it breaks off after so many batches. */
async function load(target: Database, snapshot: Snapshot, batches?: number): Promise<void> {
  try {
    await target.restore(batches === undefined ? snapshot : brokenOff(snapshot, batches));
  } finally {
    await snapshot.close();
  }
}

function brokenOff(snapshot: Snapshot, batches: number): Snapshot {
  let left = batches;
  return wrapped(snapshot, async function* (all) {
    for await (const batch of all) {
      if (left-- === 0) throw new Error("broken off");
      yield batch;
    }
  });
}

const counting = (snapshot: Snapshot, onBatch: (count: number) => void): Snapshot =>
  wrapped(snapshot, async function* (all) {
    for await (const batch of all) {
      onBatch(batch.length);
      yield batch;
    }
  });

type Batches = AsyncIterable<readonly SnapshotRecord[]>;

/** The snapshot with its records passed through something. */
function wrapped(snapshot: Snapshot, through: (batches: Batches) => Batches): Snapshot {
  return {
    identity: snapshot.identity,
    counters: (collection) => snapshot.counters(collection),
    records: (collection, range) => through(snapshot.records(collection, range)),
    removals: (collection) => snapshot.removals(collection),
    keys: (collection) => snapshot.keys(collection),
    close: () => snapshot.close(),
  };
}

async function assertSame(actual: Database, expected: Database): Promise<void> {
  for (const name of ["person", "book", "page"]) {
    const [one, other] = [actual.store(name), expected.store(name)];
    assert.deepEqual(await everything(one), await everything(other));
    assert.equal(await one.revision(), await other.revision());
  }
}

const everythingOf = async (store: Store, word: string) =>
  (await Array.fromAsync(store.list({ words: toWords(word) }))).flat();

const refusal = (message: RegExp) => (error: unknown) => error instanceof RestoreError && message.test(error.message);
