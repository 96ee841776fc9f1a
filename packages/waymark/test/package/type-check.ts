import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const installed = fileURLToPath(new URL("../../../../node_modules", import.meta.url));

/**
 * Checks the types of a program in a folder as its author would, who has the types of Node.js installed beside the package.
 *
 * @throws Error with what the compiler prints as `stdout`
 */
export async function typeCheck(folder: string, file: string): Promise<void> {
  for (const name of ["@types/node", "undici-types"]) {
    const link = join(folder, "node_modules", name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(installed, name), link).catch((error) => assert.equal(error.code, "EEXIST"));
  }
  const target = ["--target", "es2024", "--module", "nodenext", "--types", "node"];
  const args = ["--ignoreConfig", "--noEmit", "--strict", ...target, file];
  await promisify(execFile)(process.execPath, [join(installed, "typescript/bin/tsc"), ...args], { cwd: folder });
}
