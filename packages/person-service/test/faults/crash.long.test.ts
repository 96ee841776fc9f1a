import assert from "node:assert/strict";
import { it } from "node:test";
import { databaseKinds } from "../tools/databases.ts";
import { survivesCrashes } from "./crash.ts";

for (const kind of databaseKinds) {
  it(`keeps each person whom it acknowledged, however it is killed (${kind.name})`, async () => {
    const { acknowledged, rounds } = await survivesCrashes(kind, kind.name === "SQLite" ? 3 : 2);
    assert.ok(acknowledged >= rounds);
  });
}
