import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { openPersonService, type PersonServiceOptions } from "../../src/index.ts";

/** Serves with these options on a socket, where requests have clients. */
async function withService(options: Partial<PersonServiceOptions>, use: (url: string) => Promise<void>): Promise<void> {
  const { app, database } = await openPersonService({ database: ":memory:", ...options });
  const server = await serve(app, { port: 0 });
  try {
    await use(server.url);
  } finally {
    await server.close();
    await database.close();
  }
}

describe("the bounds of the service", () => {
  it("grant a client a number of requests, refusals and unknown paths included, and health checks always", () =>
    withService({ rateLimit: { limit: 3, window: 3600 }, cors: { origins: ["https://a.example"] } }, async (url) => {
      const headers = { Origin: "https://a.example" };
      const statuses: number[] = [];
      for (const path of ["/hello-world", "/person/1", "/nothing"]) {
        statuses.push((await fetch(url + path, { headers })).status);
      }
      assert.deepEqual(statuses, [200, 404, 404]);
      const refused = await fetch(`${url}/hello-world`, { headers });
      assert.equal(refused.status, 429);
      assert.match(await refused.text(), /"type":"\/problems\/quota-exceeded"/);
      assert.equal(refused.headers.get("RateLimit-Policy"), '"default";q=3;w=3600');
      assert.equal(refused.headers.get("Access-Control-Allow-Origin"), "https://a.example");
      assert.ok(Number(refused.headers.get("Retry-After")) > 0);
      assert.equal((await fetch(`${url}/health/ready`)).status, 200);
      assert.equal((await fetch(`${url}/health/live`, { method: "HEAD" })).status, 200);
      for (const path of ["/health/", "/health/x", "/health/live/x", "/health/live/"]) {
        assert.equal((await fetch(url + path)).status, 429, path);
      }
      assert.equal((await fetch(`${url}/health/live`, { method: "POST" })).status, 429);
    }));

  it("leave a refusal its face: what the page loads is always served", () =>
    withService({ rateLimit: { limit: 1, window: 60 } }, async (url) => {
      const headers = { Accept: "text/html" };
      const first = await fetch(`${url}/person`, { headers });
      assert.equal(first.status, 200);
      const refused = await fetch(`${url}/person`, { headers });
      assert.equal(refused.status, 429);
      const [style = ""] = /\/assets\/\w+\/style\.css/.exec(await refused.text()) ?? [];
      assert.equal((await fetch(url + style)).status, 200);
    }));

  it("turn away what would wait too long for the processor, with the fields of every response, and health checks never", () =>
    withService({ maxDelay: 1, cors: { origins: ["https://a.example"] } }, async (url) => {
      const headers = { Origin: "https://a.example" };
      const refusals: Response[] = [];
      const client = async (): Promise<void> => {
        while (refusals.length === 0) {
          const answer = await fetch(`${url}/person`, { headers });
          await answer.arrayBuffer();
          if (answer.status !== 200) refusals.push(answer);
        }
      };
      const watch = async (): Promise<void> => {
        while (refusals.length === 0) assert.equal((await fetch(`${url}/health/live`)).status, 200);
      };
      await Promise.all([watch(), ...Array.from({ length: 50 }, client)]);
      for (const refused of refusals) {
        assert.equal(refused.status, 503);
        assert.equal(refused.headers.get("Retry-After"), "1");
        assert.equal(refused.headers.get("Cache-Control"), "no-store");
        assert.equal(refused.headers.get("Access-Control-Allow-Origin"), "https://a.example");
        assert.ok(refused.headers.has("X-Request-Id"));
        assert.ok(refused.headers.has("X-Content-Type-Options"));
      }
    }));

  it("turn away what is beyond those in hand, and health checks never", () =>
    withService({ maxInFlight: 1 }, async (url) => {
      const headers = { "Content-Type": "application/json", "Content-Length": 14, Expect: "100-continue" };
      const posting = request(`${url}/person`, { method: "POST", headers });
      posting.flushHeaders();
      await once(posting, "continue"); // it is in hand
      const refused = await fetch(`${url}/hello-world`);
      assert.deepEqual([refused.status, refused.headers.get("Retry-After")], [503, "1"]);
      assert.equal((await fetch(`${url}/health/live`)).status, 200);
      posting.end('{"name":"Ada"}');
      const [answer] = (await once(posting, "response")) as [IncomingMessage];
      answer.resume();
      assert.equal(answer.statusCode, 200);
    }));

  it("do not count readers who wait for a change", () =>
    withService({ maxInFlight: 1 }, async (url) => {
      const [, next = ""] = /<(.+)>/.exec((await fetch(`${url}/person/changes`)).headers.get("Link") ?? "") ?? [];
      const waiting = fetch(new URL(next, url), { headers: { Prefer: "wait=30" } });
      const headers = { "Content-Type": "application/json" };
      // It is in hand until it waits.
      for (let status = 503; status === 503; ) {
        ({ status } = await fetch(`${url}/person`, { method: "POST", headers, body: '{"name":"Ada"}' }));
      }
      assert.equal(JSON.parse(await (await waiting).text()).length, 1);
    }));
});
