import { readFile } from "node:fs/promises";
import { findPackageJSON } from "node:module";

/**
 * The version of an installed package.
 *
 * @throws Error when it is not installed
 */
export async function versionOf(name: string): Promise<string> {
  const file = findPackageJSON(name, import.meta.url);
  if (file === undefined) throw new Error(`The package ${name} is not installed`);
  const manifest: { readonly version: string } = JSON.parse(await readFile(file, "utf8"));
  return manifest.version;
}
