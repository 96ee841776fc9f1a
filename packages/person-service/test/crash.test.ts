import assert from "node:assert/strict";
import { it } from "node:test";
import { survivesCrashes } from "./crash.ts";
import { databaseKinds, sqlite } from "./databases.ts";

for (const kind of databaseKinds) {
  it(`keeps each person whom it acknowledged, however it is killed (${kind.name})`, async () => {
    const { acknowledged, rounds } = await survivesCrashes(kind, kind.name === "SQLite" ? 3 : 2);
    assert.ok(acknowledged >= rounds);
  });
}

for (const [victim, what] of [
  ["worker", "single workers"],
  ["workers", "both workers and the process that writes for them"],
] as const) {
  it(`keeps each person whom it acknowledged, when ${what} are killed`, async () => {
    const { acknowledged, rounds } = await survivesCrashes(sqlite, 2, victim);
    assert.ok(acknowledged >= rounds);
  });
}
