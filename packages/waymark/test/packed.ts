import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { openFolder } from "./folder.ts";

/** The variable that has the folder in which all files of a run keep the packed packages; `scripts/run-tests.ts` sets it. */
export const packedVariable = "TEST_PACKED";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const workspaces = ["waymark", "@waymark/collection", "@waymark/person-service"].flatMap((name) => [
  "--workspace",
  name,
]);

/**
 * Packs the three packages as npm gets them, unless another file of the run has done so.
 *
 * @returns what gives the path of the tarball of a package
 */
export async function packAll(): Promise<(name: string) => string> {
  const folder = process.env[packedVariable] ?? openFolder("packed").root;
  if ((await readdir(folder)).length === 0) {
    await promisify(execFile)("npm", ["pack", "--silent", "--pack-destination", folder, ...workspaces], { cwd: root });
  }
  return (name) => join(folder, `${name.replace("@", "").replace("/", "-")}-0.1.0.tgz`);
}
