import { existsSync, readdirSync } from "node:fs";
import { serve } from "@waymark/node";
import { content, GET, HttpResponse, POST, route, router, text } from "waymark";
import { tls } from "../http2/http2-frames.ts";

// A process of its own, so that what the clients of a test need is not taken for the server's.

/** What the server says of itself when it is asked. */
export interface Usage {
  readonly descriptors: number;
  /** Bytes, after a collection of garbage. */
  readonly memory: number;
  /** Likewise, with what lies outside of the heap: buffers, and what Node holds for connections and sessions. */
  readonly held: number;
}

/** How long the answer to GET /large is: more than the system takes for a client that does not read. */
export const largeLength: number = 12_000_000;

/** How long the answer to GET /page is, which is made for each request. */
export const pageLength: number = 100_000;

/** How long the answer to GET /short is, which is handed to Node at once. */
export const shortLength: number = 16_384;

// Bytes, which are not copied for each client.
const large = new Uint8Array(largeLength);
function* endless(): Generator<Uint8Array> {
  for (;;) yield new Uint8Array(16_384);
}

const app = router(
  GET("/small", () => text("small")),
  GET("/large", () => new HttpResponse(200, {}, large)),
  GET("/endless", () => content("text/plain", endless())),
  GET("/page", () => text("x".repeat(pageLength))),
  GET("/short", () => new HttpResponse(200, {}, new Uint8Array(shortLength))),
  route("/never", () => new Promise<HttpResponse>(() => undefined)),
  POST("/content", async (request) => text(await request.text())),
);

if (process.send !== undefined) {
  const { withTls, ...options } = JSON.parse(process.argv[2] ?? "{}");
  const server = await serve(app, withTls === true ? { ...options, tls } : options);
  process.send(server.port);
  process.on("message", () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    const usage: Usage = { descriptors: countDescriptors(), memory: heapUsed, held: heapUsed + external };
    process.send?.(usage);
  });
  process.once("disconnect", () => process.exit());
}

function countDescriptors(): number {
  const folder = "/proc/self/fd";
  return existsSync(folder) ? readdirSync(folder).length : process.getActiveResourcesInfo().length;
}
