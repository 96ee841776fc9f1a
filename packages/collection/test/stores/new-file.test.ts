import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import { FileNameError, FileTakenError, NewFile, type NewFileOptions } from "@waymark/collection/internal";
import { openFolder } from "../../../waymark/test/tools/folder.ts";

describe("a new file", () => {
  const folder = openFolder("new-file");
  let count = 0;
  const newPath = (): string => {
    const path = folder.path(`${++count}`);
    mkdirSync(path);
    return `${path}/file`;
  };
  const namesBeside = (path: string): readonly string[] => readdirSync(dirname(path));

  async function write(path: string, text: string, options?: NewFileOptions): Promise<void> {
    await using file = await NewFile.open(path, options);
    await file.handle.writeFile(text);
    await file.finish();
  }

  it("has its name when it is complete, and a random one before", async () => {
    const path = newPath();
    await using one = await NewFile.open(path);
    await using other = await NewFile.open(path);
    const names = namesBeside(path);
    assert.equal(names.length, 2);
    for (const name of names) assert.match(name, /^\.file\.[0-9a-f-]{36}\.partial$/);
    await one.handle.writeFile("one");
    await one.finish();
    assert.equal(readFileSync(path, "utf8"), "one");
    if (process.platform !== "win32") assert.equal(statSync(path).mode & 0o777, 0o600);
    await assert.rejects(other.finish(), FileTakenError);
    assert.equal(readFileSync(path, "utf8"), "one");
  });

  it("leaves nothing unless it is finished", async () => {
    const path = newPath();
    {
      await using file = await NewFile.open(path);
      await file.handle.writeFile("half");
    }
    assert.deepEqual(namesBeside(path), []);
    await write(path, "whole");
    assert.deepEqual(namesBeside(path), ["file"]);
  });

  it("replaces another only on request", async () => {
    const path = newPath();
    writeFileSync(path, "old");
    await assert.rejects(NewFile.open(path), FileTakenError);
    {
      await using file = await NewFile.open(path, { replace: true });
      await file.handle.writeFile("half");
    }
    assert.equal(readFileSync(path, "utf8"), "old");
    await write(path, "new", { replace: true });
    assert.equal(readFileSync(path, "utf8"), "new");
    assert.deepEqual(namesBeside(path), ["file"]);
  });

  it("never replaces a database of SQLite", async () => {
    const path = newPath();
    const database = new DatabaseSync(path);
    database.exec("CREATE TABLE kept (value)");
    database.close();
    await assert.rejects(
      NewFile.open(path, { replace: true }),
      /^Error: it is a database of SQLite; name another file$/,
    );
    assert.deepEqual(namesBeside(path), ["file"]);
    writeFileSync(path, "SQLite");
    await write(path, "new", { replace: true });
  });

  it("is not made through a link, also not one that came later", { skip: process.platform === "win32" }, async () => {
    const [path, target] = [newPath(), folder.write("target", "mine")];
    await using file = await NewFile.open(path, { replace: true });
    symlinkSync(target, path);
    await assert.rejects(NewFile.open(path, { replace: true }), FileNameError);
    await assert.rejects(NewFile.open(path), FileNameError);
    await file.handle.writeFile("new");
    await file.finish();
    assert.deepEqual([readFileSync(path, "utf8"), readFileSync(target, "utf8")], ["new", "mine"]);
  });

  it("with a lock is the only one under way", async () => {
    const path = newPath();
    const options = { replace: true, lock: ".new" };
    {
      await using _ = await NewFile.open(path, options);
      await assert.rejects(NewFile.open(path, options), { code: "EEXIST" });
    }
    await write(path, "new", options);
    assert.deepEqual(namesBeside(path), ["file"]);
  });

  it("may have a name as long as the system allows", async () => {
    const path = `${dirname(newPath())}/${"ä".repeat(127)}`;
    await write(path, "new");
    assert.equal(readFileSync(path, "utf8"), "new");
  });
});
