import { describe, it } from "node:test";
import { hostileKinds, memoryOf } from "./hostile-memory.ts";

// What waits for all clients is bounded as well; beside it each connection has a little of its own.
const mostInAll = 2 ** 28 + 10_000 * 128 * 1024;

describe("memory that a server holds for 10,000 clients", () => {
  for (const [name, kind] of Object.entries(hostileKinds)) {
    it(`with ${name}`, async (t) => {
      const each = await memoryOf(kind, 10_000, mostInAll);
      t.diagnostic(`${Math.round(each / 1024)} KiB each`);
    });
  }
});
