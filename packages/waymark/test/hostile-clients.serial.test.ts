import assert from "node:assert/strict";
import { it } from "node:test";
import { servesAmongSlowClients, survivesChurn } from "./hostile-clients.ts";

it("a server answers each normal request while hundreds of clients are slow, and cuts those off", async () => {
  const { count } = await servesAmongSlowClients(300, 1_000);
  assert.ok(count >= 400);
});

it("a server keeps nothing of connections that are opened and dropped", async () => {
  await survivesChurn(2_000);
});
