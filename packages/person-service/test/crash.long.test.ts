import assert from "node:assert/strict";
import { it } from "node:test";
import { survivesCrashes } from "./crash.ts";
import { databaseKinds } from "./databases.ts";

for (const kind of databaseKinds) {
  it(`keeps each person whom it acknowledged, however it is killed (${kind.name})`, async () => {
    const { acknowledged, rounds } = await survivesCrashes(kind, kind.name === "SQLite" ? 3 : 2);
    assert.ok(acknowledged >= rounds);
  });
}
