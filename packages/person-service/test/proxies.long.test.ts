import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { after, describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../waymark/test/folder.ts";
import { freePort } from "../../waymark/test/free-port.ts";
import { deployed } from "./deployment/deployed.ts";
import { startService } from "./service-process.ts";

const folder = openFolder("proxies");
const running: ChildProcess[] = [];
after(async () => {
  for (const child of running) {
    if (child.exitCode !== null) continue;
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});

const fixture = (name: "cert" | "key"): string =>
  fileURLToPath(new URL(`../../node/test/fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));

interface Proxy {
  readonly name: string;
  readonly file: string;
  /** Returns the configuration around that of the file. */
  readonly around: (configuration: string) => string;
  readonly command: (file: string) => readonly string[];
}

const proxies: readonly Proxy[] = [
  {
    name: "nginx",
    file: "nginx.conf",
    around: (configuration) => {
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map((kind) => `${kind}_temp_path ${folder.root}/${kind};`)
        .join("\n");
      return `pid ${folder.root}/nginx.pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${configuration}\n}\n`;
    },
    command: (file) => ["nginx", "-e", "stderr", "-p", folder.root, "-c", file, "-g", "daemon off;"],
  },
  {
    name: "haproxy",
    file: "haproxy.cfg",
    around: (configuration) => configuration,
    command: (file) => ["haproxy", "-db", "-q", "-f", file],
  },
];

for (const { name, file, around, command } of proxies) {
  const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
  const isThere = spawnSync(name, ["-v"], { env }).error === undefined;
  describe(`the configuration of ${name}`, { skip: !isThere && `there is no ${name} on this machine` }, () => {
    /** Starts the proxy in front of a service, and resolves with its ports once it answers. */
    async function startProxy(service: number): Promise<Ports> {
      const ports = { plain: await freePort(), tls: await freePort(), redirect: await freePort() };
      const configuration = deployed(file)
        .replaceAll("8080", String(service))
        .replaceAll("8081", String(ports.plain))
        .replace(/listen \[::\]:.*/g, "")
        .replace("listen 443 ", `listen 127.0.0.1:${ports.tls} `)
        .replace("listen 80;", `listen 127.0.0.1:${ports.redirect};`)
        .replace(/\/etc\/ssl\/\S*fullchain\.pem/, fixture("cert"))
        .replace(/\/etc\/ssl\/\S*privkey\.pem/, fixture("key"));
      const path = folder.write(file, around(configuration));
      const [program = "", ...args] = command(path);
      const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
      running.push(child);
      let complaints = "";
      child.stderr.on("data", (piece: Buffer) => {
        complaints += piece;
      });
      await answers(`http://127.0.0.1:${ports.plain}/health/ready`, child, () => complaints);
      return ports;
    }

    it("passes requests on, with the client that it sees and the host that was asked for", async () => {
      await using service = await startService(
        ...["--database", ":memory:", "--demo", "--trust-proxy", "127.0.0.1", "--access", accessFile()],
      );
      const url = `http://127.0.0.1:${(await startProxy(service.port)).plain}`;

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

    if (!deployed(file).includes("443")) return;
    it("serves HTTPS, of which the service knows, and leads plain HTTP there", async () => {
      await using service = await startService("--database", ":memory:", "--trust-proxy", "127.0.0.1");
      const { plain, tls, redirect } = await startProxy(service.port);
      const ca = readFileSync(fixture("cert"));
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

/** Where a proxy listens, on the loopback address. */
interface Ports {
  readonly plain: number;
  readonly tls: number;
  readonly redirect: number;
}

function accessFile(): string {
  const path = folder.path("access.json");
  const rules = ["/person/**", "/health/**"].map((each) => ({ path: each, anyone: true }));
  writeFileSync(path, JSON.stringify({ rules }));
  return path;
}

/** Resolves once the proxy answers 200 at a URL. */
async function answers(url: string, child: ChildProcess, complaints: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) assert.fail(`It ended with ${child.exitCode}: ${complaints()}`);
    const status = await fetch(url).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await elapse(20);
  }
}
