// Makes person-service one file that needs no Node.js: `npm run executable`, or with a path, `npm run executable -- FILE`. It is
// the Node.js that runs this script, with the program and the files that it reads inside as a file system.

import { execFile } from "node:child_process";
import { globSync } from "node:fs";
import { copyFile, mkdir, mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { buildProgram, packageFolder } from "./build-program.ts";

/** Builds the executable at a path. */
export async function buildExecutable(output: string): Promise<void> {
  await using folder = await mkdtempDisposable(join(tmpdir(), "person-service-executable-"));
  const main = join(folder.path, "main.mjs");
  await writeFile(main, 'import "./program/main.cjs";\n');
  const configuration = join(folder.path, "sea.json");
  const files = globSync(["program/*", "assets/*", "data/*", "package.json"], { cwd: packageFolder });
  const settings = {
    main,
    mainFormat: "module",
    output,
    useVfs: true, // which lets the program find its files by their URLs, as everywhere
    disableExperimentalSEAWarning: true,
    assets: Object.fromEntries(files.map((file) => [file.replaceAll("\\", "/"), join(packageFolder, file)])),
  };
  await writeFile(configuration, JSON.stringify(settings));
  await promisify(execFile)(process.execPath, [`--build-sea=${configuration}`]);
}

if (import.meta.main) {
  const output = resolve(
    process.argv[2] ?? (process.platform === "win32" ? "dist/person-service.exe" : "dist/person-service"),
  );
  const program = dirname(await buildProgram());
  await mkdir(dirname(output), { recursive: true });
  await buildExecutable(output);
  for (const file of ["THIRD-PARTY-NOTICES.txt", "sbom.cdx.json"]) {
    await copyFile(join(program, file), join(dirname(output), file));
  }
  process.stdout.write(`${output}\n`);
}
