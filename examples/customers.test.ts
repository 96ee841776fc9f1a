import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openCustomers } from "./customers.ts";
import { served } from "./served.ts";

describe("customers", () => {
  const ask = served(openCustomers);

  it("are created: 201 without content, with the Location that answers 200", async () => {
    const created = await ask("POST /customers", { name: "Ada Lovelace", email: "ada@example.com", city: "London" });
    assert.deepEqual([created.status, created.header("Location"), created.text], [201, "/customers/1", ""]);
    const read = await ask(`GET ${created.header("Location")}`);
    assert.deepEqual([read.status, JSON.parse(read.text).name], [200, "Ada Lovelace"]);
  });

  it("have one email address each, and are refused with all that is wrong", async () => {
    assert.equal((await ask("POST /customers", { name: "Eve", email: "ada@example.com" })).status, 409);
    const refused = await ask("POST /customers", { name: "", email: "nobody" });
    assert.deepEqual([refused.status, JSON.parse(refused.text).errors.length], [400, 2]);
  });

  it("are listed by city, in order, page by page", async () => {
    for (const name of ["Grace Hopper", "Joan Clarke"]) await ask("POST /customers", { name, city: "London" });
    const page = await ask("GET /customers?city=London&sort=-name&limit=2&fields=name", undefined, {
      Prefer: "count=exact",
    });
    assert.deepEqual(JSON.parse(page.text), [{ name: "Joan Clarke" }, { name: "Grace Hopper" }]);
    assert.equal(page.header("X-Total-Count"), "3");
    const next = /<([^>]*)>; rel="next"/.exec(page.header("Link") ?? "")?.[1];
    assert.deepEqual(JSON.parse((await ask(`GET ${next}`)).text), [{ name: "Ada Lovelace" }]);
  });

  it("are changed, replaced and removed", async () => {
    const patch = { "Content-Type": "application/merge-patch+json" };
    assert.equal((await ask("PATCH /customers/1", { city: "Paris" }, patch)).status, 204);
    assert.equal(JSON.parse((await ask("GET /customers/1")).text).city, "Paris");
    assert.equal((await ask("PUT /customers/1", { name: "Ada Byron" })).status, 204);
    assert.equal((await ask("POST /customers/1", { name: "Eve" })).status, 409);
    assert.equal((await ask("DELETE /customers/1")).status, 200);
    for (const method of ["GET", "PUT", "DELETE", "POST"]) {
      assert.equal((await ask(`${method} /customers/1`, method === "GET" ? undefined : { name: "Eve" })).status, 404);
    }
    assert.equal((await ask("DELETE /customers")).status, 405);
  });
});
