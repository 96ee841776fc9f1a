import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));

/** The packages that are published. */
export const packageNames: readonly string[] = [
  "waymark",
  "@waymark/node",
  "@waymark/testing",
  "@waymark/collection",
  "@waymark/person-service",
];

/** Returns the path of the tarball of a package. */
export type TarballOf = (name: string) => string;

/** Packs the packages as npm gets them into a folder, by the command of the README. */
export async function packInto(folder: string): Promise<void> {
  const workspaces = packageNames.flatMap((name) => ["--workspace", name]);
  await run("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], { cwd: root });
}

/** Returns where the tarballs of a folder are. */
export function tarballIn(folder: string): TarballOf {
  const { version } = JSON.parse(readFileSync(join(root, "node_modules/waymark/package.json"), "utf8"));
  return (name) => join(folder, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
}

/**
 * Unpacks the packages into `node_modules` of a folder, and links their commands and what they depend on, so that no registry is
 * needed.
 */
export async function installPacked(folder: string, tarballOf: TarballOf): Promise<void> {
  const commands = join(folder, "node_modules/.bin");
  await mkdir(commands, { recursive: true });
  for (const name of packageNames) {
    const unpacked = join(folder, "node_modules", name);
    await mkdir(unpacked, { recursive: true });
    await run("tar", ["-xzf", tarballOf(name), "--strip-components=1", "-C", unpacked]);
    const { bin = {}, dependencies = {} } = JSON.parse(await readFile(join(unpacked, "package.json"), "utf8"));
    for (const [command, file] of Object.entries<string>(bin))
      await symlink(join(unpacked, file), join(commands, command));
    for (const dependency of Object.keys(dependencies)) {
      if (!packageNames.includes(dependency)) await linkPackage(folder, dependency);
    }
  }
}

/** Links a package of this checkout into `node_modules` of a folder. */
export async function linkPackage(folder: string, name: string): Promise<void> {
  const path = join(folder, "node_modules", name);
  await mkdir(dirname(path), { recursive: true });
  await symlink(join(root, "node_modules", name), path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error; // two packages depend on it
  });
}
