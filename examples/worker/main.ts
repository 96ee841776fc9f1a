/**
 * A Worker of Cloudflare, on workerd, its runtime, which `npm run runtimes` installs.
 *
 *   npm run example examples/worker/main.ts
 *
 *   curl -i localhost:8080/hello/Ada -H 'CF-Connecting-IP: 192.0.2.7'
 *   curl -i localhost:8080/hello/Ada -H 'CF-Connecting-IP: 192.0.2.7' -H 'Accept: text/plain'
 *   curl -i localhost:8080/hello/Ada -X DELETE -H 'CF-Connecting-IP: 192.0.2.7'
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const workerd: string = fileURLToPath(
  new URL("../../packages/waymark/test/runtimes/node_modules/.bin/workerd", import.meta.url),
);

/** Makes one module of the Worker and what it imports, in a folder, with the configuration of workerd beside it. */
export async function bundle(folder: string): Promise<void> {
  await build({
    entryPoints: [join(import.meta.dirname, "worker.ts")],
    outfile: join(folder, "worker.bundle.js"),
    bundle: true,
    format: "esm",
    target: "es2024",
    // As the rest of a checkout runs: from the source.
    conditions: ["@waymark/source"],
  });
  await copyFile(join(import.meta.dirname, "worker.capnp"), join(folder, "worker.capnp"));
}

if (import.meta.main) {
  if (!existsSync(workerd)) throw new Error("npm run runtimes installs workerd, which is not here");
  const folder = await mkdtemp(join(tmpdir(), "worker-"));
  await bundle(folder);
  const running = spawn(workerd, ["serve", "worker.capnp"], { cwd: folder, stdio: "inherit" });
  process.once("SIGINT", () => running.kill());
  running.once("exit", () => rm(folder, { recursive: true }));
  process.stdout.write("Listening on http://127.0.0.1:8080\n");
}
