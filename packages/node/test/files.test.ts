import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { files, sendFile, serve } from "@waymark/node";
import { type App, ask, GET, group, router } from "waymark";

const root = mkdtempSync(join(tmpdir(), "files-"));
const folder = join(root, "public");
const large = "0123456789".repeat(20_000);
let app: App;

before(() => {
  mkdirSync(join(folder, "deep", ".git"), { recursive: true });
  writeFileSync(join(root, "secret.txt"), "secret");
  for (const [name, text] of [
    ["index.html", "<h1>ü</h1>"],
    ["a b.txt", "text"],
    ["app.0123abcd.js", "1"],
    ["deep/large.bin", large],
    ["deep/.git/config", "secret"],
    [".env", "secret"],
    ["empty.css", ""],
  ] as const) {
    writeFileSync(join(folder, name), text);
    utimesSync(join(folder, name), 1_700_000_000, 1_700_000_000);
  }
  symlinkSync(join(root, "secret.txt"), join(folder, "link.txt"));
  symlinkSync(join(folder, "a b.txt"), join(folder, "inside.txt"));
  app = router(
    group("/static", files(folder, { immutable: /\.[0-9a-f]{8}\./ })),
    GET("/one", (request) => sendFile(request, join(folder, "a b.txt"), { type: "text/x", maxAge: 1 })),
    GET("/none", (request) => sendFile(request, join(folder, "nothing"))),
    GET("/folder", (request) => sendFile(request, folder)),
  );
});
after(() => rmSync(root, { recursive: true }));

