import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import type { StoredKey } from "../../src/access/files/api-key.ts";
import { FileError } from "../../src/access/files/json-file.ts";
import { changeKeys, readKeys } from "../../src/access/files/key-file.ts";

const keyNamed = (name: string): StoredKey => ({
  name,
  hash: "0".repeat(64),
  scopes: ["person:read"],
  createdAt: "2026-01-31T12:00:00.000Z",
});

describe("the file of API keys", () => {
  const folder = openFolder("key-file");
  const file = folder.path("deep/keys.json");

  it("is made with its folder when it is missing, for its owner only", async () => {
    await changeKeys(file, (keys) => [...keys, keyNamed("a")]);
    await changeKeys(file, (keys) => [...keys, keyNamed("b")]);
    assert.deepEqual(await readKeys(file), [keyNamed("a"), keyNamed("b")]);
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder.path("deep")), ["keys.json"]);
  });

  it("keeps its owner and its mode", async () => {
    // Only root can give a file away.
    if (process.getuid?.() === 0) chownSync(file, 12345, 12345);
    chmodSync(file, 0o640);
    const before = statSync(file);
    await changeKeys(file, (keys) => keys);
    const { uid, gid, mode, ino } = statSync(file);
    assert.deepEqual([uid, gid, mode], [before.uid, before.gid, before.mode]);
    assert.notEqual(ino, before.ino);
  });

  it("is read where a link leads to it, and not changed", { skip: process.platform === "win32" }, async () => {
    const link = folder.path("link.json");
    symlinkSync(file, link);
    const before = await readKeys(file);
    assert.deepEqual(await readKeys(link), before);
    await assert.rejects(
      changeKeys(link, (keys) => keys.toReversed()),
      /it is a symbolic link; name the file that it leads to/,
    );
    assert.deepEqual(await readKeys(file), before);
  });

  it("that cannot be written is reported with the file and the cause", async () => {
    // A process may change its own limit; the change is more than it allows.
    const many = folder.write("many.json", { keys: [] });
    const program = `import { changeKeys } from ${JSON.stringify(new URL("../../src/access/files/key-file.ts", import.meta.url))};
      const key = { name: "a", hash: "0".repeat(64), scopes: ["x".repeat(100_000)], createdAt: "2026-01-31T12:00:00Z" };
      await changeKeys(process.argv[1], () => [key]).catch(({ name, message }) => console.log(name, message));`;
    const node = [process.execPath, "--conditions=@waymark/source", "--input-type=module", "-e", program, many];
    const { stdout, stderr } = spawnSync("sh", ["-c", 'ulimit -f 8; exec "$0" "$@"', ...node], { encoding: "utf8" });
    assert.equal(stderr, "");
    assert.match(
      stdout,
      /^FileError The file ".*many\.json" cannot be used: writing it failed: it would be larger than the system allows\n$/,
    );
    assert.deepEqual(await readKeys(many), []);
  });

  it("stays as it was when a change fails", async () => {
    const before = readFileSync(file);
    const failing = changeKeys(file, () => {
      throw new Error("no");
    });
    await assert.rejects(failing, /^Error: no$/);
    assert(readFileSync(file).equals(before));
    assert(!existsSync(`${file}.new`));
  });

  it("loses no change: of two at a time, one is refused", async () => {
    const names = ["c", "d", "e", "f"];
    const outcomes = await Promise.allSettled(
      names.map((name) => changeKeys(file, (keys) => [...keys, keyNamed(name)])),
    );
    const stored = (await readKeys(file)).map(({ name }) => name);
    assert.deepEqual(
      stored.slice(2),
      names.filter((_, i) => outcomes[i]?.status === "fulfilled"),
    );
    for (const outcome of outcomes) {
      if (outcome.status === "fulfilled") continue;
      assert(outcome.reason instanceof FileError);
      assert.match(outcome.reason.message, /another command is changing it/);
    }
  });

  it("is refused when it has something else in it", async () => {
    const twice = folder.write("twice.json", { keys: [keyNamed("a"), keyNamed("a")] });
    await assert.rejects(readKeys(twice), /keys\[1\]\.name is the name of two keys/);
    const plain = folder.write("plain.json", { keys: [{ ...keyNamed("a"), hash: "ps_secret" }] });
    await assert.rejects(readKeys(plain), (error: Error) => {
      assert.match(error.message, /keys\[0\]\.hash must be a SHA-256 hash/);
      return !error.message.includes("secret");
    });
    // A file that cannot be read is not one that is missing: its keys would be lost.
    const broken = folder.write("broken.json", "{");
    await assert.rejects(
      changeKeys(broken, (keys) => keys),
      FileError,
    );
    assert.equal(readFileSync(broken, "utf8"), "{");
  });
});
