import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { entries, isInternal, namesIn, publicEntries } from "./entries.ts";

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
    const shared = publicEntries.flatMap(({ file }) => namesIn(file));
    assert.ok(shared.length <= 130, `${shared.length} public names`);
    const own = entries.filter(isInternal).flatMap(({ file }) => namesIn(file));
    assert.ok(own.length <= 25, `${own.length} names for this project only`);
  });
});
