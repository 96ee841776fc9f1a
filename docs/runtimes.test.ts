import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { copyFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../packages/waymark/test/tools/folder.ts";
import { readPage } from "./page.ts";

// The programs of the page, with an app that has every filter in the place of the page's own.

const root = fileURLToPath(new URL("..", import.meta.url));
const fixtures = join(root, "packages/waymark/test/runtimes");
const installed = join(fixtures, "node_modules/.bin");
const source = "--conditions=@waymark/source";

interface Runtime {
  /** The command that starts it, in the folder of the programs. */
  readonly command: readonly [program: string, ...parameters: string[]];
  /** Makes what the command needs. */
  prepare?(folder: string): Promise<unknown>;
  /** Of a client at the loopback address, which Cloudflare gives in a field. */
  readonly address: string;
}

const bun = join(installed, "bun");
const deno = [join(installed, "deno"), "run", "--no-config", "--node-modules-dir=manual", source] as const;
const permissions = ["--allow-net", "--allow-read", "--allow-env"];

const runtimes: Readonly<Record<string, Runtime>> = {
  "Node.js": { command: [process.execPath, source, "node.ts"], address: "127.0.0.1" },
  Bun: { command: [bun, source, "bun.js"], address: "127.0.0.1" },
  Deno: { command: [...deno, ...permissions, "deno.js"], address: "127.0.0.1" },
  "Cloudflare Workers": {
    command: [join(installed, "workerd"), "serve", "workerd.capnp", "--control-fd=1"],
    prepare: (folder) =>
      promisify(execFile)(bun, ["build", "worker.js", source, "--format=esm", "--outfile=worker.bundle.js"], {
        cwd: folder,
      }),
    address: "192.0.2.7",
  },
  "Bun with @waymark/node": { command: [bun, source, "served.ts"], address: "127.0.0.1" },
  "Deno with @waymark/node": { command: [...deno, ...permissions, "served.ts"], address: "127.0.0.1" },
};

const { root: folder } = openFolder("waymark-runtimes");

before(async () => {
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  for (const { flags, lines } of readPage(join(root, "docs/serving.md")).blocks) {
    // The page says 8080, which may be taken on this machine: the system chooses.
    if (flags[0] !== undefined) await writeFile(join(folder, flags[0]), lines.join("\n").replace("8080", "0"));
  }
  for (const file of ["app.ts", "served.ts", "workerd.capnp"]) await copyFile(join(fixtures, file), join(folder, file));
});

/** Returns the port that a program prints, as part of a URL or as workerd reports it. */
async function portOf(output: Readable): Promise<number> {
  let printed = "";
  for await (const text of output.iterator({ destroyOnReturn: false })) {
    printed += text;
    const port = /127\.0\.0\.1:(\d+)|"port":(\d+)/.exec(printed);
    if (port !== null) return Number(port[1] ?? port[2]);
  }
  throw new Error(`The program ended without listening, and printed ${printed}`);
}

for (const [name, { command, prepare, address }] of Object.entries(runtimes)) {
  const [program, ...parameters] = command;
  const skip = !existsSync(program) && "npm run runtimes installs it";

  describe(`an app with every filter, on ${name}`, { skip }, () => {
    let running: ChildProcess | undefined;
    let faults = "";
    let url = "";

    before(async () => {
      await prepare?.(folder);
      const started = spawn(program, parameters, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
      running = started;
      started.stderr.setEncoding("utf8").on("data", (text: string) => {
        faults += text;
      });
      // Deno says on stderr where it listens.
      const port = await Promise.any([portOf(started.stdout), portOf(started.stderr)]);
      url = `http://127.0.0.1:${port}`;
    });

    after(async () => {
      if (running === undefined || running.exitCode !== null) return;
      running.kill("SIGTERM");
      await once(running, "exit");
    });

    // What the tests read of JSON is what they assert.
    const jsonOf = async (answer: Response) => (await answer.json()) as Readonly<Record<string, unknown>>;
    const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { "CF-Connecting-IP": "192.0.2.7", ...headers } });

    it("routes, and sends what the filters add", async () => {
      const answer = await ask("/hello/Ada", { headers: { Origin: "https://app.example.com" } });
      assert.deepEqual([answer.status, await answer.text()], [200, "Hello Ada"]);
      for (const [field, value] of [
        ["X-Request-Id", /^[0-9a-f-]{36}$/],
        ["Content-Security-Policy", /default-src 'none'/],
        ["RateLimit", /^"default";r=\d+;t=\d+$/],
        ["Access-Control-Allow-Origin", /^https:\/\/app\.example\.com$/],
        ["Vary", /Accept/],
      ] as const) {
        assert.match(answer.headers.get(field) ?? "nothing", value, field);
      }
    });

    it("knows the client", async () => {
      assert.equal((await jsonOf(await ask("/client")))["address"], address);
    });

    it("answers pre-flights and HEAD", async () => {
      const headers = { Origin: "https://app.example.com", "Access-Control-Request-Method": "GET" };
      assert.equal((await ask("/client", { method: "OPTIONS", headers })).status, 204);
      const head = await ask("/client", { method: "HEAD" });
      assert.deepEqual([head.status, await head.text()], [200, ""]);
    });

    it("reads and validates content", async () => {
      const headers = { "Content-Type": "application/json" };
      const sent = await ask("/echo", { method: "POST", headers, body: '{"a":[1]}' });
      assert.deepEqual([sent.status, await sent.json()], [200, { a: [1] }]);
      const broken = await ask("/echo", { method: "POST", headers, body: '{"a":[1' });
      assert.deepEqual([broken.status, (await jsonOf(broken))["column"]], [400, 8]);
      assert.equal((await ask("/echo", { method: "POST", body: "text" })).status, 415);
    });

    it("refuses as everywhere", async () => {
      const missing = await ask("/nowhere");
      const problem = await jsonOf(missing);
      assert.deepEqual([missing.status, problem["type"]], [404, "https://api.example.com/problems/not-found"]);
      assert.match(String(problem["instance"]), /^urn:uuid:/);
      assert.equal((await ask("/client", { method: "DELETE" })).headers.get("Allow"), "GET, HEAD, OPTIONS");
      const unacceptable = await ask("/hello/Ada", { headers: { Accept: "application/problem+xml" } });
      assert.equal(unacceptable.headers.get("Content-Type"), "application/problem+xml");
      assert.equal((await ask("/private")).status, 401);
      assert.equal((await ask("/private", { headers: { Authorization: "Bearer sesame" } })).status, 200);
      const foreign = { Origin: "https://evil.example", "Sec-Fetch-Site": "cross-site" };
      assert.equal((await ask("/echo", { method: "POST", headers: foreign })).status, 403);
    });

    it("limits each client for itself", async () => {
      assert.equal((await ask("/scarce")).status, 200);
      assert.equal((await ask("/scarce")).status, 429);
    });

    it("compresses and streams", async () => {
      const long = await ask("/long", { headers: { "Accept-Encoding": "gzip" } });
      assert.equal(long.headers.get("Content-Encoding"), "gzip");
      assert.equal((await long.text()).length, 5000);
      assert.equal(await (await ask("/pieces")).text(), "one two");
    });

    it("describes itself", async () => {
      const paths = (await jsonOf(await ask("/openapi.json")))["paths"];
      assert.ok(Object.keys(paths ?? {}).includes("/hello/{name}"));
    });

    it("knows where routes and conditions are declared", async () => {
      const places = (await (await ask("/places")).json()) as readonly string[]; // as the app has it
      for (const place of places) assert.match(place, /\w:\d+:\d+$/);
    });

    it("answers a fault without its cause, and logs it", async () => {
      const fault = await ask("/fault");
      assert.equal(fault.status, 500);
      assert.doesNotMatch(await fault.text(), /a fault for the test/);
      while (!faults.includes("a fault for the test")) await once(running?.stderr as Readable, "data"); // it is piped
    });
  });
}