const get = (target: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
  ask(app, `${method} ${target}`, { headers });

describe("files", () => {
  it("have their names below the path, their types and validators; the root is index.html", async () => {
    const { status, headers, value } = await get("/static/a%20b.txt");
    assert.deepEqual([status, value], [200, "text"]);
    assert.match(headers.get("ETag") ?? "", /^"[0-9a-z]+-4"$/);
    assert.deepEqual(
      ["Content-Type", "Last-Modified", "Accept-Ranges", "X-Content-Type-Options", "Cache-Control"].map((name) =>
        headers.get(name),
      ),
      ["text/plain; charset=utf-8", "Tue, 14 Nov 2023 22:13:20 GMT", "bytes", "nosniff", "no-cache"],
    );
    for (const target of ["/static", "/static/"]) assert.equal((await get(target)).value, "<h1>ü</h1>", target);
    assert.equal((await ask(router(files(folder)), "GET /")).value, "<h1>ü</h1>");
    assert.equal((await get("/static/app.0123abcd.js")).headers.get("Cache-Control"), "max-age=31536000, immutable");
    assert.equal((await get("/static/empty.css")).status, 200);
    assert.equal((await get("/static/inside.txt")).value, "text");
    assert.equal(Buffer.from((await get("/static/deep/large.bin")).value as Uint8Array).toString(), large);
  });

  for (const target of [
    "/static/nothing",
    "/static/deep",
    "/static/a%20b.txt/",
    "/static/.env",
    "/static/deep/.git/config",
    "/static/..%2Fsecret.txt",
    "/static/%2e%2e/secret.txt",
    "/static/..%5Csecret.txt",
    "/static/link.txt",
    "/static/a%20b.txt%00",
    `/static/${"a".repeat(300)}`,
  ]) {
    it(`are not there at ${target.slice(0, 40)}`, async () => {
      const { status, value } = await get(target).catch(() => ({ status: 400, value: "" }));
      assert.ok(status === 404 || status === 400, `${status}`);
      assert.doesNotMatch(JSON.stringify(value), /secret(?!\.txt)/);
    });
  }

  it("are 304 where the client has them, and 412 where it must have another one", async () => {
    const { headers } = await get("/static/a%20b.txt");
    const tag = headers.get("ETag") ?? "";
    const same = await get("/static/a%20b.txt", { "If-None-Match": tag });
    assert.deepEqual([same.status, same.value, same.headers.get("ETag")], [304, undefined, tag]);
    assert.equal(
      (await get("/static/a%20b.txt", { "If-Modified-Since": headers.get("Last-Modified") ?? "" })).status,
      304,
    );
    assert.equal((await get("/static/a%20b.txt", { "If-Match": '"other"' })).status, 412);
  });

  const ranges: readonly (readonly [range: string, status: number, value: unknown, contentRange?: string])[] = [
    ["bytes=1-2", 206, "ex", "bytes 1-2/4"],
    ["bytes=2-", 206, "xt", "bytes 2-3/4"],
    ["bytes=-3", 206, "ext", "bytes 1-3/4"],
    ["bytes=0-99", 206, "text", "bytes 0-3/4"],
    ["bytes=-99", 206, "text", "bytes 0-3/4"],
    ["bytes=4-", 416, undefined, "bytes */4"],
    ["bytes=-0", 416, undefined, "bytes */4"],
    ["bytes=2-1", 200, "text"],
    ["bytes=0-1,2-3", 200, "text"],
    ["lines=0-1", 200, "text"],
    ["bytes=-", 200, "text"],
  ];
  for (const [range, status, value, contentRange] of ranges) {
    it(`answer ${status} to ${range}`, async () => {
      const answered = await get("/static/a%20b.txt", { Range: range });
      assert.deepEqual(
        [answered.status, answered.value, answered.headers.get("Content-Range")],
        [status, value, contentRange],
      );
    });
  }

  it("send a range only of the file that the client has begun with", async () => {
    const tag = (await get("/static/a%20b.txt")).headers.get("ETag") ?? "";
    assert.equal((await get("/static/a%20b.txt", { Range: "bytes=1-", "If-Range": tag })).status, 206);
    assert.equal((await get("/static/a%20b.txt", { Range: "bytes=1-", "If-Range": '"old"' })).status, 200);
  });

  it("go over a socket with their length, whole, in part and as HEAD", async () => {
    const server = await serve(app);
    try {
      const url = `http://127.0.0.1:${server.port}/static/deep/large.bin`;
      const whole = await fetch(url);
      assert.equal(whole.headers.get("Content-Length"), `${large.length}`);
      assert.equal(await whole.text(), large);
      const part = await fetch(url, { headers: { Range: "bytes=70000-199999" } });
      assert.deepEqual([part.status, await part.text()], [206, large.slice(70_000)]);
      const head = await fetch(url, { method: "HEAD" });
      assert.equal(head.headers.get("Content-Length"), `${large.length}`);
    } finally {
      await server.close({ grace: 0 });
    }
  });

  it("refuse a folder that is not there, and an option that there is not", () => {
    assert.throws(() => files(join(root, "nothing")), /files\(…\) takes a folder that is there, not ".*nothing"/);
    assert.throws(() => files(join(folder, "index.html")), /takes a folder/);
    for (const wrong of [undefined, 7, ""]) assert.throws(() => files(wrong as string), /takes a folder that is there/);
    assert.throws(() => files(folder, { maxage: 1 } as never), /"maxage".*maxAge/s);
    assert.throws(() => files(folder, { maxAge: -1 }), /files\(\{ maxAge \}\) is a whole number of seconds/);
    assert.throws(() => files(folder, { immutable: "x" as never }), /files\(\{ immutable \}\) is an expression/);
  });

  it("are immutable by a global expression in each response", async () => {
    const app = router(files(folder, { immutable: /[0-9a-f]{8}/g }));
    for (let i = 0; i < 2; i++) {
      const { headers } = await ask(app, "GET /app.0123abcd.js");
      assert.equal(headers.get("Cache-Control"), "max-age=31536000, immutable");
    }
  });

  it("have their folder by its URL, too", async () => {
    const app = router(files(pathToFileURL(folder)));
    assert.equal((await ask(app, "GET /")).status, 200);
  });
});

describe("sendFile", () => {
  it("sends the file of a path, with the type and the time that are said", async () => {
    const { headers, value } = await get("/one");
    assert.deepEqual([headers.get("Content-Type"), headers.get("Cache-Control")], ["text/x", "max-age=1"]);
    assert.equal(value, "text");
    const byUrl = router(GET("/", (request) => sendFile(request, pathToFileURL(join(folder, "index.html")))));
    assert.equal((await ask(byUrl, "GET /")).status, 200);
    for (const target of ["/none", "/folder"]) assert.equal((await get(target)).status, 404);
  });
});
