import assert from "node:assert/strict";
import { it } from "node:test";
import { servesAmongSlowClients } from "./hostile-clients.ts";

it("a server answers each normal request while hundreds of clients are slow, and cuts those off", async () => {
  const { count } = await servesAmongSlowClients(300, 1_000);
  assert.ok(count >= 400);
});
