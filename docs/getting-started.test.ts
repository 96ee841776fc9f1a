import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { readPage } from "./page.ts";
import { itStartsWhatItSays } from "./started-page.ts";

const run = promisify(execFile);
const compiler = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));

describe("docs/getting-started.md", () => {
  const folder = itStartsWhatItSays(readPage(join(import.meta.dirname, "getting-started.md")));

  it("compiles with its tsconfig.json", async () => {
    // A checkout has no built packages.
    const args = [compiler, "--customConditions", "@waymark/source"];
    const { stdout } = await run(process.execPath, args, { cwd: folder }).catch((error) => error);
    assert.equal(stdout, "");
  });

  it("passes its tests", async () => {
    // A runner of tests within another one must not report to it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const args = ["--conditions=@waymark/source", "--test", "shop.test.ts"];
    const { stdout } = await run(process.execPath, args, { cwd: folder, env }).catch((error) => error);
    assert.match(stdout, /pass \d\d\n/);
    assert.match(stdout, /fail 0\n/);
  });

  it("copies the files that there are into the image", () => {
    const dockerfile = readFileSync(join(folder, "Dockerfile"), "utf8");
    const copied = Array.from(dockerfile.matchAll(/^COPY (.*) \.\/$/gm), ([, names = ""]) => names.split(" ")).flat();
    assert.deepEqual(
      copied.filter((name) => !existsSync(join(folder, name))),
      ["package-lock.json"],
    );
    assert.ok(existsSync(join(folder, /CMD \["node", "([\w.-]+)"\]/.exec(dockerfile)?.[1] ?? "nothing")));
  });
});
