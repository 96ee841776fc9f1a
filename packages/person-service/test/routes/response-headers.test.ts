import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { asJson, store } from "../tools/answers.ts";
import { describeService, type Message } from "../tools/transports.ts";

/** An answer of each kind, to a service with the person 1. */
const answers: readonly (readonly [method: string, target: string, status: number, message?: Message])[] = [
  ["GET", "/person", 200],
  ["GET", "/person/1", 200],
  ["GET", "/person/1", 304, { headers: { "If-None-Match": "*" } }],
  ["GET", "/person/2", 404],
  ["GET", "/nope", 404],
  ["GET", "/person/x", 400],
  ["GET", "/%zz", 400],
  ["GET", "/person/1", 406, { headers: { Accept: "image/png" } }],
  ["PUT", "/person", 405],
  ["POST", "/person", 415],
  ["POST", "/person", 400, asJson("{")],
  ["POST", "/person", 200, asJson({ name: "Eve" })],
  ["PUT", "/person/1", 204, asJson({ name: "Ada" })],
  ["OPTIONS", "/person", 204],
  ["GET", "/hello-world", 200],
  ["PROPFIND", "/person", 501],
];

describeService("the header fields of an answer", (openService) => {
  const service = openService();

  describe("let browsers treat it as data, and say nothing about the software", () => {
    it("and have a person to send", async () => assert.equal(await store(service, asJson({ name: "Ada" })), 1));

    for (const [method, target, status, message] of answers) {
      it(`${method} ${target} → ${status}`, async () => {
        const { headers, ...answer } = await service.send(method, target, message);
        assert.equal(answer.status, status, answer.text);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["content-security-policy"], "default-src 'none'; frame-ancestors 'none'");
        assert.deepEqual([headers["server"], headers["x-powered-by"]], [undefined, undefined]);
        assert.notEqual(headers["vary"], "*");
        if (status >= 400) assert.equal(headers["cache-control"], "no-store");
      });
    }
  });

  it("keep people out of shared caches, and have others ask each time", async () => {
    for (const target of ["/person", "/person/1"]) {
      const { headers } = await service.send("GET", target);
      assert.equal(headers["cache-control"], "private, no-cache");
      assert.ok((headers["vary"] ?? "").split(", ").includes("Accept"));
    }
  });

  it("have the greeting asked for each time, and the page of a problem kept for an hour", async () => {
    assert.equal((await service.send("GET", "/hello-world")).headers["cache-control"], "no-cache");
    assert.equal((await service.send("GET", "/problems/conflict")).headers["cache-control"], "max-age=3600");
  });
});
