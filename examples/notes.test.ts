import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { openNotes } from "./notes.ts";
import { served } from "./served.ts";

describe("notes", () => {
  const ask = served((address) => openNotes(address, "sesame"));
  const key = { Authorization: "Bearer sesame" };

  it("let in only who has the key", async () => {
    for (const headers of [{}, { Authorization: "Bearer sesamE" }, { Authorization: "Bearer sesame2" }]) {
      const refused = await ask("GET /notes", undefined, headers);
      assert.deepEqual([refused.status, refused.header("WWW-Authenticate")], [401, 'Bearer realm="notes"']);
    }
    assert.equal((await ask("GET /notes", undefined, key)).status, 200);
  });

  it("are stored, and found by their state", async () => {
    for (const text of ["Milk", "Bread"]) assert.equal((await ask("POST /notes", { text }, key)).status, 201);
    const patch = { ...key, "Content-Type": "application/merge-patch+json" };
    assert.equal((await ask("PATCH /notes/1", { state: "done" }, patch)).status, 204);
    const { text } = await ask("GET /notes?state=open&fields=text", undefined, key);
    assert.deepEqual(JSON.parse(text), [{ text: "Bread" }]);
    assert.equal((await ask("POST /notes", { text: "" }, key)).status, 400);
  });

  it("are described, and their health is there for all", async () => {
    const document = JSON.parse((await ask("GET /openapi.json")).text);
    assert.deepEqual(Object.keys(document.paths), [
      "/notes",
      "/notes/changes",
      "/notes/{id}",
      "/health",
      "/openapi.json",
    ]);
    assert.deepEqual(JSON.parse((await ask("GET /health")).text), { status: "up" });
  });
});

describe("the declarations of notes", async () => {
  const { app, database } = await openNotes(":memory:", "sesame");
  after(() => database.close());
  const options = { headers: { Authorization: "Bearer sesame" }, requests: 40 };
  for (const { name, run } of await contract(app, options)) it(name, run);

  // What `curl localhost:8080/openapi.json` has given clients.
  const published = JSON.parse(await readFile(new URL("published/notes.openapi.json", import.meta.url), "utf8"));
  for (const { name, run } of await contract(app, { ...options, published }))
    it(`keep ${name} as it is published`, run);
});
