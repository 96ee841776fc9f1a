// Run by lists-of-one-state.test.ts: replaces two records of each collection together, again and again, with one count.
import { workerData } from "node:worker_threads";
import { openDatabase } from "../src/index.ts";

const { address, collections, pairs } = workerData;
const database = await openDatabase(address, { collections });
for (let count = 1; ; count++) {
  for (const [name, pair] of Object.entries<readonly { readonly id: number }[]>(pairs)) {
    const changes = pair.map(
      ({ id, ...document }) => ({ kind: "replace", id, document: { ...document, count } }) as const,
    );
    await database.store(name).changeAll(changes);
  }
}
