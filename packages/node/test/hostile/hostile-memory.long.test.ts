import { describe, it } from "node:test";
import { survivesChurn } from "./hostile-clients.ts";
import { hostileKinds, memoryOf } from "./hostile-memory.ts";

describe("memory that a server holds", () => {
  for (const [name, kind] of Object.entries(hostileKinds)) {
    it(`is bounded for each client with ${name}`, async () => {
      await memoryOf(kind, 40);
    });
  }
});

it("a server keeps nothing of connections that are opened and dropped", async () => {
  await survivesChurn(1_000);
});
