import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";

const packages = join(import.meta.dirname, "../packages");
const text = readFileSync(join(import.meta.dirname, "../CONTRIBUTING.md"), "utf8");

suite("CONTRIBUTING.md", () => {
  test("names files of waymark in the way of a request", () => {
    const section = /^## The way of a request\n(.*?)^## /ms.exec(text)?.[1] ?? "";
    const files = Array.from(section.matchAll(/`([\w/-]+\.ts)`/g), ([, file = ""]) => file);
    assert.ok(files.length > 10, `${files.length} files`);
    const missing = files.filter((file) => !existsSync(join(packages, "waymark/src", file)));
    assert.deepEqual(missing, []);
  });

  test("has a row for each folder of the sources", () => {
    const rows = Array.from(
      text.matchAll(/^\| ([\w-]+) `([\w/-]+)` \|/gm),
      ([, name, folder]) => `${name}/src/${folder}`,
    );
    const folders = globSync("*/src/**/*.ts", { cwd: packages }).map(dirname);
    const nested = [...new Set(folders)].filter((folder) => !folder.endsWith("/src"));
    assert.deepEqual(rows.toSorted(), nested.toSorted());
  });
});
