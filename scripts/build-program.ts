// Makes the program of person-service a few files of JavaScript, `packages/person-service/program`: the program in one file, a script,
// so that its compiled code can be kept (`bin/person-service.js`), and one for each of its threads. What it loads on demand (TLS,
// PostgreSQL, metrics, …) runs when it is asked for. It starts four times as fast as from source.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";
import { buildPage } from "../packages/people-page/build.ts";
import { billOfMaterials, packagesIn, thirdPartyNotices } from "./third-party-notices.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the package, with the files that the program reads. */
export const packageFolder: string = join(root, "packages/person-service");

const programFolder = join(packageFolder, "program");

/** Builds the program, and returns the path of the module that runs it. */
export async function buildProgram(): Promise<string> {
  const main = await build({
    ...common,
    entryPoints: { main: "packages/person-service/src/main.ts" },
    format: "cjs",
    supported: { "dynamic-import": false }, // a script of `node:vm` has no import()
    outExtension: { ".js": ".cjs" },
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: `"use strict";\nconst moduleUrl = require("node:url").pathToFileURL(__filename).href;` },
  });
  // Each in one file that imports nothing: inside of an executable a thread gets its program as a text.
  const threads = await build({
    ...common,
    entryPoints: ["reader-thread", "committer-thread"].map(
      (name) => `packages/collection/src/stores/sqlite/threads/${name}.ts`,
    ),
    entryNames: "[name]",
    format: "esm",
  });
  const ofPage = buildPage();
  const assets = join(packageFolder, "assets");
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets);
  for (const [name, bytes] of ofPage.files) writeFileSync(join(assets, name), bytes);
  const outputs = { ...main.metafile.outputs, ...threads.metafile.outputs };
  for (const path of Object.keys(outputs)) escapeOthers(join(root, path));
  const contained = packagesIn(root, { ...outputs, ...ofPage.metafile.outputs });
  writeFileSync(join(programFolder, noticesFile), thirdPartyNotices(contained));
  writeFileSync(join(programFolder, billFile), billOfMaterials(packageFolder, contained));
  const built = new Set([
    noticesFile,
    billFile,
    ...Object.keys(outputs).map((path) => path.slice(path.lastIndexOf("/") + 1)),
  ]);
  for (const file of readdirSync(programFolder)) if (!built.has(file)) rmSync(join(programFolder, file));
  return join(programFolder, "main.cjs");
}

/**
 * Writes the characters beyond ASCII as escapes that esbuild leaves in comments, regular expressions and tagged templates, of which
 * none reads its raw text. For one of them V8 keeps a whole file in two bytes a character: 7 MB of memory.
 */
function escapeOthers(path: string): void {
  const text = readFileSync(path, "utf8");
  writeFileSync(
    path,
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  );
}

const noticesFile = "THIRD-PARTY-NOTICES.txt";
const billFile = "sbom.cdx.json";

const common = {
  absWorkingDir: root,
  outdir: programFolder,
  bundle: true,
  platform: "node",
  target: "node24",
  conditions: ["@waymark/source", "module"],
  logLevel: "warning",
  metafile: true,
} as const satisfies BuildOptions;

if (import.meta.main) await buildProgram();
