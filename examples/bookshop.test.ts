import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask } from "waymark";
import { shop } from "./bookshop.ts";

describe("the bookshop", () => {
  const lines: string[] = [];
  const app = shop("k".repeat(32), "sesame", (line) => lines.push(line));
  const page = { Accept: "text/html" };

  it("has pages, in which titles are text, and JSON without what a book cost", async () => {
    const { value } = await ask<string>(app, "GET /books", { headers: page });
    assert.match(value, /<li><a href="\/books\/1">Dune &lt;1965&gt;<\/a><\/li>/);
    assert.equal((await ask(app, "GET /books/2")).value, "<h1>Emma</h1>");
    assert.equal((await ask(app, "GET /books/7")).status, 404);
    const { value: feed } = await ask(app, "GET /books", { headers: { Accept: "application/json" } });
    assert.deepEqual(feed, [
      { id: 1, title: "Dune <1965>" },
      { id: 2, title: "Emma" },
    ]);
  });

  it("has files, and a cookie that is safe", async () => {
    assert.equal((await ask(app, "GET /static/style.css")).headers.get("Content-Type"), "text/css; charset=utf-8");
    assert.equal((await ask(app, "GET /static/..%2Fbookshop.ts")).status, 404);
    assert.deepEqual([...(await ask(app, "POST /theme/dark")).cookies], [["theme", "dark"]]);
  });

  it("keeps a session, and lets nobody in without one", async () => {
    const { cookies } = await ask(app, "POST /session");
    assert.equal((await ask(app, "GET /account", { cookies })).value, "<p>Hello ada</p>");
    assert.equal((await ask(app, "GET /account")).status, 401);
  });

  it("takes a picture in a form, from those who have signed in and from no other site", async () => {
    const { cookies } = await ask(app, "POST /session");
    const form = new FormData();
    form.set("caption", "Me & my book");
    form.set("image", new File(["PNG"], "me.png", { type: "image/png" }));
    const line = "POST /account/picture";
    assert.equal((await ask(app, line, { form, cookies })).value, "<p>Me &amp; my book: me.png, 3 bytes</p>");
    assert.equal((await ask(app, line, { form })).status, 401);
    assert.equal((await ask(app, line, { form, cookies, headers: { "Sec-Fetch-Site": "cross-site" } })).status, 403);
  });

  it("shows its metrics to the office", async () => {
    const { value } = await ask<string>(app, "GET /office/metrics", { as: `Basic ${btoa("office:sesame")}` });
    assert.match(value, /route="\/books\/\{id:\[0-9\]\+\}",status="200"/);
    assert.equal((await ask(app, "GET /office/metrics", { as: `Basic ${btoa("office:no")}` })).status, 401);
  });

  it("says what leaves, and leaves the rest to the old application", async () => {
    assert.equal((await ask(app, "GET /v1/books")).headers.get("Deprecation"), "@1767225600");
    assert.equal((await ask(app, "GET /forum/threads/1")).value, "old: /threads/1");
    assert.equal((await ask(app, "PUT /anything/else")).value, "old: /anything/else");
  });

  it("logs each request with its id", async () => {
    lines.length = 0;
    await ask(app, "GET /books/1", { headers: { "X-Request-Id": "one" } });
    assert.deepEqual(lines, ["one GET /books/1 200"]);
  });
});
