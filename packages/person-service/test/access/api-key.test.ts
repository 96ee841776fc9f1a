import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { claimsToBeApiKey, createApiKey, hashApiKey, isApiKey } from "../../src/access/files/api-key.ts";

describe("an API key", () => {
  it("is recognized by its prefix, its length and its checksum", () => {
    const key = createApiKey();
    assert.match(key, /^ps_[0-9A-Za-z]{49}$/);
    assert(isApiKey(key) && claimsToBeApiKey(key));
  });

  it("is another each time", () => {
    assert.equal(new Set(Array.from({ length: 100 }, createApiKey)).size, 100);
  });

  it("is invalid once a single character of it is changed, dropped or swapped", () => {
    const key = createApiKey();
    for (let i = 0; i < key.length; i++) {
      const other = key[i] === "x" ? "y" : "x";
      assert(!isApiKey(key.slice(0, i) + other + key.slice(i + 1)), `changed at ${i}`);
      assert(!isApiKey(key.slice(0, i) + key.slice(i + 1)), `dropped at ${i}`);
    }
    assert(!isApiKey(`${key}0`));
  });

  it("has the CRC-32 of what stands before it in 6 digits of base 62, as any scanner can compute it", () => {
    assert(isApiKey(`ps_${"0".repeat(43)}1K0Ecg`));
  });

  it("is kept as the SHA-256 of its text", () => {
    assert.equal(hashApiKey("ps_"), "2f9391bd9077df35af08e2465aa5e1ef6ff2ba9d6807d13343c3cfeced46f6ba");
  });
});
