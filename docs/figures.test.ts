import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";

const root = join(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(join(root, file), "utf8");

/** The version of the packages, and the release before it: figures of older ones say nothing of this one. */
const { version } = JSON.parse(read("packages/waymark/package.json"));
const releases = Array.from(read("CHANGELOG.md").matchAll(/^## \[(\d[^\]]*)\]/gm), ([, release]) => release);
const recent = [version, releases.find((release) => release !== version)];

/** How a page names the machine on which something was measured. */
const machine = /\b(?:EPYC|Xeon)\b/;

describe("the figures of the pages", () => {
  const pages = globSync(["README.md", "docs/*.md", "packages/*/README.md", "benchmarks/README.md"], { cwd: root });
  const measured = pages.filter((file) => machine.test(read(file)));

  it("are of this version or the release before it, and name the command that measures them", () => {
    assert.ok(measured.includes("README.md"), measured.join(" "));
    for (const file of measured) {
      const page = read(file);
      const versions = Array.from(page.matchAll(/of version (\d+\.\d+\.\d+)/g), ([, of]) => of);
      assert.ok(versions.length > 0, `${file} says of which version its figures are`);
      const old = versions.filter((of) => !recent.includes(of));
      assert.deepEqual(old, [], `${file} has figures that were measured more than a release ago`);
      assert.match(page, /npm run (?:bench|soak)/, file);
    }
  });

  it("of the suites of others are as recent", () => {
    const results: Readonly<Record<string, { version: string }>> = JSON.parse(read("conformance/results.json"));
    const old = Object.entries(results).filter(([, { version: counted }]) => !recent.includes(counted));
    assert.deepEqual(old, [], "npm run conformance -- --write counts them again");
  });
});

it("the README is one screen", () => {
  const lines = read("README.md").split("\n");
  assert.ok(lines.length <= 81, `${lines.length} lines`);
});

it("there are no more pages, and no longer ones, than a reader holds", () => {
  const pages = globSync("docs/*.md", { cwd: root });
  assert.ok(pages.length <= 24, `${pages.length} pages: what is new goes into one of them, or one goes`);
  const lines = pages.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
  assert.ok(lines <= 5_500, `${lines} lines: say what is new in the place of something else`);
  const decisions = globSync("docs/decisions/*.md", { cwd: root, exclude: ["**/README.md"] });
  assert.ok(decisions.length <= 12, `${decisions.length} decisions: keep those that a newcomer would undo by mistake`);
});

/** In lines of source. Whoever needs more says in the change what leaves for it. */
const longest = {
  waymark: 15_000,
  node: 6_100,
  testing: 2_100,
  collection: 24_850,
  "person-service": 14_000,
  "people-page": 2_900,
};

it("no package is longer than it may be", () => {
  for (const [name, most] of Object.entries(longest)) {
    const files = globSync(`packages/${name}/src/**/*.ts`, { cwd: root });
    const lines = files.reduce((sum, file) => sum + read(file).split("\n").length - 1, 0);
    assert.ok(lines <= most, `${name} has ${lines} lines of ${most}: take out what leaves for what is new`);
    assert.ok(lines > 0.9 * most, `${name} has ${lines} lines: lower its bound, so that what has left stays out`);
  }
});

it("no folder of a package has more files than one takes in", () => {
  const files = globSync("packages/*/{src,test}/**/*.ts", { cwd: root, exclude: ["**/node_modules"] });
  assert.ok(files.length > 900, `${files.length} files`);
  const crowded = [...Map.groupBy(files, dirname)].filter(([, { length }]) => length > 12).map(([folder]) => folder);
  assert.deepEqual(crowded, []);
});

/**
 * In lines, the files that may have more than 250: tables, which are read by their rows; what every user of waymark meets, half of
 * which is its documentation; and some whose next change should part them.
 */
const longFiles: Readonly<Record<string, number>> = {
  "person-service/src/person/members/members.ts": 510,
  "person-service/src/person/members/value-schemas.ts": 380,
  "person-service/src/cli/settings/settings.ts": 280,
  "collection/src/stores/contract/store.ts": 400,
  "waymark/src/fields/header-list.ts": 365,
  "waymark/src/route.ts": 360,
  "waymark/src/response.ts": 360,
  "waymark/src/request.ts": 340,
  "waymark/src/filter.ts": 255,
  "waymark/src/routing/dispatch/branch.ts": 290,
  "waymark/src/routing/dispatch/route-table.ts": 300,
  "waymark/src/routing/dispatch/pipeline.ts": 270,
  "node/src/http1/connection.ts": 270,
  "node/src/memory/answer-memory.ts": 260,
};

it("no file of source is longer than one takes in", () => {
  for (const file of globSync("packages/*/src/**/*.ts", { cwd: root })) {
    const most = longFiles[file.replace("packages/", "")] ?? 250;
    const lines = read(file).split("\n").length - 1;
    assert.ok(lines <= most, `${file} has ${lines} lines of ${most}: part it where it holds two ideas`);
  }
  const parted = Object.keys(longFiles).filter((file) => read(`packages/${file}`).split("\n").length <= 251);
  assert.deepEqual(parted, [], "these are short now: take them off the list");
});
