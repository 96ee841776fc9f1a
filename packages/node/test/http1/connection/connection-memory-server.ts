import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { serve } from "@waymark/node";
import { text } from "../../../../waymark/src/response.ts";
import { tinyApp } from "../../../../waymark/test/tools/tiny-app.ts";

// A process of its own, so that what the clients of a test need does not count.

if (process.send !== undefined) {
  process.send(process.argv[2] === "waymark" ? await serveWaymark() : await serveNode());
  process.on("message", () => {
    for (let i = 0; i < 3; i++) globalThis.gc?.();
    // All of it: much of what Node's own HTTP has of a connection is not in the heap.
    process.send?.(process.memoryUsage.rss());
  });
  process.once("disconnect", () => process.exit());
}

async function serveWaymark(): Promise<number> {
  const { port } = await serve(
    tinyApp(() => text("small")),
    { maxConnections: 0 },
  );
  return port;
}

function serveNode(): Promise<number> {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/plain").end("small"));
  server.keepAliveTimeout = 65_000;
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)); // it listens on a port
  });
}
