import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { buildProgram } from "../../../scripts/build-program.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { builtProgramVariable } from "./tools/programs/program-arguments.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const folders = ["waymark", "node", "testing", "collection", "person-service"];

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
      "@waymark/node has the version 0.1.0, not 0.2.0",
      "@waymark/node depends on waymark 0.1.0, not 0.2.0",
      "@waymark/testing has the version 0.1.0, not 0.2.0",
      "@waymark/testing depends on waymark 0.1.0, not 0.2.0",
      "@waymark/collection has the version 0.1.0, not 0.2.0",
      "@waymark/collection depends on waymark 0.1.0, not 0.2.0",
      "@waymark/person-service has the version 0.1.0, not 0.2.0",
      "@waymark/person-service depends on @waymark/collection 0.1.0, not 0.2.0",
      "@waymark/person-service depends on @waymark/node 0.1.0, not 0.2.0",
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
    const { publish } = await jobs();
    const published = publish.steps.flatMap(
      ({ run }) => /^npm publish --provenance --access public --workspace (\S+)$/.exec(run ?? "")?.[1] ?? [],
    );
    assert.deepEqual(published, await Promise.all(folders.map(async (folder) => (await manifestOf(folder)).name)));
    const manifests = await Promise.all(folders.map(manifestOf));
    for (const [i, { name, dependencies = {} }] of manifests.entries()) {
      const later = published.slice(i).filter((other) => Object.hasOwn(dependencies, other));
      assert.deepEqual(later, [], name);
    }
    assert.equal(publish.permissions?.["id-token"], "write");
  });

  it("has an executable for each system, which has run, and checksums of all files before anybody sees it", async () => {
    const { executables, release } = await jobs();
    const names = executables.strategy?.matrix.include.map(({ name }) => name);
    assert.deepEqual(
      names?.toSorted(),
      ["linux-arm64", "linux-x64", "macos-arm64", "macos-x64", "windows-x64.exe"].map((end) => `person-service-${end}`),
    );
    const built = executables.steps.map(({ run = "" }) => run);
    const indexes = ["npm run executable", "./dist/$NAME --version", "gh release upload"].map((start) =>
      built.findIndex((run) => run.startsWith(start)),
    );
    assert.deepEqual(
      indexes,
      indexes.toSorted((a, b) => a - b),
    );
    assert.ok(!indexes.includes(-1), built.join("\n"));
    assert.deepEqual(release.needs, ["publish", "executables"]);
    const finished = release.steps.map(({ run = "" }) => run);
    const checksums = finished.findIndex((run) => run.startsWith("sha256sum"));
    const shown = finished.findIndex((run) => run.endsWith("--draft=false"));
    assert.ok(checksums !== -1 && checksums < shown, finished.join("\n"));
  });

  it("pins the actions of others to a commit", async () => {
    const used = Object.values(await jobs()).flatMap(({ steps = [] }) => steps.flatMap(({ uses }) => uses ?? []));
    assert.ok(used.length > 3);
    for (const action of used) assert.match(action, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  });

  it("lists what the program contains: the packages of the notices", async () => {
    const program = dirname(process.env[builtProgramVariable] ?? (await buildProgram()));
    const bill = JSON.parse(await readFile(join(program, "sbom.cdx.json"), "utf8"));
    const notices = await readFile(join(program, "THIRD-PARTY-NOTICES.txt"), "utf8");
    const named = notices
      .split(`\n${"-".repeat(80)}\n\n`)
      .slice(1)
      .map((notice) => notice.split("\n")[0]);
    assert.ok(named.length > 10, `${named.length} packages`);
    const contained: readonly Readonly<Record<string, string>>[] = bill.components;
    assert.deepEqual(
      contained.map(({ name, version }) => `${name} ${version}`),
      named,
    );
    for (const { purl } of contained) assert.match(String(purl), /^pkg:npm\/(?:%40[\w.-]+\/)?[\w.-]+@\d/);
    const { version } = await manifestOf("person-service");
    assert.equal(bill.metadata.component.purl, `pkg:npm/%40waymark/person-service@${version}`);
  });
});

/** What these tests read of a workflow. */
interface Job {
  readonly needs?: unknown;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly name?: string }[] } };
  readonly steps: readonly { readonly run?: string; readonly uses?: string }[];
}

type Jobs = Readonly<Record<"publish" | "executables" | "release", Job>>;

async function jobs(): Promise<Jobs> {
  return parse(await readFile(join(root, ".github/workflows/release.yml"), "utf8")).jobs;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

async function manifestOf(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(root, "packages", folder, "package.json"), "utf8"));
}
