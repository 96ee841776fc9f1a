import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { assertServesPage } from "../tools/page-assets.ts";
import { sourceProgram } from "../tools/programs/program-arguments.ts";
import { startServiceOf } from "../tools/programs/service-process.ts";

// In a run of all tests, the others start the program as it is built.

const folder = openFolder("from-source");
const root = fileURLToPath(new URL("../../../..", import.meta.url));

it("the command in a checkout runs the source, whatever is built", async () => {
  const copy = folder.path("packages/person-service");
  mkdirSync(join(copy, "program"), { recursive: true });
  for (const part of ["package.json", "tsconfig.build.json", "bin", "src", "data"]) {
    cpSync(join(dirname(sourceProgram), "..", part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(root, "packages/people-page"), folder.path("packages/people-page"));
  symlinkSync(join(root, "node_modules"), folder.path("node_modules"));
  folder.write("packages/person-service/program/main.cjs", 'throw new Error("An older build runs.");');
  const command = [process.execPath, join(copy, "bin/person-service.js")];
  const database = ["--database", folder.path("people.db")];
  await using service = await startServiceOf(command, ...database);
  const headers = { "Content-Type": "application/json" };
  const { status } = await fetch(`${service.url}/person`, { method: "POST", body: '{"name":"Ada"}', headers });
  assert.equal(status, 200);
  await assertServesPage(service.url);
});

it("npx runs the command in a checkout", async () => {
  const { stdout } = await promisify(execFile)("npx", ["--no-install", "person-service", "--version"], { cwd: root });
  assert.match(stdout, /^person-service \d/);
});
