import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { after, before, describe, it } from "node:test";
import { type RunningServer, serve } from "@waymark/node";
import { openPersonService, type PersonService } from "../../src/index.ts";
import { asJson, assertProblem, readAll, store } from "../tools/answers.ts";
import { describeService } from "../tools/transports.ts";

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
  const service = openService(async () => ({ hostNames: [] }));

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
        ["POST", "/session"],
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

  it("answers monitors and gives out the files of the pages for any host, since they say nothing of anybody", async () => {
    const headers = { Host: "192.0.2.1:8080" };
    const page = await service.send("GET", "/person", { headers: { ...headers, Accept: "text/html" } });
    assert.equal(page.status, 421);
    const [, style = ""] = /href="(\/assets\/\w+\/style.css)"/.exec(page.text) ?? [];
    for (const target of [style, "/health/live", "/health/ready"]) {
      assert.equal((await service.send("GET", target, { headers })).status, 200, target);
    }
  });

  describe("is called", () => {
    for (const Host of ownHosts) {
      it(Host, async () => assert.equal((await service.send("GET", "/person/1", { headers: { Host } })).status, 200));
    }
  });
});

describe("a service for one host behind a proxy on this machine", () => {
  let service: PersonService;
  let server: RunningServer;
  before(async () => {
    service = await openPersonService({ database: ":memory:", hostNames: ["api.example.com"] });
    server = await serve(service.app, { trustProxy: ["127.0.0.1"] });
  });
  after(async () => {
    await server.close({ grace: 0 });
    await service.database.close();
  });

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
      const sent = request({ path: "/hello-world", port: server.port, host: "127.0.0.1", headers }).end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      assert.equal(answer.statusCode, status);
    });
  }
});

describeService("a service for some hosts", (openService, transport) => {
  const hostNames = ["Api.Example.com", "person_service", "192.0.2.1", "2001:DB8::1", "b\u00fccher.example"];
  const service = openService(async () => ({ hostNames }));
  if (transport === "in memory") return;

  for (const [Host, status] of [
    ["api.example.com", 200],
    ["API.example.COM:8443", 200],
    ["person_service:8080", 200],
    ["192.0.2.1:80", 200],
    ["[2001:db8::1]", 200],
    ["xn--bcher-kva.example", 200],
    ["localhost:8080", 200],
    ["example.com", 421],
    ["192.0.2.2", 421],
    ["api.example.com.evil.example", 421],
  ] as const) {
    it(`answers ${status} to a request for ${Host}`, async () => {
      assert.equal((await service.send("GET", "/hello-world", { headers: { Host } })).status, status);
    });
  }
});

describe("the names of hosts", () => {
  for (const name of [
    "",
    "*",
    "*.example.com",
    "a:80",
    "[::1]:80",
    "http://a",
    "a/b",
    "a b",
    "a@b",
    "a?",
    "..%",
    "[a]",
  ]) {
    it(`must be names or addresses, not ${JSON.stringify(name)}`, async () => {
      await assert.rejects(openPersonService({ database: ":memory:", hostNames: [name] }), TypeError);
    });
  }
});
