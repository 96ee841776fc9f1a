import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { packAll } from "../packages/waymark/test/package/packed.ts";
import { installPacked, linkPackage } from "../scripts/install-packed.ts";
import { readPage } from "./page.ts";
import { itStartsWhatItSays } from "./started-page.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

/** The compilers of TypeScript 7 and of 5.9, by their version. */
const compilers = { 7: "node_modules/typescript/bin/tsc", "5.9": "scripts/node_modules/typescript/bin/tsc" };

describe("docs/getting-started.md, with the packages as npm gets them", () => {
  const page = readPage(join(import.meta.dirname, "getting-started.md"));
  const folder = itStartsWhatItSays(page, async (to) => {
    await installPacked(to, await packAll());
    for (const name of ["zod", "@types/node", "undici-types"]) await linkPackage(to, name);
  });

  it("installs files that are packed", { skip: process.platform === "win32" }, async () => {
    const tarballOf = await packAll();
    for (const { file, blocks } of [page, readPage(join(root, "packages/waymark/README.md"))]) {
      const [, paths] = /^npm install (.*)$/m.exec(blocks.flatMap(({ lines }) => lines).join("\n")) ?? [];
      const { stdout } = await run("bash", ["-c", `printf '%s\\n' ${paths}`]);
      const tarballs = stdout.split("\n").filter((path) => path.startsWith("../person-service/"));
      assert.ok(tarballs.length > 1, `${file}: ${paths}`);
      for (const path of tarballs) {
        const tarball = join(tarballOf("waymark"), "..", path.slice("../person-service/".length));
        assert.ok(existsSync(tarball), `${file} installs ${path}`);
      }
    }
  });

  for (const [version, compiler] of Object.entries(compilers)) {
    it(`compiles with its tsconfig.json by TypeScript ${version}`, async () => {
      const tsc = (...args: string[]) => run(process.execPath, [join(root, compiler), ...args], { cwd: folder });
      assert.match((await tsc("--version")).stdout, new RegExp(`^Version ${version}\\b`));
      const { stdout } = await tsc().catch((error) => error);
      assert.equal(stdout, "");
    });
  }
});
