import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";

const manifest: { readonly exports: Readonly<Record<string, object>> } = JSON.parse(
  await readFile(new URL("../package.json", import.meta.url), "utf8"),
);
const names = Object.keys(manifest.exports).map((path) => path.replace(/^\./, "waymark"));
const valuesOf = async (name: string): Promise<readonly string[]> => Object.keys(await import(name));

describe("the entry points", () => {
  it("are the general one and one for each further concern", () => {
    const further = ["routing", "filters", "openapi", "content", "fields", "web", "internal"].map(
      (name) => `waymark/${name}`,
    );
    assert.deepEqual(names, ["waymark", ...further]);
  });

  it("export each value once", async () => {
    const all = (await Promise.all(names.map(valuesOf))).flat();
    assert.deepEqual(
      all.filter((name, i) => all.indexOf(name) !== i),
      [],
    );
  });

  it("show at most 57 values in the general one", async () => {
    const values = await valuesOf("waymark");
    assert.ok(values.length <= 57, values.join(", "));
  });
});
