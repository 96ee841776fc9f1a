import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { after, describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../waymark/test/folder.ts";
import { freePort } from "../../waymark/test/free-port.ts";
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

const deployed = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../deploy/${name}`, import.meta.url)), "utf8");

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
  const isThere =
    spawnSync(name, ["-v"], { env: { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` } }).error === undefined;
  describe(`the configuration of ${name}`, { skip: !isThere && `there is no ${name} on this machine` }, () => {
    it("passes requests on, with the client that it sees and the host that was asked for", async () => {
      await using service = await startService(
        ...["--database", ":memory:", "--demo", "--trust-proxy", "127.0.0.1", "--access", accessFile()],
      );
      const port = await freePort();
      const configuration = deployed(file).replaceAll("8080", String(service.port)).replaceAll("8081", String(port));
      const path = folder.path(file);
      writeFileSync(path, around(configuration));
      const [program = "", ...args] = command(path);
      const env = { ...process.env, PATH: `${process.env["PATH"]}:/usr/sbin` };
      const child = spawn(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
      running.push(child);
      let complaints = "";
      child.stderr.on("data", (piece: Buffer) => {
        complaints += piece;
      });
      const url = `http://127.0.0.1:${port}`;
      await answers(`${url}/health/ready`, child, () => complaints);

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
  });
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
