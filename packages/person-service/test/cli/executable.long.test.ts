import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { buildExecutable } from "../../../../scripts/build-executable.ts";
import { buildProgram } from "../../../../scripts/build-program.ts";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { assertServesPage } from "../tools/page-assets.ts";
import { builtProgramVariable } from "../tools/programs/program-arguments.ts";
import { startServiceOf } from "../tools/programs/service-process.ts";

const run = promisify(execFile);

describe("the single executable", () => {
  const { root: folder, write } = openFolder("person-service-executable");
  let executable = "";

  before(async () => {
    executable = join(folder, "person-service");
    if (process.env[builtProgramVariable] === undefined) await buildProgram();
    await buildExecutable(executable);
  });

  it("serves the demo and the pages, stores by its threads, and exports", async () => {
    const database = ["--database", join(folder, "person.db")];
    await using service = await startServiceOf([executable], ...database, "--demo", "--admin", "0");
    const { url } = service;
    const headers = { "Content-Type": "application/json" };
    const { status } = await fetch(`${url}/person`, { method: "POST", body: '{"name":"Ada"}', headers });
    assert.equal(status, 200);
    await assertServesPage(url);
    const admin = /^metrics on (\S+)$/m.exec(service.printed)?.[1] ?? assert.fail(service.printed);
    assert.match(await (await fetch(admin)).text(), /^process_resident_memory_bytes \d/m);
    service.kill("SIGTERM");
    assert.equal((await service.exited).code, 0);
    const { stdout } = await run(executable, ["export", "--format", "ndjson", ...database]);
    assert.equal(stdout.trimEnd().split("\n").length, 538);
  });

  it("imports, and says how it is used", async () => {
    const file = write("people.csv", "First Name,Country\nAda,Germany\n");
    const database = ["--database", join(folder, "imported.db")];
    assert.match((await run(executable, ["import", file, ...database])).stdout, /^stored 1 person in /);
    const { stdout } = await run(executable, ["export", "--format", "xml", ...database]);
    assert.match(stdout, /<givenName>Ada<\/givenName><address><addressCountry>DE</);
    assert.match((await run(executable, ["--help"])).stdout, /^Usage: person-service \[serve\] \[options\]\n/);
    assert.match((await run(executable, ["import", "--help"])).stdout, /^Usage: person-service import FILE /);
    const refused = await run(executable, ["--prot", "80"]).catch((error: { readonly stderr: string }) => error);
    assert.match(refused.stderr, /Did you mean "--port"\?/);
  });

  it("loads what NODE_OPTIONS imports first, such as an SDK for traces", async () => {
    const file = write("instrumentation.mjs", 'console.log("registered");');
    const env = { ...process.env, NODE_OPTIONS: `--import=${file}` };
    assert.match((await run(executable, ["--help"], { env })).stdout, /^registered\nUsage: person-service /);
  });
});
