import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { type Database, openDatabase, type RecordChange, type Store, StoreUnavailable } from "../../src/index.ts";
import { everything } from "../store-contract/contract.ts";
import { idOf } from "../store-contract/feed.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

const programs = 2;
const clients = 8;
/** How many changes each client makes. */
const changes = 40;

const folder = openFolder("feed-follower");

describe("a store that many change", () => {
  const file = folder.newFile();
  itIsFollowed("SQLite", () => openDatabase(file, { collections: [{ name: "person" }] }));
  let url: Promise<string> | undefined;
  itIsFollowed("PostgreSQL", async () => {
    url ??= newPostgresDatabase();
    return openDatabase(await url, { collections: [{ name: "person" }] });
  });
});

/**
 * Tests that a follower which is killed and resumed at random, while clients change a store through several programs, has all of it in
 * the end, and gets nothing twice but after a kill.
 */
function itIsFollowed(what: string, open: () => Promise<Database>): void {
  it(`is copied by a follower that is killed and resumed at random (${what})`, async () => {
    const databases: Database[] = [];
    await using _ = {
      [Symbol.asyncDispose]: async () => void (await Promise.all(databases.map((each) => each.close()))),
    };
    for (let n = 0; n < programs; n++) databases.push(await open());
    const stores = databases.map((database) => database.store("person"));
    let areDone = false;
    const changing = Promise.all(
      Array.from({ length: clients }, (_, n) => changeAtRandom(stores[n % stores.length] as Store, changes)),
    ).finally(() => {
      areDone = true;
    });
    const copy = new Copy();
    let kills = 0;
    while (!areDone) {
      // The first two live for one batch, on a machine that is slow, too.
      await follow(copy, pick(stores), () => areDone, kills < 2 ? 1 : Math.random() * 100);
      kills++;
    }
    await changing;
    await follow(copy, pick(stores), () => true, Number.POSITIVE_INFINITY);
    const store = pick(stores);
    assert.deepEqual(copy.content, new Map((await everything(store)).map(({ id, json }) => [id, json])));
    assert.ok(kills > 1);
  });
}

/** What a follower has stored: it survives the follower. */
class Copy {
  readonly content = new Map<number, string>();
  cursor: string | undefined;
}

/**
 * Follows until it is killed, at random within a batch or after so many, or until there is nothing more and `isEnd` says so.
 *
 * @param life in batches
 */
async function follow(copy: Copy, store: Store, isEnd: () => boolean, life: number): Promise<void> {
  const seen = new Set<string>();
  for (let { cursor } = copy, batches = 1; ; batches++) {
    const mayEnd = isEnd();
    const batch = await store.changes(cursor, { limit: 1 + Math.floor(Math.random() ** 3 * 200) });
    for (const change of batch.changes) {
      assert.ok(!seen.has(nameOf(change)), `twice: ${nameOf(change)}`);
      seen.add(nameOf(change));
      if (change.kind === "stored") copy.content.set(change.record.id, change.record.json);
      else copy.content.delete(change.id);
      if (!mayEnd && Math.random() < 0.001) return;
    }
    copy.cursor = batch.cursor;
    cursor = batch.cursor;
    if (!mayEnd && batches >= life) return;
    if (mayEnd && !batch.hasMore && batch.isHeld !== true) return;
    await immediate(); // so that the clients get their turn
  }
}

const nameOf = (change: RecordChange): string =>
  change.kind === "stored" ? `${change.record.id} ${change.record.revision}` : `${idOf(change)} removed`;

/** Creates, changes and removes records, sometimes many or some of other clients. */
async function changeAtRandom(store: Store, count: number): Promise<void> {
  const ids: number[] = [];
  for (let n = 0; n < count; n++) {
    const id = pick(ids) ?? 1 + Math.floor(Math.random() * 100);
    const chance = Math.random();
    try {
      if (chance < 0.45) {
        const creation = await store.create({ n });
        if (creation.kind === "created") ids.push(creation.record.id);
      } else if (chance < 0.8) await store.replace(id, { n, name: "x".repeat(Math.random() * 400) });
      else if (chance < 0.99) await store.remove(id);
      else await store.createAll(Array.from({ length: 1 + Math.floor(Math.random() ** 4 * 5000) }, () => ({ n })));
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error; // of others that hold the locks for too long
    }
  }
}

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T; // undefined only of none
