import assert from "node:assert/strict";
import { it } from "node:test";
import { SeenValues } from "../src/bulk/changes/earlier-lines.ts";

it("values that are held are found again, and no others, however many there are", () => {
  const held = new SeenValues();
  for (let n = 0; n < 10_000; n++) {
    assert.ok(!held.has(`value ${n}`));
    held.add(`value ${n}`);
    held.add(`value ${n}`);
  }
  for (let n = 0; n < 20_000; n++) assert.equal(held.has(`value ${n}`), n < 10_000);
});
