import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findChromium } from "../../../waymark/test/chromium.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

describe("npm run screenshots", {
  skip: findChromium() === undefined && "there is no Chromium on this machine",
}, () => {
  it("makes each picture of the page in the docs", async () => {
    const folder = await mkdtemp(join(tmpdir(), "screenshots-"));
    try {
      const script = join(root, "scripts/screenshots.ts");
      await promisify(execFile)(process.execPath, ["--conditions=@waymark/source", script, folder], { cwd: root });
      const page = await readFile(join(root, "docs/people-page.md"), "utf8");
      const named = Array.from(page.matchAll(/assets\/(people-[\w-]+\.png)/g), ([, name]) => name);
      assert.deepEqual((await readdir(folder)).toSorted(), [...new Set(named)].toSorted());
      const [first = ""] = named;
      assert.equal((await readFile(join(folder, first))).subarray(1, 4).toString(), "PNG");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
