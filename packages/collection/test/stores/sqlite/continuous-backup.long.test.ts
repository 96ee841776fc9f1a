import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { nextMessage } from "../../../../waymark/test/tools/child-process.ts";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openSqliteDatabase } from "../../../src/index.ts";
import { create, everything } from "../../store-contract/contract.ts";

const folder = openFolder("continuous-backup");

describe("a program that copies the log of a SQLite file while it grows", () => {
  it("gets each change, while the service writes and checkpoints, and what it restores is complete", async () => {
    const [file, copy] = ["people.db", "copy.db"].map((name) => folder.path(name)) as [string, string]; // of two
    const database = await openSqliteDatabase(file, { collections: [{ name: "person" }], busyTimeout: 10_000 });
    const store = database.store("person");
    await create(store, { name: "Ada" });
    const copier = fork(join(import.meta.dirname, "log-copier.ts"), [file, copy]);
    try {
      await ask(copier, "hold");
      const document = { description: "x".repeat(20_000) };
      for (let written = 0; written < 1000; written += 100) {
        await Promise.all(Array.from({ length: 100 }, (_, n) => create(store, { ...document, n })));
        // Beyond the size at which the service empties its log, too, it is the same log.
        assert.equal(await ask(copier, "copy"), true);
      }
      const before = statSync(`${file}-wal`).size;
      assert.ok(before > 20_000_000, `a log of ${before} bytes`);
      const expected = await everything(store);

      // The copier empties the log between two writes, and the service goes on with a new one.
      const writing = Array.from({ length: 20 }, (_, n) => create(store, { n }));
      assert.notEqual(await ask(copier, "checkpoint"), null);
      await Promise.all(writing);
      await create(store, {});
      const now = statSync(`${file}-wal`).size;
      assert.ok(now < 12_000_000, `a log of ${now} bytes`);

      const restored = await openSqliteDatabase(copy, { collections: [{ name: "person" }] });
      assert.deepEqual(await everything(restored.store("person")), expected);
      await restored.close();
    } finally {
      copier.kill("SIGKILL");
      await once(copier, "exit");
      await database.close();
    }
  });
});

/** Has the copier make a step, and returns what came of it. */
async function ask(copier: ChildProcess, step: string): Promise<unknown> {
  copier.send(step);
  return nextMessage(copier);
}
