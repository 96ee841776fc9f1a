import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { describe, it } from "node:test";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { certificate, shippedProxies } from "./deployment/shipped-proxies.ts";
import { startService } from "./tools/programs/service-process.ts";

const folder = openFolder("proxies");

for (const { name, hasTls, isInstalled, start } of shippedProxies) {
  describe(`the configuration of ${name}`, { skip: !isInstalled && `there is no ${name} on this machine` }, () => {
    it("passes requests on, with the client that it sees and the host that was asked for", async () => {
      await using service = await startService(
        ...["--database", ":memory:", "--demo", "--trust-proxy", "127.0.0.1", "--access", accessFile()],
      );
      const url = `http://127.0.0.1:${(await start(service.port)).plain}`;

      const person = await fetch(`${url}/person/1`);
      assert.equal(person.status, 200);
      const lines = Array.from({ length: 2000 }, (_, i) => `{"name":"Ada ${i}","description":"${"x".repeat(1000)}"}\n`);
      const headers = { "Content-Type": "application/x-ndjson" };
      const many = await fetch(`${url}/person`, { method: "POST", headers, body: lines.join("") });
      assert.equal(many.status, 200, await many.text());
      const all = await fetch(`${url}/person`);
      assert.equal(((await all.json()) as readonly unknown[]).length, 2537);
      assert.equal((await fetch(`${url}/person/1`, { method: "HEAD" })).status, 200);
      // What a client claims of itself is not handed on: the denial names the address that the proxy saw.
      const claimed = { "X-Forwarded-For": "203.0.113.9", Forwarded: "for=203.0.113.9", Authorization: "Bearer x" };
      assert.equal((await fetch(`${url}/problems/not-found`, { headers: claimed })).status, 401);
      service.kill("SIGTERM");
      const { log } = await service.exited;
      assert.equal(log.find(({ event }) => event === "refused")?.["client"], "127.0.0.1");
    });

    if (!hasTls) return;
    it("serves HTTPS, of which the service knows, and leads plain HTTP there", async () => {
      await using service = await startService("--database", ":memory:", "--trust-proxy", "127.0.0.1");
      const { plain, tls, redirect } = await start(service.port);
      const ca = readFileSync(certificate("cert"));
      const secured = await new Promise<IncomingMessage>((resolve, reject) => {
        const options = { host: "127.0.0.1", port: tls, path: "/hello-world", ca, servername: "localhost" };
        get({ ...options, headers: { Host: "localhost" } }, resolve).once("error", reject);
      });
      secured.resume();
      assert.equal(secured.statusCode, 200);
      // It says so over HTTPS only.
      assert.notEqual(secured.headers["strict-transport-security"], undefined);
      const unsecured = await fetch(`http://127.0.0.1:${plain}/hello-world`);
      assert.equal(unsecured.headers.get("Strict-Transport-Security"), null);
      const led = await fetch(`http://127.0.0.1:${redirect}/person?q=ada`, { redirect: "manual" });
      assert.deepEqual([led.status, led.headers.get("Location")], [308, "https://127.0.0.1/person?q=ada"]);
    });
  });
}

function accessFile(): string {
  const path = folder.path("access.json");
  const rules = ["/person/**", "/health/**"].map((each) => ({ path: each, anyone: true }));
  writeFileSync(path, JSON.stringify({ rules }));
  return path;
}
