import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@waymark/node";
import { GET, type HttpResponse, type RouterOptions, router, text } from "waymark";
import { announce } from "./server-program.ts";

/** Serves `GET /work`, which takes 2 ms in either way below, so that 500 requests a second are the most. */
export async function serveWork(work: Work, filters: NonNullable<RouterOptions["filters"]>): Promise<void> {
  const { port } = await serve(router({ filters }, GET("/work", work)));
  announce(port);
}

type Work = () => HttpResponse | Promise<HttpResponse>;

let line: Promise<void> = Promise.resolve();

/**
 * Waits for what can be done for one request at a time, as by a database with one connection; what comes meanwhile waits in line. Who
 * has gone is worked for all the same, since the query is under way.
 */
export const waiting: Work = async () => {
  line = line.then(() => sleep(2));
  await line;
  return text("done");
};

/** Keeps the processor to itself, as what computes or reads an embedded database does. */
export const computing: Work = () => {
  const end = performance.now() + 2;
  while (performance.now() < end);
  return text("done");
};
