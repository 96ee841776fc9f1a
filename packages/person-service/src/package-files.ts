import { readFileSync } from "node:fs";

// A URL of a module leads to these files in each form of the program: its source, what tsc builds, the bundle and an executable
// keep their modules in one folder beside them.

/** Returns where a file of the package is, which may be inside an executable: only functions of `node:fs` read it there. */
export function packageFile(path: "package.json" | `${"assets" | "browser" | "data"}/${string}`): URL {
  return new URL(`../${path}`, import.meta.url);
}

/** Returns the version of the service, as its manifest has it. */
export function version(): string {
  const manifest: { readonly version: string } = JSON.parse(readFileSync(packageFile("package.json"), "utf8"));
  return manifest.version;
}
