// Run by sqlite-sharing.test.ts and sqlite-layout.test.ts: opens each file when as many threads as there are have come to it, says so
// before, and stores a record, or brings the file to the last of some layouts.
import { parentPort, workerData } from "node:worker_threads";
import { openSqliteDatabase } from "../../../src/index.ts";
import { openSqliteFile } from "../../../src/stores/sqlite/connections/file.ts";
import type { Layouts } from "../../../src/stores/sqlite/connections/migrations.ts";

interface Work {
  readonly arrived: Int32Array;
  readonly threads: number;
  readonly rounds: readonly string[];
  readonly layouts?: Layouts;
}

const { arrived, threads, rounds, layouts } = workerData as Work; // what the test hands over

for (const [round, file] of rounds.entries()) {
  const due = threads * (round + 1);
  Atomics.add(arrived, 0, 1);
  while (Atomics.load(arrived, 0) < due); // waking up would take longer than opening does
  parentPort?.postMessage("opening");
  if (layouts !== undefined) {
    openSqliteFile(file, { busyTimeout: 1000, prepare: () => undefined, layouts }).close();
    continue;
  }
  const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
  await database.store("person").create({});
  await database.close();
}
