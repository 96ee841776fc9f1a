import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Folder } from "./folder.ts";
import { builtTypes } from "./packed.ts";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Makes a folder one of modules that find the packages. */
export async function makeProject(folder: Folder): Promise<void> {
  await symlink(join(root, "node_modules"), folder.path("node_modules"));
  folder.write("package.json", { type: "module" });
}

/**
 * Checks the types of files in a project, by the strictest options and by both versions of TypeScript.
 *
 * @param platform whose types there are: those of Node.js, or those of a browser
 */
export async function checkTypes(
  folder: Folder,
  files: readonly string[],
  platform: "node" | "browser",
): Promise<void> {
  const browser = { lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"], types: [] };
  const { compilerOptions: strictest } = JSON.parse(readFileSync(join(root, "tsconfig.base.json"), "utf8"));
  const compilerOptions = {
    ...strictest,
    ...builtTypes(),
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    // Each version knows others.
    lib: ["esnext"],
    ...(platform === "browser" && { ...browser, module: "esnext", moduleResolution: "bundler" }),
  };
  const project = folder.write("tsconfig.json", { compilerOptions, files });
  const compilers = ["node_modules/typescript/bin/tsc", "scripts/node_modules/typescript/bin/tsc"];
  for (const compiler of compilers) {
    const args = [join(root, compiler), "--project", project];
    const { stdout } = await run(process.execPath, args, { cwd: folder.root }).catch((error) => error);
    assert.equal(stdout, "", compiler);
  }
}

/** Returns what the formatter of this repository would change in files; an empty text where nothing. */
export async function formatChanges(files: readonly string[]): Promise<string> {
  const args = ["format", `--config-path=${root}`, "--vcs-enabled=false", "--max-diagnostics=5", ...files];
  const result = await run(join(root, "node_modules/.bin/biome"), args, { cwd: root }).catch((error) => error);
  return result.code === undefined ? "" : result.stderr + result.stdout;
}
