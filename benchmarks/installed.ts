import { mkdtempDisposable } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { installPacked, linkPackage, packInto, tarballIn } from "../scripts/install-packed.ts";
import type { Contestant } from "./contestant.ts";

/** Servers that are installed in a folder, which is removed with them. */
export interface Installation extends AsyncDisposable {
  readonly contestants: readonly Contestant[];
}

/**
 * Installs the servers as people do, to measure how they start: the service from its packed packages, run by its command; the peers
 * as JavaScript beside their packages, since TypeScript takes Node.js 60 ms more.
 *
 * @param directory where the folder is made
 */
export async function installContestants(directory: string, peers: readonly Contestant[]): Promise<Installation> {
  const { path: folder, remove } = await mkdtempDisposable(join(directory, "person-benchmark-installed-"));
  try {
    await packInto(folder);
    await installPacked(folder, tarballIn(folder));
    await compile(peers, folder);
  } catch (error) {
    await remove();
    throw error;
  }
  const compiled = peers.map(({ name }): Contestant => {
    return { name, program: pathToFileURL(join(folder, `${name}.mjs`)), conditions: [] };
  });
  return { contestants: [installedService(folder), ...compiled], [Symbol.asyncDispose]: remove };
}

function installedService(folder: string): Contestant {
  const service = pathToFileURL(join(folder, "node_modules/@waymark/person-service/"));
  return {
    name: "ours",
    program: new URL("bin/person-service.js", service),
    conditions: [],
    options: (database) => ["--port", "0", "--database", database],
    compileCache: new URL(".compile-cache/", service),
  };
}

async function compile(peers: readonly Contestant[], folder: string): Promise<void> {
  for (const name of ["fastify", "hono", "@hono/node-server"]) await linkPackage(folder, name);
  await build({
    entryPoints: peers.map(({ program }) => fileURLToPath(program)),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "warning",
  });
}
