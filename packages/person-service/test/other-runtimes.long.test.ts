import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { buildProgram } from "../../../scripts/build-program.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { asOlderNode } from "../../waymark/test/tools/older-node.ts";
import { assertServesPage } from "./tools/page-assets.ts";
import { builtProgramVariable, sourceProgram } from "./tools/programs/program-arguments.ts";
import { startServiceOf } from "./tools/programs/service-process.ts";

it("says in one line what it needs on an older Node.js, and where the checkout has it", () => {
  const args = [...asOlderNode, sourceProgram, "--demo"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  const [, node = "", program = ""] =
    /^person-service needs Node\.js 24\.7 or later, or Bun 1\.4 or later, not 20\.20\.2\. This checkout has the right one: (\S+) (\S+)\n$/.exec(
      stderr,
    ) ?? assert.fail(stderr);
  assert.deepEqual([status, stdout], [1, ""]);
  const newer = spawnSync(node, [program, "--version"], { encoding: "utf8" });
  assert.match(newer.stdout, /^person-service \d/);
});

const installed = fileURLToPath(new URL("../../waymark/test/runtimes/node_modules/.bin", import.meta.url));
const bun = join(installed, "bun");
const deno = join(installed, "deno");
const whereInstalled = (file: string) => ({ skip: !existsSync(file) && "npm run runtimes installs it" });

describe("the program on Bun", whereInstalled(bun), () => {
  const { path } = openFolder("person-service-on-bun");
  before(() => (process.env[builtProgramVariable] === undefined ? buildProgram() : undefined));

  it("serves the demo and the pages, stores by its threads, and finds it again", async () => {
    const command = [bun, sourceProgram];
    const database = ["--database", path("person.db")];
    {
      await using service = await startServiceOf(command, ...database, "--demo");
      await assertServesPage(service.url);
      const headers = { "Content-Type": "application/json" };
      const { status } = await fetch(`${service.url}/person`, { method: "POST", body: '{"name":"Ada"}', headers });
      assert.equal(status, 200);
      service.kill("SIGTERM");
      assert.equal((await service.exited).code, 0);
    }
    await using again = await startServiceOf(command, ...database);
    assert.match(await (await fetch(`${again.url}/person?q=ada`)).text(), /"name":"Ada"/);
  });
});

describe("the program on Deno", whereInstalled(deno), () => {
  for (const args of [["run"], ["run", "--allow-all"]]) {
    it(`says in one line what it needs, by ${["deno", ...args].join(" ")}`, () => {
      const { status, stdout, stderr } = spawnSync(deno, [...args, sourceProgram, "--demo"], { encoding: "utf8" });
      const needs =
        /^person-service needs Node\.js 24\.7 or later, or Bun 1\.4 or later, not Deno \d+\.\d+\.\d+\. Its library waymark runs on Deno, too\.\n$/;
      assert.match(stderr, needs);
      assert.deepEqual([status, stdout], [1, ""]);
    });
  }
});
