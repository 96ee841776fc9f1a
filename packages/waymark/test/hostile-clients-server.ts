import { existsSync, readdirSync } from "node:fs";
import { GET, HttpResponse, POST, router, text } from "../src/index.ts";
import { serve } from "../src/node/index.ts";

// A process of its own, so that what the clients of a test need is not taken for the server's.

/** What the server says of itself when it is asked. */
export interface Usage {
  readonly descriptors: number;
  /** Bytes, after a collection of garbage. */
  readonly memory: number;
}

/** How long the answer to GET /large is: more than the system takes for a client that does not read. */
export const largeLength: number = 12_000_000;

// Bytes, which are not copied for each client.
const large = new Uint8Array(largeLength);
const app = router(
  GET("/small", () => text("small")),
  GET("/large", () => new HttpResponse(200, {}, large)),
  POST("/content", async (request) => text(await request.text())),
);

if (process.send !== undefined) {
  const server = await serve(app, JSON.parse(process.argv[2] ?? "{}"));
  process.send(server.port);
  process.on("message", () => {
    globalThis.gc?.();
    const usage: Usage = { descriptors: countDescriptors(), memory: process.memoryUsage().heapUsed };
    process.send?.(usage);
  });
  process.once("disconnect", () => process.exit());
}

function countDescriptors(): number {
  const folder = "/proc/self/fd";
  return existsSync(folder) ? readdirSync(folder).length : process.getActiveResourcesInfo().length;
}
