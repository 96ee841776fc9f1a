import { mkdtempDisposable } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { installPacked, linkPackage, packInto, tarballIn } from "../scripts/install-packed.ts";
import { serverProgram } from "./server-process.ts";

/** A server as people have it. */
export interface Installed {
  readonly name: string;
  readonly program: URL;
  readonly args: (database: string) => readonly string[];
}

/** Servers that are installed in a folder, which is removed with them. */
export interface Installation extends AsyncDisposable {
  readonly servers: readonly Installed[];
}

/**
 * Installs the servers as people do, to measure how they start: the service from its packed packages, run by its command; the peers
 * as JavaScript beside their packages, since TypeScript takes Node.js 60 ms more.
 *
 * @param directory where the folder is made
 */
export async function installServers(directory: string, peers: readonly string[]): Promise<Installation> {
  const { path: folder, remove } = await mkdtempDisposable(join(directory, "person-benchmark-installed-"));
  try {
    await packInto(folder);
    await installPacked(folder, tarballIn(folder));
    await compile(peers, folder);
  } catch (error) {
    await remove();
    throw error;
  }
  const service: Installed = {
    name: "ours",
    program: pathToFileURL(join(folder, "node_modules/@waymark/person-service/bin/person-service.js")),
    args: (database) => ["--port", "0", "--database", database],
  };
  const compiled = peers.map((name): Installed => {
    return { name, program: pathToFileURL(join(folder, `${name}.mjs`)), args: (database) => [database] };
  });
  return { servers: [service, ...compiled], [Symbol.asyncDispose]: remove };
}

async function compile(peers: readonly string[], folder: string): Promise<void> {
  for (const name of ["fastify", "hono", "@hono/node-server"]) await linkPackage(folder, name);
  await build({
    entryPoints: peers.map((name) => fileURLToPath(serverProgram(name))),
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
