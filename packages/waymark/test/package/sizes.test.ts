import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { namesIn, publicEntries } from "./entries.ts";

const packages = new URL("../../../", import.meta.url);
const readme = readFileSync(new URL("waymark/README.md", packages), "utf8");

/** The numbers of a row of the table, or of a sentence. */
const said = (pattern: RegExp): readonly number[] => {
  const [, ...numbers] = pattern.exec(readme) ?? assert.fail(`README.md has nothing of ${pattern}`);
  return numbers.map((number) => Number(number.replace(",", "")));
};

const isNear = (found: number, expected: number | undefined, most: number, what: string): void =>
  assert.ok(Math.abs(found - (expected ?? 0)) <= most, `${what}: ${found}, and README.md has ${expected}`);

/** The length of what a bundler makes of these exports, minified and gzipped, in kB. */
async function sizeOf(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(packages), loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2023",
    conditions: ["@waymark/source"],
  });
  return gzipSync(outputFiles[0]?.contents ?? assert.fail()).length / 1000;
}

describe("the README has the size", () => {
  for (const name of ["waymark", "@waymark/node", "@waymark/testing"]) {
    it(`of ${name}`, () => {
      const [names, lines] = said(new RegExp(`\\| \`${name}\` \\| (\\d+) \\| ([\\d,]+) \\|`));
      const own = publicEntries.filter((entry) => entry.name === name || entry.name.startsWith(`${name}/`));
      assert.equal(own.flatMap(({ file }) => namesIn(file)).length, names, "public names");
      const folder = new URL(`${name.replace("@waymark/", "")}/src/`, packages);
      const files = globSync("**/*.ts", { cwd: fileURLToPath(folder) });
      const count = files.reduce(
        (sum, file) => sum + readFileSync(new URL(file, folder), "utf8").split("\n").length - 1,
        0,
      );
      isNear(count, lines, 250, "lines");
    });
  }

  it("of what a Worker loads", async () => {
    const [all, core = 0, declared = 0] = said(
      /all of waymark takes (\d+) kB;[\s\S]*problems take (\d+) kB, and `takes` and `answers` (\d+) kB more/,
    );
    const entries = publicEntries.map(({ name }) => name).filter((name) => name.startsWith("waymark"));
    isNear(await sizeOf(entries.map((name) => `export * from "${name}";`).join("\n")), all, 2, "all, in kB");
    const names =
      "router, group, GET, POST, PUT, DELETE, accept, contentType, before, after, around, json, text, problem";
    isNear(await sizeOf(`export { ${names} } from "waymark";`), core, 2, "routes and problems, in kB");
    const both = await sizeOf(`export { ${names}, takes, answers } from "waymark";`);
    isNear(both, core + declared, 2, "with takes and answers, in kB");
  });
});
