import { setTimeout as sleep } from "node:timers/promises";
import { GET, type RouterOptions, router, text } from "waymark";
import { serve } from "waymark/node";
import { announce } from "./server-program.ts";

/**
 * Serves what can be done for one request at a time, as by a database with one connection: `GET /work` takes 2 ms, and what comes
 * meanwhile waits in line. Who has gone is worked for all the same, since the query is under way.
 */
export async function serveWork(filters: NonNullable<RouterOptions["filters"]>): Promise<void> {
  let line: Promise<void> = Promise.resolve();
  const work = (): Promise<void> => sleep(2);
  const app = router(
    { filters },
    GET("/work", async () => {
      line = line.then(work);
      await line;
      return text("done");
    }),
  );
  const { port } = await serve(app);
  announce(port);
}
