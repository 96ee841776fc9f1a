import assert from "node:assert/strict";
import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { it } from "node:test";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openSnapshot, openSqliteDatabase } from "../../../src/index.ts";
import { describeEndOfTransactions, describeStore } from "../../store-contract/contract.ts";

const folder = openFolder("sqlite-file");

describeStore("SQLite in a file", (options) => openSqliteDatabase(folder.newFile(), options));

it("a SQLite file is known by what is in it, not by its place on the disk", async () => {
  const files = [folder.newFile(), folder.newFile()] as const;
  for (const file of files) await (await openSqliteDatabase(file, { collections: [{ name: "person" }] })).close();
  const identityOf = async (file: string): Promise<string> => {
    const snapshot = await openSnapshot(file);
    await snapshot.close();
    return snapshot.identity;
  };
  const [one, other] = [await identityOf(files[0]), await identityOf(files[1])];
  assert.notEqual(one, other);
  const { ino } = statSync(files[0]);
  writeFileSync(files[0], readFileSync(files[1])); // another database in the place of the first one
  assert.deepEqual([statSync(files[0]).ino, await identityOf(files[0])], [ino, other]);
  const moved = folder.newFile();
  renameSync(files[1], moved);
  assert.equal(await identityOf(moved), other);
});
describeEndOfTransactions("SQLite in a file", () =>
  openSqliteDatabase(folder.newFile(), { collections: [{ name: "person" }], busyTimeout: 300 }),
);
