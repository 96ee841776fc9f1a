import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Source } from "./suite.ts";

const run = promisify(execFile);
const packages = join(import.meta.dirname, "packages");
// Not in node_modules, where Node.js runs no TypeScript.
const repositories = join(import.meta.dirname, "repositories");
let installing: Promise<unknown> | undefined;

/**
 * Returns the folder of a suite, fetched unless it is here: by npm, as the lockfile says, or by git, at the commit.
 *
 * @throws Error, with what npm or git said, when it cannot be fetched
 */
export async function fetched(source: Source): Promise<string> {
  if (source.kind === "package") {
    const folder = join(packages, "node_modules", source.name);
    // The one command installs all of them.
    if (!existsSync(folder)) {
      installing ??= run("npm", ["ci", "--no-audit", "--no-fund"], { cwd: packages });
      await installing;
    }
    return folder;
  }
  const { url, commit } = source;
  const folder = join(repositories, commit);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  const git = (...args: readonly string[]) => run("git", ["-C", partial, ...args]);
  await git("init", "--quiet");
  await git("fetch", "--quiet", "--depth", "1", url, commit);
  await git("-c", "advice.detachedHead=false", "checkout", "--quiet", commit);
  await rename(partial, folder);
  return folder;
}
