import { readdirSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { packInto, type TarballOf, tarballIn } from "../../../../scripts/install-packed.ts";
import { openFolder } from "../tools/folder.ts";

/** The variable that has the folder in which all files of a run keep the packed packages; `scripts/run-tests.ts` sets it. */
export const packedVariable = "TEST_PACKED";

/**
 * Packs the packages as npm gets them, unless another file of the run has done so.
 *
 * @returns what gives the path of the tarball of a package
 */
export async function packAll(): Promise<TarballOf> {
  const folder = process.env[packedVariable] ?? openFolder("packed").root;
  if ((await readdir(folder)).length === 0) await packInto(folder);
  return tarballIn(folder);
}

/**
 * Returns options for a compiler that checks programs on the packages: a run that has packed them has their declarations, and without
 * those the compiler checks all of their source each time, which takes it six times as long.
 */
export function builtTypes(): { readonly customConditions?: readonly string[] } {
  const folder = process.env[packedVariable];
  return folder !== undefined && readdirSync(folder).length > 0 ? { customConditions: [] } : {};
}
