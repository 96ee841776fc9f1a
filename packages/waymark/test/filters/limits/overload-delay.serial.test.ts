import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { GET, router, text } from "waymark";
import { overload } from "waymark/filters";
import { RawConnection } from "../../../../node/test/tools/raw-connection.ts";

describe("overload by delay (over a socket)", () => {
  it("refuses what comes in turns that are too long, but for health checks, and nothing once there is less", async () => {
    const app = router(
      { filters: [overload({ maxDelay: 5, except: ({ path }) => path === "/health" })] },
      GET("/work", () => {
        computeFor(2);
        return text("done");
      }),
      GET("/health", () => text("well")),
    );
    const server = await serve(app);
    try {
      let busy = true;
      const statuses = new Set<number>();
      const clients = Array.from({ length: 20 }, async () => {
        const client = new RawConnection(server.port);
        while (busy) statuses.add((await client.request("GET /work").response()).status);
        client.destroy();
      });
      const observer = new RawConnection(server.port);
      while (!statuses.has(503)) assert.equal((await observer.request("GET /health").response()).status, 200);
      busy = false;
      await Promise.all(clients);
      assert.deepEqual(statuses, new Set([200, 503]));
      // Another program may make a turn long, once.
      for (let answered = 0; answered < 10; ) {
        answered = (await observer.request("GET /work").response()).status === 200 ? answered + 1 : 0;
      }
      observer.destroy();
    } finally {
      await server.close({ grace: 0 });
    }
  });
});

function computeFor(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}
