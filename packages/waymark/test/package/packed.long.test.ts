import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openFolder } from "../tools/folder.ts";
import { packAll } from "./packed.ts";
import { typeCheck } from "./type-check.ts";

// The package as its users get it: packed, installed into an empty folder, and used from there.

const run = promisify(execFile);

const program = `
import { GET, group, router, text, accept } from "waymark";
import { serve } from "@waymark/node";

const app = router(group("/hello", GET("/{name}", accept("text/plain"), (request) => text("Hello " + request.variables.name))));
const server = await serve(app, { port: 0 });
const response = await fetch(server.url + "/hello/Ada");
console.log(response.status, await response.text());
await server.close();
`;

describe("the packed package", () => {
  const { root: folder } = openFolder("waymark-packed");

  before(async () => {
    const tarballOf = await packAll();
    await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    await run("npm", ["install", "--offline", "--silent", tarballOf("waymark"), tarballOf("@waymark/node")], {
      cwd: folder,
    });
  });

  it("depends on nothing", async () => {
    const manifest = JSON.parse(await readFile(join(folder, "node_modules/waymark/package.json"), "utf8"));
    assert.equal(manifest.dependencies, undefined);
    assert.equal(manifest.peerDependencies, undefined);
    assert.equal(manifest.optionalDependencies, undefined);
  });

  it("serves from plain JavaScript", async () => {
    await writeFile(join(folder, "program.js"), program);
    const { stdout } = await run(process.execPath, ["program.js"], { cwd: folder });
    assert.equal(stdout, "200 Hello Ada\n");
  });

  it("serves from TypeScript, its types included", async () => {
    await writeFile(join(folder, "program.ts"), program);
    await typeCheck(folder, "program.ts");
    const { stdout } = await run(process.execPath, ["program.ts"], { cwd: folder });
    assert.equal(stdout, "200 Hello Ada\n");
  });

  it("shows a TypeScript program its mistakes", async () => {
    await writeFile(join(folder, "wrong.ts"), program.replace("variables.name", "variables.surname"));
    await assert.rejects(typeCheck(folder, "wrong.ts"), ({ stdout }: { stdout: string }) => /surname/.test(stdout));
  });
});
