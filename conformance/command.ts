import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Returns the program of a package that has a command, by the folder of the package. */
export async function commandOf(folder: string): Promise<string> {
  const { bin } = JSON.parse(await readFile(join(folder, "package.json"), "utf8")) as Manifest;
  return resolve(folder, typeof bin === "string" ? bin : (Object.values(bin)[0] ?? ""));
}

interface Manifest {
  readonly bin: string | Readonly<Record<string, string>>;
}
