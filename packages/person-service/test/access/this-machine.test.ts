import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { GET, ok, router } from "waymark";
import { type RunningServer, serve } from "waymark/node";
import { forThisMachine } from "../../src/index.ts";
import { asJson, assertProblem, readAll, store } from "../answers.ts";
import { describeService } from "../transports.ts";

/** What a page says in Host whose own name leads to this machine, or a program that asks for it. */
const otherHosts = [
  "evil.example",
  "evil.example:8080",
  "127.0.0.1.evil.example",
  "localhost.evil.example:80",
  "evil.localhost",
  "192.0.2.1",
  "0.0.0.0:8080",
  "[::]",
  "[2001:db8::1]:8080",
];

const ownHosts = [
  "localhost",
  "LocalHost:8080",
  "127.0.0.1",
  "127.0.0.53:80",
  "[::1]",
  "[::1]:8080",
  "[::ffff:127.0.0.1]",
];

describeService("a service for this machine only", (openService, transport) => {
  const service = openService(async () => ({ access: forThisMachine() }));

  it("answers requests for localhost", async () => {
    assert.equal(await store(service, asJson({ name: "Ada" })), 1);
  });

  // In memory a request has the host that its URL has.
  if (transport === "in memory") return;

  for (const Host of otherHosts) {
    it(`answers 421 to a request for ${Host}, and does nothing`, async () => {
      for (const [method, target] of [
        ["GET", "/person/1"],
        ["DELETE", "/person/1"],
        ["GET", "/nope"],
        ["GET", "/%zz"],
      ] as const) {
        await assertProblem(
          service,
          await service.send(method, target, { headers: { Host } }),
          421,
          "misdirected-request",
        );
      }
      const { headers, body = "" } = asJson({ name: "Eve" });
      const posted = await service.send("POST", "/person", { headers: { ...headers, Host }, body });
      await assertProblem(service, posted, 421, "misdirected-request");
      assert.equal((await readAll(service)).length, 1);
    });
  }

  it("goes by the target where it names a host", async () => {
    const answer = await service.send("GET", "http://evil.example/person/1", { headers: { Host: "localhost" } });
    await assertProblem(service, answer, 421, "misdirected-request");
  });

  it("ignores Host if the target names a host, as RFC 9112 (section 3.2.2) demands", async () => {
    const headers = { Host: "evil.example" };
    assert.equal((await service.send("GET", "http://localhost/person/1", { headers })).status, 200);
  });

  it("answers 400 to user information before the host", async () => {
    await assertProblem(service, await service.send("GET", "http://a@localhost/person/1"), 400, "malformed-target");
  });

  describe("is called", () => {
    for (const Host of ownHosts) {
      it(Host, async () => assert.equal((await service.send("GET", "/person/1", { headers: { Host } })).status, 200));
    }
  });
});

describe("a service for this machine behind a proxy on it", () => {
  const publicUrl = "https://api.example.com";
  const app = router({ filters: [forThisMachine(publicUrl)] }, GET("/", ok));
  let server: RunningServer;
  before(async () => {
    server = await serve(app, { trustProxy: ["127.0.0.1"] });
  });
  after(() => server.close({ grace: 0 }));

  for (const [Host, forwarded, status] of [
    ["localhost", "api.example.com", 200],
    ["api.example.com", "api.example.com", 200],
    ["api.example.com", "localhost:8080", 200],
    ["localhost", "evil.example", 421],
    // A page whose own name leads to this machine can send the fields of a proxy.
    ["evil.example:8080", "localhost", 421],
    ["evil.example", "api.example.com", 421],
  ] as const) {
    it(`answers ${status} to a Host of ${Host} that is said to stand for ${forwarded}`, async () => {
      const headers = { Host, "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Host": forwarded };
      const sent = request({ port: server.port, host: "127.0.0.1", headers }).end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      assert.equal(answer.statusCode, status);
    });
  }
});

describeService("a service for this machine, which others reach by its public URL", (openService, transport) => {
  const publicUrl = "https://Api.Example.com:8443/people";
  const service = openService(async () => ({ publicUrl, access: forThisMachine(publicUrl) }));
  if (transport === "in memory") return;

  for (const [Host, status] of [
    ["api.example.com", 200],
    ["API.example.COM:8443", 200],
    ["localhost:8080", 200],
    ["example.com", 421],
    ["api.example.com.evil.example", 421],
  ] as const) {
    it(`answers ${status} to a request for ${Host}`, async () => {
      assert.equal((await service.send("GET", "/hello-world", { headers: { Host } })).status, status);
    });
  }
});
