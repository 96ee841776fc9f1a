import { describe, it } from "node:test";
import { hostileKinds, memoryOf } from "./hostile-memory.ts";

describe("memory that a server holds for 10,000 clients", () => {
  for (const [name, kind] of Object.entries(hostileKinds)) {
    it(`with ${name}`, async (t) => {
      const each = await memoryOf(kind, 10_000);
      t.diagnostic(`${Math.round(each / 1024)} KiB each`);
    });
  }
});
