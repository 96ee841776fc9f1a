import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { openGuarded, provider } from "./keycloak.ts";
import { served } from "./served.ts";

describe("people behind Keycloak", () => {
  const { root } = openFolder("keycloak");
  const keySet = join(root, "certs.json");
  let tokenOf: Awaited<ReturnType<typeof provider>>;
  before(async () => {
    tokenOf = await provider(keySet);
  });
  const ask = served(() => openGuarded(keySet));
  const bearing = (token: string) => ({ Authorization: `Bearer ${token}` });

  it("are changed by editors, and read by readers", async () => {
    const editor = bearing(await tokenOf("ada", { realm_access: { roles: ["editor"] } }));
    const reader = bearing(await tokenOf("eve", { resource_access: { "person-service": { roles: ["reader"] } } }));
    assert.equal((await ask("POST /person", { name: "Ada" }, editor)).status, 200);
    assert.equal((await ask("POST /person", { name: "Eve" }, reader)).status, 403);
    assert.equal(JSON.parse((await ask("GET /person/1", undefined, reader)).text).name, "Ada");
  });

  it("are closed to roles of other clients, to other realms and keys, and to nobody", async () => {
    const roles = { realm_access: { roles: ["editor"] } };
    const other = await provider(join(root, "other.json"));
    const elsewhere = { resource_access: { shop: { roles: ["editor"] } } };
    assert.equal((await ask("GET /person", undefined, bearing(await tokenOf("eve", elsewhere)))).status, 403);
    const realm = await tokenOf("eve", { ...roles, iss: "https://login.example.com/realms/shop" });
    for (const token of [realm, await other("eve", roles), "a.b.c"]) {
      const refused = await ask("GET /person", undefined, bearing(token));
      assert.deepEqual([refused.status, refused.text], [401, ""]);
      assert.match(refused.header("WWW-Authenticate") ?? "", /invalid_token/);
    }
    assert.equal((await ask("GET /person")).status, 401);
  });
});
