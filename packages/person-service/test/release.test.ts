import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { openFolder } from "../../waymark/test/folder.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folders = ["waymark", "collection", "person-service"];

describe("a release", () => {
  const { root: checkout } = openFolder("release");
  before(async () => {
    for (const folder of folders) {
      const path = `packages/${folder}/package.json`;
      await cp(join(root, path), join(checkout, path));
    }
  });
  const prepare = (...args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const script = join(root, "scripts/prepare-release.ts");
      execFile(process.execPath, [script, ...args, checkout], (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      );
    });
  const read = async (path: string): Promise<string> => readFile(join(checkout, path), "utf8");

  it("is refused with a tag that is not the version, or without a section in the changelog", async () => {
    await writeFile(join(checkout, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n");
    const { code, stderr } = await prepare("v0.2.0", "https://example.com/owner/name");
    assert.equal(code, 1);
    assert.deepEqual(stderr.trimEnd().split("\n"), [
      "waymark has the version 0.1.0, not 0.2.0",
      "@waymark/collection has the version 0.1.0, not 0.2.0",
      "@waymark/collection depends on waymark 0.1.0, not 0.2.0",
      "@waymark/person-service has the version 0.1.0, not 0.2.0",
      "@waymark/person-service depends on @waymark/collection 0.1.0, not 0.2.0",
      "@waymark/person-service depends on waymark 0.1.0, not 0.2.0",
      'CHANGELOG.md has no section "## [0.2.0] - YYYY-MM-DD"',
    ]);
    assert.equal(
      await read("packages/waymark/package.json"),
      await readFile(join(root, "packages/waymark/package.json"), "utf8"),
    );
  });

  it("names the repository in each package, which provenance needs", async () => {
    await writeFile(join(checkout, "CHANGELOG.md"), "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n");
    const { code, stdout, stderr } = await prepare("v0.1.0", "https://example.com/owner/name");
    assert.deepEqual([code, stdout, stderr], [0, "ready to publish 0.1.0\n", ""]);
    for (const folder of folders) {
      const { repository, homepage } = JSON.parse(await read(`packages/${folder}/package.json`));
      assert.deepEqual(repository, {
        type: "git",
        url: "git+https://example.com/owner/name.git",
        directory: `packages/${folder}`,
      });
      assert.equal(homepage, "https://example.com/owner/name#readme");
    }
  });

  it("is published in the order in which the packages depend on each other, with provenance", async () => {
    const workflow = await readFile(join(root, ".github/workflows/release.yml"), "utf8");
    const published = Array.from(
      workflow.matchAll(/npm publish --provenance --access public --workspace (\S+)/g),
      ([, name]) => name,
    );
    assert.deepEqual(published, ["waymark", "@waymark/collection", "@waymark/person-service"]);
    assert.match(workflow, /^ {6}id-token: write$/m);
  });
});
