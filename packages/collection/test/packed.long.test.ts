import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { packAll } from "../../waymark/test/package/packed.ts";
import { typeCheck } from "../../waymark/test/package/type-check.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";

// The package as its users get it: packed, unpacked into an empty folder, and used from there.

const run = promisify(execFile);
const installedFolder = fileURLToPath(new URL("../../../node_modules", import.meta.url));

describe("the packed package", () => {
  const { root: folder } = openFolder("collection-packed");

  before(async () => {
    const tarballOf = await packAll();
    const unpacked = join(folder, "node_modules/@waymark/collection");
    await mkdir(unpacked, { recursive: true });
    await run("tar", ["-xzf", tarballOf("@waymark/collection"), "--strip-components=1", "-C", unpacked]);
    const manifest = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
    for (const dependency of Object.keys(manifest.dependencies)) {
      const link = join(folder, "node_modules", dependency);
      await mkdir(dirname(link), { recursive: true });
      await symlink(join(installedFolder, dependency), link);
    }
  });

  it("stores in a file and counts there, by the threads that it brings along", async () => {
    const program = `
      import { openDatabase } from "@waymark/collection";
      const database = await openDatabase("person.db", { collections: [{ name: "person" }] });
      const people = database.store("person");
      const { record } = await people.create({ name: "Ada" });
      console.log(record.id, people.find(1).json === record.json, await people.count());
      await database.close();
    `;
    await writeFile(join(folder, "program.mjs"), program);
    const { stdout } = await run(process.execPath, ["program.mjs"], { cwd: folder });
    assert.equal(stdout, "1 true 1\n");
  });

  it("has declarations that need no types of what it depends on", async () => {
    await writeFile(join(folder, "program.mts"), 'export { openDatabase } from "@waymark/collection";\n');
    await typeCheck(folder, "program.mts");
  });
});
