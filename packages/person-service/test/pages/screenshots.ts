import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

/** Returns the files of the pictures that the page in the docs shows. */
export async function picturesShown(): Promise<readonly string[]> {
  const page = await readFile(join(root, "docs/people-page.md"), "utf8");
  const files = Array.from(page.matchAll(/assets\/(people-[\w-]+\.png)/g), ([, file = ""]) => file);
  return [...new Set(files)].toSorted();
}

/** Makes the pictures of these names in a folder, or all of them, and returns their files. */
export async function makePictures(folder: string, ...names: readonly string[]): Promise<readonly string[]> {
  const script = join(root, "scripts/screenshots.ts");
  const options = ["--conditions=@waymark/source", script, folder, ...names];
  await promisify(execFile)(process.execPath, options, { cwd: root });
  const files = (await readdir(folder)).toSorted();
  for (const file of files) assert.equal((await readFile(join(folder, file))).subarray(1, 4).toString(), "PNG");
  return files;
}
