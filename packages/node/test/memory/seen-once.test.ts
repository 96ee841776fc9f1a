import assert from "node:assert/strict";
import { it } from "node:test";
import { SeenOnce } from "../../src/memory/seen-once.ts";

it("texts that come in turn are known when they come again, hardly any excepted", () => {
  const seen = new SeenOnce(8_192);
  const texts = Array.from({ length: 1_000 }, (_, n) => `GET /person/1 HTTP/1.1\rBearer ${n}`);
  for (const text of texts) assert.equal(seen.add(text), false, text);
  const unknown = texts.filter((text) => !seen.add(text));
  assert.ok(unknown.length < 10, `${unknown.length} unknown`);
});
