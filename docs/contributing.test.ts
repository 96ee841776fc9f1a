import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { nearTests } from "../scripts/near-tests.ts";
import { readPage } from "./page.ts";

const packages = join(import.meta.dirname, "../packages");
describe("CONTRIBUTING.md", () => {
  it("leads to a README with a row for each folder of the sources", () => {
    for (const name of ["waymark", "node", "testing", "collection", "person-service"]) {
      const rows = readPage(join(packages, name, "src/README.md")).rows.map(([folder = ""]) =>
        folder.replaceAll("`", ""),
      );
      const folders = globSync("**/*.ts", { cwd: join(packages, name, "src") }).map(dirname);
      assert.deepEqual(rows.toSorted(), [...new Set(folders)].filter((folder) => folder !== ".").toSorted(), name);
    }
  });

  it("is right that no files import each other in a circle", () => {
    const below = new Set<string>();
    const circles: string[] = [];
    const visit = (file: string, above: readonly string[]): void => {
      if (above.includes(file)) circles.push([...above.slice(above.indexOf(file)), file].join(" → "));
      if (above.includes(file) || below.has(file)) return;
      for (const other of importsOf(file)) visit(other, [...above, file]);
      below.add(file);
    };
    const files = globSync("*/src/**/*.ts", { cwd: packages });
    assert.ok(files.length > 300, `${files.length} files`);
    for (const file of files) visit(file, []);
    assert.deepEqual(circles, []);
  });
});

it("the page on the architecture names files that exist", () => {
  const page = readFileSync(join(import.meta.dirname, "architecture.md"), "utf8");
  const files = Array.from(page.matchAll(/`([\w/-]+\.ts)`/g), ([, file = ""]) => file);
  assert.ok(files.length > 20, `${files.length} files`);
  const missing = files.filter((file) => globSync(`*/src/${file}`, { cwd: packages }).length === 0);
  assert.deepEqual(missing, []);
});

/** The files of the same package that a file imports, values or types. */
function importsOf(file: string): readonly string[] {
  const source = readFileSync(join(packages, file), "utf8");
  return Array.from(source.matchAll(/\b(?:from |import ?\(?)"(\.[^"]+\.ts)"/g), ([, path = ""]) =>
    join(dirname(file), path),
  );
}

it("npm test -- --near runs the tests of a file and of those that import it", () => {
  const cwd = join(import.meta.dirname, "..");
  const tests = globSync("packages/*/test/**/*.test.ts", { cwd });
  for (const [file, nearest] of [
    ["waymark/src/fields/accept.ts", "waymark/test/fields/negotiate.test.ts"],
    ["node/src/http1/exchanges.ts", "node/test/http1/connection/connection.test.ts"],
    ["person-service/src/person/cards/vcard.ts", "person-service/test/person/cards/vcard.test.ts"],
  ] as const) {
    const near = nearTests(`packages/${file}`, tests, cwd);
    assert.equal(near[0], `packages/${nearest}`);
    assert.equal(near.length, 12);
  }
  assert.throws(() => nearTests("packages/nothing.ts", tests, cwd), /not packages\/nothing\.ts/);
});
