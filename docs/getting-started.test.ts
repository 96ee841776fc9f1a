import assert from "node:assert/strict";
import { execFile } from "node:child_process";
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
});
