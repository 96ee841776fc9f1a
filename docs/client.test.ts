import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openFolder } from "../packages/waymark/test/folder.ts";
import { checkTypes, makeProject } from "../packages/waymark/test/generated-client.ts";
import { readPage } from "./page.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const { blocks } = readPage(join(root, "docs/client.md"));

/** Returns the block of the page with this flag. */
function blockOf(flag: string): string {
  const found = blocks.find(({ flags }) => flags.at(-1) === flag);
  assert.ok(found, flag);
  return `${found.lines.join("\n")}\n`;
}

describe("the page about the client", () => {
  const folder = openFolder("client-page");
  let client: string;

  before(async () => {
    await makeProject(folder);
    folder.write("notes.ts", blockOf("notes.ts"));
    folder.write("use.ts", blockOf("use.ts"));
    const { stdout } = await run(process.execPath, [
      join(root, "packages/waymark/bin/waymark.js"),
      "client",
      folder.path("notes.ts"),
    ]);
    client = stdout;
    folder.write("client.ts", client);
  });

  it("shows what the command writes", () => {
    assert.ok(client.includes(blockOf("no-run")), client);
  });

  it("uses it as it can be used, and gets what it says", async () => {
    await checkTypes(folder, ["notes.ts", "client.ts", "use.ts"], "node");
    const { stdout } = await run(process.execPath, ["--conditions=@waymark/source", folder.path("use.ts")]);
    const expected = Array.from(blockOf("use.ts").matchAll(/\/\/ → (.*)/g), ([, text = ""]) => text.split(" → "));
    assert.deepEqual(stdout.trim().split("\n"), expected.flat());
  });
});
