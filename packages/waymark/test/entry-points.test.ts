import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

const packages = ["waymark", "node", "testing"];

/** The entry points of the packages, by what programs import, and the files that they are. */
const entries = packages.flatMap((name) => {
  const folder = new URL(`../../${name}/`, import.meta.url);
  const { name: own, exports } = JSON.parse(readFileSync(new URL("package.json", folder), "utf8"));
  const all: readonly (readonly [string, string | { readonly "@waymark/source": string }])[] = Object.entries(exports);
  return all.flatMap(([path, file]) =>
    typeof file === "string" ? [] : [{ name: own + path.slice(1), file: new URL(file["@waymark/source"], folder) }],
  );
});

/** The values and types that a file of exports names. */
function namesIn(file: URL): readonly string[] {
  const source = readFileSync(file, "utf8");
  const lists = source.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists]
    .flatMap(([, list = ""]) => list.split(",").map((each) => each.trim().replace(/^type /, "")))
    .filter(Boolean);
}

const isInternal = ({ name }: { readonly name: string }): boolean => name.endsWith("/internal");

describe("the entry points", () => {
  it("are six, and what is for this project only", () => {
    const further = ["routing", "filters", "openapi", "content", "fields", "internal"].map((name) => `waymark/${name}`);
    const ofWaymark = entries.map(({ name }) => name).filter((name) => name.startsWith("waymark"));
    assert.deepEqual(ofWaymark, ["waymark", ...further]);
  });

  it("export each name once", () => {
    const all = entries.filter(({ name }) => name.startsWith("waymark")).flatMap(({ file }) => namesIn(file));
    assert.deepEqual(
      all.filter((name, i) => all.indexOf(name) !== i),
      [],
    );
  });

  it("have no more names than somebody needs", () => {
    const shared = entries.filter((each) => !isInternal(each)).flatMap(({ file }) => namesIn(file));
    assert.ok(shared.length <= 178, `${shared.length} public names`);
    const own = entries.filter(isInternal).flatMap(({ file }) => namesIn(file));
    assert.ok(own.length <= 85, `${own.length} names for this project only`);
  });
});
