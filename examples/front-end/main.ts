/**
 * A page of its own origin that calls the person-service by openapi-fetch, with the types of the service.
 *
 *   npm run example examples/front-end/main.ts
 *
 * Then open http://127.0.0.1:8081 in a browser: a name that the rules refuse is refused with the service's own words.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type RunningServer, serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { build } from "esbuild";
import { content, GET, router } from "waymark";

const folder = import.meta.dirname;

/** Serves the page. */
export async function servePage(port: number): Promise<RunningServer> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, "page.ts")],
    bundle: true,
    write: false,
    format: "esm",
    target: "es2022",
  });
  const [script] = outputFiles;
  const page = await readFile(join(folder, "index.html"));
  const site = router(
    GET("/", () => content("text/html; charset=utf-8", page)),
    GET("/page.js", () => content("text/javascript; charset=utf-8", script?.contents ?? "")),
  );
  return serve(site, { port });
}

/** Starts the service, in memory; only pages of one origin may call it. */
export async function startService(port: number, origin: string): Promise<RunningServer & { stop(): Promise<void> }> {
  const { app, database } = await openPersonService({ database: ":memory:", cors: { origins: [origin] } });
  const server = await serve(app, { port });
  const stop = async (): Promise<void> => {
    await server.close({ grace: 0 });
    await database.close();
  };
  return { ...server, stop };
}

if (import.meta.main) {
  const page = await servePage(8081);
  const service = await startService(8080, page.url);
  process.stdout.write(`Listening on ${page.url}, with the service at ${service.url}\n`);
}
