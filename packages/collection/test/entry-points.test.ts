import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";

/** The values and types that a file of exports names. */
function namesIn(file: string): readonly string[] {
  const source = readFileSync(new URL(`../src/${file}`, import.meta.url), "utf8");
  const lists = source.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [...lists].flatMap(([, list = ""]) => list.split(",").map((each) => each.trim())).filter(Boolean);
}

describe("the entry points of the collection", () => {
  it("have no more names than somebody needs, each once", () => {
    const [shared, own] = [namesIn("index.ts"), namesIn("internal.ts")];
    assert.ok(shared.length <= 80, `${shared.length} public names`);
    assert.ok(own.length <= 42, `${own.length} names for this project only`);
    assert.equal(new Set([...shared, ...own]).size, shared.length + own.length);
  });
});
