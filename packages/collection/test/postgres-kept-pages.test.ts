import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CollectionDefinition, openPostgresDatabase, type Selection, type StoredRecord } from "../src/index.ts";
import { keptBatches } from "../src/stores/postgres/reading/kept-batches.ts";
import { disposable, newPostgresDatabase } from "./postgres-server.ts";
import { create } from "./store-contract.ts";

const thing: CollectionDefinition = { name: "thing", members: { name: { filter: "text", search: true } } };

const open = async (url: string): Promise<ReturnType<typeof disposable>> =>
  disposable(await openPostgresDatabase(url, { collections: [thing], partitions: 4 }));

describe("pages of PostgreSQL that are kept", () => {
  const pages: readonly Selection[] = [
    { limit: 3 },
    { limit: 3, after: [2] },
    {
      limit: 3,
      order: [
        { member: "name", descending: true },
        { member: "id", descending: false },
      ],
    },
    { limit: 4, filters: [{ member: "name", operator: "eq", value: "even" }] },
    { limit: 4, words: ["odd"] },
    {},
  ];

  it("come from memory when they are asked for a third time", async () => {
    await using opened = await open(await newPostgresDatabase());
    const store = opened.database.store("thing");
    for (let n = 0; n < 8; n++) await create(store, { name: n % 2 === 0 ? "even" : "odd" });
    for (const page of pages) {
      const read = async (): Promise<readonly StoredRecord[]> => (await store.batch(page)).records;
      const [first, second, third, fourth] = [await read(), await read(), await read(), await read()];
      assert.notEqual(second, first);
      assert.notEqual(third, second);
      assert.equal(fourth, third, JSON.stringify(page));
      assert.deepEqual(third, first);
    }
  });

  it("have each change that was acknowledged before, also one of another program", async () => {
    const url = await newPostgresDatabase();
    await using one = await open(url);
    await using other = await open(url);
    const stores = [one.database.store("thing"), other.database.store("thing")] as const;
    const names = new Map<number, string>();
    /** What the pages must have by their definition. */
    const expected = ({ filters, words, order, after, limit }: Selection): readonly (readonly [number, string])[] => {
      const all = [...names].filter(([, name]) => (filters ? name === "even" : words ? name === "odd" : true));
      const inOrder = all.toSorted(([a, one], [b, other]) => (order && one !== other ? (one < other ? 1 : -1) : a - b));
      return inOrder.filter(([id]) => after === undefined || id > Number(after[0])).slice(0, limit);
    };
    const shown = ({ id, json }: StoredRecord): readonly [number, string] => [id, JSON.parse(json).name];
    const nameOf = (n: number): string => (n % 3 === 0 ? "even" : "odd");
    for (let n = 0; n < 60; n++) {
      const store = stores[n % 7 < 4 ? 0 : 1];
      const [id = 0] = [...names.keys()].slice(n % 5);
      if (n < 6 || n % 4 === 0) names.set((await create(store, { name: nameOf(n) })).id, nameOf(n));
      else if (n % 4 === 1 && names.has(id)) {
        await store.replace(id, { name: nameOf(n) });
        names.set(id, nameOf(n));
      } else if (n % 8 === 2 && names.delete(id)) await store.remove(id);
      for (const page of pages) {
        for (const reader of stores) {
          // Together, so that some are read while others find that nothing has changed.
          const batches = await Promise.all(Array.from({ length: 1 + (n % 3) }, () => reader.batch(page)));
          for (const { records } of batches) assert.deepEqual(records.map(shown), expected(page), JSON.stringify(page));
        }
      }
    }
  });
});

describe("kept batches", () => {
  /** A collection of which a test says the revision. */
  function collection() {
    const state = { revision: 1, reads: 0, next: undefined as (() => never) | undefined, isOfOneState: true };
    const kept = keptBatches(async () => [state.revision]);
    const read = async (selection: Selection = {}, owner?: number, notBefore: readonly number[] = []) => {
      const records = [{ id: 1, revision: 1, updatedAt: 0, json: "x".repeat(1_000_000) }];
      const batch = { records, next: state.next, revisions: [state.revision] };
      const reading = async () => ({ batch, isOfOneState: state.isOfOneState, read: state.reads++ });
      return (await kept(selection, owner, { notBefore }, reading)).revisions;
    };
    return { state, read };
  }

  it("are those of a selection and an owner", async () => {
    const { state, read } = collection();
    for (const owner of [undefined, 1, 2]) for (let n = 0; n < 3; n++) await read({ limit: 2 }, owner);
    assert.equal(state.reads, 6);
    for (let n = 0; n < 3; n++) await read({ limit: 3 });
    assert.equal(state.reads, 8);
  });

  it("are not those of a state before the one that another server has shown", async () => {
    const { state, read } = collection();
    for (let n = 0; n < 3; n++) await read();
    assert.equal(state.reads, 2);
    await read({}, undefined, [2]);
    assert.equal(state.reads, 3);
    await read({}, undefined, [1]);
    assert.equal(state.reads, 3);
  });

  it("are whole lists and pages, of one state", async () => {
    for (const change of [{ next: () => assert.fail() }, { isOfOneState: false }]) {
      const { state, read } = collection();
      Object.assign(state, change);
      for (let n = 0; n < 4; n++) await read();
      assert.equal(state.reads, 4);
    }
  });

  /** Asks for each of the pages with these limits, and returns how many are read. */
  async function readsOf({ state, read }: ReturnType<typeof collection>, limits: readonly number[]): Promise<number> {
    const before = state.reads;
    for (const limit of limits) await read({ limit });
    return state.reads - before;
  }

  it("are of a bounded size, and stay when others do not fit", async () => {
    const pages = collection();
    const limits = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (let n = 0; n < 2; n++) await readsOf(pages, limits);
    for (let n = 0; n < 20; n++) assert.equal(await readsOf(pages, limits), 1);
  });

  it("make room for others that are asked for more often", async () => {
    const pages = collection();
    const others = [11, 12, 13, 14];
    for (let n = 0; n < 2; n++) await readsOf(pages, [1, 2, 3, 4, 5, 6, 7, 8]);
    for (let n = 0; n < 8; n++) await readsOf(pages, others);
    assert.equal(await readsOf(pages, others), 0);
  });
});
