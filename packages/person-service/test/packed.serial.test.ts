import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

// The three packages as npm gets them: packed by the commands of the README, and unpacked beside each other.

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));
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

  test("@waymark/person-service brings the command person-service", async () => {
    for (const name of names) {
      const { dependencies = {} } = JSON.parse(await read(name, "package.json"));
      for (const dependency of Object.keys(dependencies).filter((dependency) => !names.includes(dependency))) {
        const link = join(folder, "node_modules", dependency);
        await mkdir(dirname(link), { recursive: true });
        await symlink(join(root, "node_modules", dependency), link);
      }
    }
    const { bin } = JSON.parse(await read("@waymark/person-service", "package.json"));
    assert.deepEqual(Object.keys(bin), ["person-service"]);
    const program = join(folder, "node_modules/@waymark/person-service", bin["person-service"]);
    const { stdout } = await run(process.execPath, [program, "--version"], { cwd: folder });
    assert.equal(stdout, "person-service 0.1.0\n");
  });
});

test("a README in a checkout has its links again once it is packed", async () => {
  const readme = await readFile(join(root, "packages/waymark/README.md"), "utf8");
  assert.match(readme, /\]\(\.\.\/\.\.\/docs\/README\.md\)/);
});
