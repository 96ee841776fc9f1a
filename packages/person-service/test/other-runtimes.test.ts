import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { sourceProgram } from "./program-arguments.ts";

const installed = fileURLToPath(new URL("../../waymark/test/runtimes/node_modules/.bin", import.meta.url));

it("says in one line what it needs, on an older Node.js", () => {
  const older = 'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
  const args = ["--import", `data:text/javascript,${encodeURIComponent(older)}`, sourceProgram, "--demo"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.match(stderr, /^person-service needs Node\.js 24\.7 or later, not 20\.20\.2\. In a checkout, .*\n$/);
  assert.deepEqual([status, stdout], [1, ""]);
});

describe("the program on another runtime than Node.js", () => {
  for (const [name, file, ...args] of [
    ["Bun", "bun"],
    ["Deno", "deno", "run"],
    ["Deno", "deno", "run", "--allow-all"],
  ] as const) {
    const runtime = join(installed, file);
    it(`says in one line what it needs, by ${[file, ...args].join(" ")}`, {
      skip: !existsSync(runtime) && "npm run runtimes installs it",
    }, () => {
      const { status, stdout, stderr } = spawnSync(runtime, [...args, sourceProgram, "--demo"], { encoding: "utf8" });
      const needs = `^person-service needs Node\\.js 24\\.7 or later, not ${name} \\d+\\.\\d+\\.\\d+\\. Its library waymark runs on Bun and Deno, too\\.\\n$`;
      assert.match(stderr, new RegExp(needs));
      assert.deepEqual([status, stdout], [1, ""]);
    });
  }
});
