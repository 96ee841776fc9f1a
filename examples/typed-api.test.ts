import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { app } from "./typed-api.ts";

async function ask(line: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
  const [method = "", target = ""] = line.split(" ");
  const json = body === undefined ? {} : { body: JSON.stringify(body) };
  const sent = { "Content-Type": "application/json", Authorization: "Bearer sesame", ...headers };
  const response = await app.fetch(new Request(`http://localhost${target}`, { method, headers: sent, ...json }));
  return { status: response.status, header: response.headers.get("Location"), text: await response.text() };
}

describe("a typed API", () => {
  it("stores, reads, lists and removes", async () => {
    const created = await ask("POST /notes", { title: "Milk", tags: ["home"] });
    assert.deepEqual(created, { status: 201, header: "/notes/1", text: '{"title":"Milk","tags":["home","by:Ada"]}' });
    assert.equal((await ask("GET /notes/1")).text, created.text);
    assert.deepEqual(JSON.parse((await ask("GET /notes?tag=home&tag=by:Ada&page=1")).text).length, 1);
    assert.equal((await ask("GET /notes?tag=work")).text, "[]");
    assert.equal((await ask("DELETE /notes/1")).status, 204);
    assert.equal((await ask("GET /notes/1")).status, 404);
  });

  it("stores and removes only for those who are signed in", async () => {
    for (const line of ["POST /notes", "DELETE /notes/1"]) {
      assert.equal((await ask(line, { title: "" }, { Authorization: "" })).status, 401, line);
    }
  });

  describe("keeps to its declarations", async () => {
    const headers = { Authorization: "Bearer sesame" };
    for (const { name, run } of await contract(app, { headers })) it(name, run);

    const published = JSON.parse(readFileSync(new URL("published/typed-api.openapi.json", import.meta.url), "utf8"));
    for (const { name, run } of await contract(app, { headers, published })) it(`${name}, as it is published`, run);
  });

  it("is described", async () => {
    const { paths } = JSON.parse((await ask("GET /openapi.json")).text);
    assert.deepEqual(Object.keys(paths), ["/notes", "/notes/{id}", "/openapi.json"]);
    assert.deepEqual(Object.keys(paths["/notes"].post.responses), ["201", "400", "413", "415", "500"]);
  });

  it("is 37 lines", () => {
    const source = readFileSync(new URL("typed-api.ts", import.meta.url), "utf8");
    const lines = source.replace(/^\/\*\*.*?\*\/$/ms, "").split("\n");
    assert.equal(lines.filter((line) => line.trim() !== "").length, 37);
  });
});
