import { describe, it } from "node:test";
import { hostileKinds, memoryOf } from "./hostile-memory.ts";

describe("memory that a server holds", () => {
  for (const [name, kind] of Object.entries(hostileKinds)) {
    it(`is bounded for each client with ${name}`, async () => {
      await memoryOf(kind, 40);
    });
  }
});
