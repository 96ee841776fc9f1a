// Makes the program of person-service a few files of JavaScript, `packages/person-service/program`: all that it loads when it
// starts in one file and a small one that starts it, and what it loads on demand (TLS, PostgreSQL, metrics, …) in a file each. It
// starts four times as fast as from source.

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build, type Metafile } from "esbuild";
import { buildPage } from "../packages/people-page/build.ts";
import { directBuiltins, oneSharedChunk } from "./build-plugins.ts";
import { billOfMaterials, packagesIn, thirdPartyNotices } from "./third-party-notices.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** The folder of the package, with the files that the program reads. */
export const packageFolder: string = join(root, "packages/person-service");

const programFolder = join(packageFolder, "program");

/** Builds the program, and returns the path of the module that runs it. */
export async function buildProgram(): Promise<string> {
  const main = await build({
    ...program,
    plugins: [oneSharedChunk(join(root, loadedAtStart), await modulesOnDemand()), directBuiltins],
    metafile: true,
    // Of packages that are CommonJS, for what is Node's.
    banner: {
      js: `import { createRequire as toRequire } from "node:module";\nconst require = toRequire(import.meta.url);`,
    },
  });
  // Each in one file that imports nothing: inside of an executable a thread gets its program as a text.
  const threads = await build({
    ...common,
    entryPoints: ["reader-thread", "committer-thread"].map(
      (name) => `packages/collection/src/stores/sqlite/threads/${name}.ts`,
    ),
    entryNames: "[name]",
    metafile: true,
  });
  const ofPage = buildPage();
  const assets = join(packageFolder, "assets");
  rmSync(assets, { recursive: true, force: true });
  mkdirSync(assets);
  for (const [name, bytes] of ofPage.files) writeFileSync(join(assets, name), bytes);
  refuseCommonJsOnDemand(main.metafile);
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
  return join(programFolder, "main.js");
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
  format: "esm",
  target: "node24",
  conditions: ["@waymark/source", "module"],
  logLevel: "warning",
} as const satisfies BuildOptions;

const program = {
  ...common,
  entryPoints: { main: "packages/person-service/src/main.ts" },
  splitting: true,
  chunkNames: "[name]-[hash]",
} as const satisfies BuildOptions;

/** The module whose imports are what the program loads when it starts. */
const loadedAtStart = "packages/person-service/src/cli/command-line.ts";

/** Returns the paths of the modules that the program loads on demand: each is an entry point of its own. */
async function modulesOnDemand(): Promise<ReadonlySet<string>> {
  const { metafile } = await build({ ...program, write: false, metafile: true });
  const entryPoints = Object.values(metafile.outputs).flatMap(({ entryPoint }) => entryPoint ?? []);
  return new Set(entryPoints.filter((path) => path !== program.entryPoints.main).map((path) => join(root, path)));
}

/** Of a package that is CommonJS and that `import()` names, a bundle has the default export only. */
function refuseCommonJsOnDemand({ inputs, outputs }: Metafile): void {
  for (const { entryPoint = "" } of Object.values(outputs)) {
    if (inputs[entryPoint]?.format !== "cjs") continue;
    throw new Error(`${entryPoint} is CommonJS: let a module of ours import it, and load that one on demand`);
  }
}

if (import.meta.main) await buildProgram();
