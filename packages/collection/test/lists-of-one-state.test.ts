import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { type CollectionDefinition, openDatabase, type Selection } from "../src/index.ts";
import { newPostgresDatabase } from "./tools/postgres-server.ts";

const folder = openFolder("lists-of-one-state");

const collections: readonly CollectionDefinition[] = [
  { name: "person", members: { name: { filter: "text" } } },
  { name: "essay", members: {} },
];

/** Half of them lack a name, so that a page in the order of the names is made of several ranges. */
const people = Array.from({ length: 100 }, (_, i) => ({ count: 0, ...(i % 2 === 1 && { name: `Name ${i}` }) }));
const essays = Array.from({ length: 8 }, () => ({ count: 0, text: "x".repeat(1_000) }));
/** Records that are replaced together: one at the beginning of lists, and one at their end. */
const pairs = {
  person: [{ id: 3 }, { id: 100, name: "Name 99" }],
  essay: [1, 8].map((id) => ({ id, text: "x".repeat(20_000) })),
};

const byName = ["name", "id"].map((member) => ({ member, descending: false }));
const selections: readonly (readonly [collection: keyof typeof pairs, selection: Selection])[] = [
  ["person", {}],
  ["person", { limit: 99, after: [1] }],
  ["person", { order: byName }],
  ["person", { order: byName, after: [null, 1], limit: 99 }],
  ["essay", { limit: 8 }],
];

/** In states that the lists showed: where several statements read a list, it shows two states once in a hundred of these. */
const enough = 400;

describe("a list that is read at once while records change", () => {
  for (const [kind, newAddress] of [
    ["SQLite", async () => folder.newFile()],
    ["PostgreSQL", newPostgresDatabase],
  ] as const) {
    it(`shows one state, which it names (${kind})`, async () => {
      const address = await newAddress();
      const database = await openDatabase(address, { collections });
      await database.store("person").createAll(people);
      await database.store("essay").createAll(essays);
      const file = new URL("./pair-replacing-worker.ts", import.meta.url);
      const worker = new Worker(file, { workerData: { address, collections, pairs } });
      const counts = new Map<string, number>();
      try {
        while (counts.size < enough) {
          for (const [name, selection] of selections) {
            const { records, state, next } = await database.store(name).batch(selection);
            assert.equal(next, undefined);
            const shown = pairs[name].map(({ id }) => records.find((record) => record.id === id)?.json ?? "");
            const [first, last] = shown.map((json): number => JSON.parse(json).count);
            const what = `${name} ${JSON.stringify(selection)}, ${state}`;
            assert.equal(first, last, what);
            const known = counts.get(`${name} ${state}`);
            if (known !== undefined) assert.equal(first, known, what);
            counts.set(`${name} ${state}`, first as number); // there are two
          }
          await turn();
        }
      } finally {
        await worker.terminate();
        await database.close();
      }
    });
  }
});
