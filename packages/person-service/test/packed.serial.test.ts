import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// The three packages as npm gets them: packed by the commands of the README, and unpacked beside each other.

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
const json = { "Content-Type": "application/json" };
const names = ["waymark", "@waymark/collection", "@waymark/person-service"];

suite("the packed packages", () => {
  let folder = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "person-service-packed-"));
    const workspaces = names.flatMap((name) => ["--workspace", name]);
    await run("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], { cwd: root });
    for (const name of names) {
      const tarball = join(folder, `${name.replace("@", "").replace("/", "-")}-0.1.0.tgz`);
      const unpacked = join(folder, "node_modules", name);
      await mkdir(unpacked, { recursive: true });
      await run("tar", ["-xzf", tarball, "--strip-components=1", "-C", unpacked]);
    }
  });

  after(() => rm(folder, { recursive: true, force: true }));

  const read = (name: string, file: string) => readFile(join(folder, "node_modules", name, file), "utf8");

  for (const name of names) {
    test(`${name} says what it is, under which licence, and where it comes from`, async () => {
      const manifest = JSON.parse(await read(name, "package.json"));
      const { repository, homepage } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
      assert.equal(manifest.name, name);
      assert.notEqual(manifest.description, undefined);
      assert.ok(manifest.keywords.length >= 5, String(manifest.keywords));
      assert.equal(await read(name, "LICENSE"), await readFile(join(root, "LICENSE"), "utf8"));
      // The address of the repository is named in one place, once there is one.
      assert.equal(manifest.repository?.url, repository?.url);
      assert.equal(manifest.homepage, homepage);
    });

    test(`${name} has a README without links that only the repository can follow`, async () => {
      const links = [...(await read(name, "README.md")).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? "");
      assert.deepEqual(
        links.filter((link) => !/^(https:|#)/.test(link)),
        [],
      );
    });
  }

  suite("with what they depend on", () => {
    before(linkDependencies);

    test("@waymark/person-service brings the command person-service", async () => {
      const { stdout } = await run(process.execPath, [await command(), "--version"], { cwd: folder });
      assert.equal(stdout, "person-service 0.1.0\n");
    });

    test("the command serves the demo, and stores in a file", async () => {
      const options = ["--demo", "--port", "0", "--database", join(folder, "person.db")];
      const service = spawn(process.execPath, [await command(), ...options], { cwd: folder });
      try {
        const url = await urlOf(service.stdout);
        const { headers } = await fetch(`${url}/person`, { method: "POST", body: '{"name":"Ada"}', headers: json });
        assert.equal(headers.get("Location"), "/person/538");
        const page = await (await fetch(url, { headers: { Accept: "text/html" } })).text();
        const style = /"(\/assets\/style[^"]*)"/.exec(page)?.[1] ?? assert.fail(page);
        assert.equal((await fetch(url + style)).status, 200);
      } finally {
        service.kill("SIGTERM");
        await once(service, "close");
      }
    });

    test("the command takes less than 95 MB of memory once it answers", async () => {
      const service = spawn(process.execPath, [await command(), "--port", "0", "--database", ":memory:"], {
        cwd: folder,
      });
      try {
        assert.equal((await fetch(`${await urlOf(service.stdout)}/hello-world`)).status, 200);
        const memory = residentMegabytes(service.pid);
        assert.ok(memory === undefined || memory < 95, `${memory} MB are resident`);
      } finally {
        service.kill("SIGTERM");
        await once(service, "close");
      }
    });

    test("the command names the packages that are part of it", async () => {
      assert.match(await read("@waymark/person-service", "program/THIRD-PARTY-NOTICES.txt"), /^pino \d/m);
    });

    test("@waymark/person-service is a library, too", async () => {
      const program = `
        import { openPersonService } from "@waymark/person-service";
        const { app, database } = await openPersonService({ database: ":memory:" });
        console.log((await app.fetch(new Request("http://localhost/person"))).status);
        await database.close();
      `;
      const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], { cwd: folder });
      assert.equal(stdout, "200\n");
    });
  });

  /** Returns the file of the command. */
  async function command(): Promise<string> {
    const { bin } = JSON.parse(await read("@waymark/person-service", "package.json"));
    assert.deepEqual(Object.keys(bin), ["person-service"]);
    return join(folder, "node_modules/@waymark/person-service", bin["person-service"]);
  }

  async function linkDependencies(): Promise<void> {
    for (const name of names) {
      const { dependencies = {} } = JSON.parse(await read(name, "package.json"));
      for (const dependency of Object.keys(dependencies).filter((dependency) => !names.includes(dependency))) {
        const link = join(folder, "node_modules", dependency);
        await mkdir(dirname(link), { recursive: true });
        await symlink(join(root, "node_modules", dependency), link);
      }
    }
  }
});

test("a README in a checkout has its links again once it is packed", async () => {
  const readme = await readFile(join(root, "packages/waymark/README.md"), "utf8");
  assert.match(readme, /\]\(\.\.\/\.\.\/docs\/README\.md\)/);
});

/** Returns the memory that a process has resident, where the system says it. */
function residentMegabytes(pid: number | undefined): number | undefined {
  const status = `/proc/${pid}/status`;
  if (!existsSync(status)) return undefined;
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, "utf8"))?.[1]) / 1024;
}

/** Returns where a service says that it listens. */
async function urlOf(stdout: Readable): Promise<string> {
  let printed = "";
  for await (const piece of stdout.iterator({ destroyOnReturn: false })) {
    printed += piece;
    const url = /^listening on (\S+)\n/m.exec(printed)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error(`It printed ${JSON.stringify(printed)}`);
}
