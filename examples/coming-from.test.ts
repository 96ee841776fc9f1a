import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { ask } from "waymark";
import { app } from "./coming-from.ts";

describe("the service that is counted for those who come from another framework", () => {
  it("reads and stores books, without what they cost", async () => {
    const { cookies } = await ask(app, "POST /session", { json: { name: "ada", password: "sesame" } });
    const stored = await ask(app, "POST /books", { json: { title: "Dune" }, cookies });
    assert.deepEqual([stored.status, stored.headers.get("Location")], [201, "/books/2"]);
    assert.deepEqual((await ask(app, "GET /books")).value, [
      { id: 1, title: "Emma" },
      { id: 2, title: "Dune" },
    ]);
    assert.equal((await ask(app, "GET /books/7")).status, 404);
    assert.equal((await ask(app, "DELETE /books")).status, 405);
  });

  it("takes a picture from those who have signed in", async () => {
    const { cookies } = await ask(app, "POST /session", { json: { name: "ada", password: "sesame" } });
    assert.deepEqual((await ask(app, "GET /me", { cookies })).value, { name: "ada" });
    const form = new FormData();
    form.set("image", new File(["PNG"], "emma.png", { type: "image/png" }));
    assert.equal((await ask(app, "PUT /books/1/picture", { form, cookies })).status, 204);
    assert.equal((await ask(app, "PUT /books/7/picture", { form, cookies })).status, 404);
    assert.equal((await ask(app, "PUT /books/1/picture", { form })).status, 401);
    assert.equal((await ask(app, "POST /session", { json: { name: "ada", password: "beans" } })).status, 401);
  });

  it("has a folder of files, and an old application behind it", async () => {
    assert.equal((await ask(app, "GET /static/style.css")).headers.get("Content-Type"), "text/css; charset=utf-8");
    const { value } = await ask<Uint8Array>(app, "GET /old/threads/1");
    assert.equal(new TextDecoder().decode(value), "old: /threads/1");
  });

  it("has the length that the page says", () => {
    const source = readFileSync(new URL("coming-from.ts", import.meta.url), "utf8").replace(/\/\*\*.*?\*\/\n/s, "");
    const lines = source.split("\n").filter((line) => line !== "" && !line.trim().startsWith("//"));
    const page = readFileSync(new URL("../docs/for-you.md", import.meta.url), "utf8");
    const [, said] = /^\| lines without comments \| (\d+) \|/m.exec(page) ?? assert.fail("for-you.md has no such line");
    assert.equal(lines.length, Number(said));
  });
});
