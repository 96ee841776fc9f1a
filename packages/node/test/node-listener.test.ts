import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { toNodeListener } from "@waymark/node";
import express from "express";
import { after, GET, json, POST, router, text } from "waymark";
import { cors, describeProblems, publicUrl } from "waymark/filters";

let faults: unknown[] = [];

const app = () => {
  faults = [];
  return router(
    {
      filters: [
        describeProblems(),
        cors({ origins: ["https://app.example.com"] }),
        after((_, response) => response.withAddedHeader("Set-Cookie", "a=1").withAddedHeader("Set-Cookie", "b=2")),
      ],
      onFault: (error) => faults.push(error),
    },
    GET("/hello", ({ query }) => text(`Hello ${query.get("name") ?? ""}`)),
    GET("/broken", () => {
      throw new Error("secret");
    }),
    GET("/client", ({ client }) => json(client)),
    POST("/echo", async (request) => text(await request.text({ limit: 10 }))),
  );
};

async function listening(listener: RequestListener, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    await use((server.address() as AddressInfo).port); // it listens on a port
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** The ways to mount the app, with the path beneath which it is. */
const mounts: Readonly<Record<string, readonly [listener: () => RequestListener, base: string]>> = {
  "in an http.Server": [() => toNodeListener(app()), ""],
  "in Express": [
    () =>
      express()
        .use("/app", toNodeListener(app()))
        .get("/other", (_request, response) => void response.send("other")),
    "/app",
  ],
};

for (const [how, [listener, base]] of Object.entries(mounts)) {
  describe(`an app mounted ${how}`, () => {
    const ask = async (line: string, init: RequestInit = {}): Promise<Response & { content: string }> => {
      const [method = "", path = ""] = line.split(" ");
      let answer: (Response & { content: string }) | undefined;
      await listening(listener(), async (port) => {
        const response = await fetch(`http://127.0.0.1:${port}${base}${path}`, { method, ...init });
        answer = Object.assign(response, { content: await response.text() });
      });
      return answer as Response & { content: string }; // fetch would have thrown
    };

    it("routes, and sends what filters add", async () => {
      const { status, headers, content } = await ask("GET /hello?name=you");
      assert.deepEqual([status, content, headers.get("content-length")], [200, "Hello you", "9"]);
      assert.deepEqual(headers.getSetCookie(), ["a=1", "b=2"]);
    });

    it("refuses with problem documents", async () => {
      for (const [line, status] of [
        ["GET /nope", 404],
        ["PUT /echo", 405],
        ["GET /broken", 500],
        ["GET /%zz", 400],
      ] as const) {
        const answer = await ask(line);
        assert.equal(answer.status, status);
        assert.equal(JSON.parse(answer.content).status, status);
      }
    });

    it("reads content, within its limit", async () => {
      assert.equal((await ask("POST /echo", { body: "content" })).content, "content");
      assert.equal((await ask("POST /echo", { body: "much too long" })).status, 413);
    });

    it("knows the client", async () => {
      const { address, scheme } = JSON.parse((await ask("GET /client")).content);
      assert.deepEqual([address, scheme], ["127.0.0.1", "http"]);
    });
  });
}

it("an app mounted in Express leaves the rest to it", () =>
  listening(
    express()
      .use("/app", toNodeListener(app()))
      .get("/other", (_request, response) => void response.send("other")),
    async (port) => assert.equal(await (await fetch(`http://127.0.0.1:${port}/other`)).text(), "other"),
  ));

it("links of an app in Express have the path at which it is used", () =>
  listening(
    express().use("/people", toNodeListener(router(GET("/{id}", (request) => text(publicUrl.of(request)))))),
    async (port) => assert.equal(await (await fetch(`http://127.0.0.1:${port}/people/7`)).text(), "/people/7"),
  ));

describe("toNodeListener with otherwise", () => {
  const routes = router(
    GET("/new", () => text("new")),
    POST("/both", async (request) => text(await request.text())),
  );
  const moving = express()
    .use(toNodeListener(routes, { otherwise: "next" }))
    .get("/both", (_request, response) => void response.send("old both"))
    .use((_request, response) => void response.status(404).send("old"));
  const asked = async (method: string, target: string, body?: string): Promise<string> => {
    let answer = "";
    await listening(moving, async (port) => {
      const init = { method, ...(body !== undefined && { body }) };
      const response = await fetch(`http://127.0.0.1:${port}${target}`, init);
      answer = `${response.status} ${await response.text()}`;
    });
    return answer;
  };

  it("passes on what no route has by path and method", async () => {
    assert.equal(await asked("GET", "/new"), "200 new");
    assert.equal(await asked("POST", "/both", "sent"), "200 sent");
    assert.equal(await asked("GET", "/both"), "200 old both");
    assert.equal(await asked("GET", "/other"), "404 old");
  });

  it("refuses another word, and another option", () => {
    assert.throws(() => toNodeListener(routes, { otherwise: "skip" as never }), /takes otherwise: "next", not "skip"/);
    assert.throws(() => toNodeListener(routes, { other: "next" } as never), /"other".*otherwise/s);
  });
});

it("content that somebody has read before is a fault that says so, and none of the client", async () => {
  const faults: unknown[] = [];
  const routes = router(
    { onFault: (error) => faults.push(error) },
    POST("/", async (request) => json(await request.json())),
  );
  await listening(express().use(express.json()).use(toNodeListener(routes)), async (port) => {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body: "{}" });
    assert.equal(response.status, 500);
  });
  assert.match(String(faults[0]), /^TypeError: The content was read before the app got the request/);
});
