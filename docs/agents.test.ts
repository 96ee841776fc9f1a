import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { readPage } from "./page.ts";

const root = join(import.meta.dirname, "..");

it("llms.txt leads to every page of the documentation and every package, and nowhere else", () => {
  const { links } = readPage(join(root, "llms.txt"));
  const broken = links.filter((link) => !existsSync(join(root, link)));
  assert.deepEqual(broken, []);
  const pages = globSync(["docs/*.md", "packages/*/README.md"], { cwd: root }).filter(
    (file) => file !== "docs/README.md",
  );
  const missing = pages.filter((file) => !links.includes(file));
  assert.deepEqual(missing, []);
});
