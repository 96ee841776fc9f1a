import { execFile } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { openPersonService } from "@waymark/person-service";
import type { Folder } from "../packages/waymark/test/tools/folder.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

/** Writes `api.d.ts`, the types of the service's document, into a folder that finds the packages. */
export async function writeServiceTypes(folder: Folder): Promise<void> {
  const { app, database } = await openPersonService({ database: ":memory:" });
  const document = await (await app.fetch(new Request("http://localhost/openapi.json"))).text();
  await database.close();
  await symlink(join(root, "node_modules"), folder.path("node_modules"));
  folder.write("package.json", { type: "module" });
  folder.write("openapi.json", document);
  // The generator is in a workspace of its own, with the TypeScript that it needs.
  const generator = join(root, "scripts/node_modules/openapi-typescript/bin/cli.js");
  await run(process.execPath, [generator, "openapi.json", "--output", "api.d.ts"], { cwd: folder.root });
}

/** Returns what the compiler prints of files in such a folder. */
export async function compile(folder: Folder, ...files: readonly string[]): Promise<string> {
  const strict = [
    "--ignoreConfig",
    "--noEmit",
    "--strict",
    "--exactOptionalPropertyTypes",
    "--noUncheckedIndexedAccess",
  ];
  const modules = ["--skipLibCheck", "--allowImportingTsExtensions", "--module", "nodenext", "--target", "es2024"];
  const types = ["--lib", "es2024,dom,dom.iterable,dom.asynciterable", "--types", "node"];
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, ...strict, ...modules, ...types, ...files];
  const { stdout } = await run(process.execPath, args, { cwd: folder.root }).catch((error) => error);
  return stdout;
}
