import assert from "node:assert/strict";
import { createServer } from "node:http";
import { describe, it } from "node:test";
import { fromNode, serve } from "@waymark/node";
import express from "express";
import { fallback, GET, mount, router, text } from "waymark";

function oldApplication() {
  const application = express();
  application.get("/hello", (request, response) => {
    response.cookie("a", "1").cookie("b", "2").send(`Hello ${request.query["name"]} at ${request.headers.host}`);
  });
  application.post("/echo", express.json(), (request, response) => void response.status(201).json(request.body));
  application.get("/pieces", (_request, response) => {
    response.write("one ");
    setImmediate(() => response.end("two"));
  });
  application.get("/nothing", (_request, response) => void response.status(204).end());
  application.get("/broken", (_request, response) => void response.destroy(new Error("broken")));
  return application;
}

describe("an application of Node within an app", () => {
  const app = router(
    { onFault: () => undefined },
    GET("/new", () => text("new")),
    mount("/old", fromNode(oldApplication())),
    fallback(fromNode(oldApplication())),
  );

  it("answers what no route takes, with fields, cookies and content", async () => {
    assert.equal(await (await app.fetch("http://a.example/new")).text(), "new");
    const response = await app.fetch("http://a.example/hello?name=Ada");
    assert.deepEqual(response.headers.getSetCookie(), ["a=1; Path=/", "b=2; Path=/"]);
    assert.equal(await response.text(), "Hello Ada at a.example");
    const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"a":[1]}' };
    const echo = await app.fetch(new Request("http://a.example/echo", sent));
    assert.deepEqual([echo.status, await echo.json()], [201, { a: [1] }]);
    assert.equal((await app.fetch("http://a.example/nothing")).status, 204);
    assert.match(await (await app.fetch("http://a.example/none")).text(), /Cannot GET \/none/);
  });

  it("sees the path below where it is mounted", async () => {
    assert.equal(await (await app.fetch("http://a.example/old/pieces")).text(), "one two");
    const head = await app.fetch(new Request("http://a.example/old/hello", { method: "HEAD" }));
    assert.deepEqual([head.status, await head.text()], [200, ""]);
  });

  it("is answered 500 for when it gives nothing", async () => {
    assert.equal((await app.fetch("http://a.example/broken")).status, 500);
  });

  it("is served, with content of any length both ways", async () => {
    const echo = createServer((request, response) => void request.pipe(response));
    const [listener] = echo.listeners("request") as Parameters<typeof fromNode>;
    const server = await serve(router(fallback(fromNode(listener))));
    try {
      const body = "x".repeat(3_000_000);
      const response = await fetch(`${server.url}/`, { method: "POST", body });
      assert.equal(await response.text(), body);
    } finally {
      await server.close();
    }
  });

  it("is a function", () => {
    assert.throws(() => fromNode({} as never), /fromNode\(…\) takes a listener/);
  });
});
