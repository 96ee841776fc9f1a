import assert from "node:assert/strict";
import { Agent, request as sendOverHttp } from "node:http";
import { it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type RunningServer, serve } from "@waymark/node";
import { GET, POST, router } from "waymark";
import { text } from "../../../waymark/src/response.ts";

/** A server that says whether it is ready, and does some work; `close` gives notice until the test ends it. */
async function startInstance(): Promise<Instance> {
  const app = router(
    GET("/ready", () => text(String(!server.draining))),
    GET("/work", () => text("done")),
    POST("/work", async (request) => {
      const content = await request.text();
      await eventLoopTurn();
      return text(content);
    }),
  );
  const server: RunningServer = await serve(app);
  return { server, agent: new Agent({ keepAlive: true }), inHand: 0 };
}

interface Instance {
  readonly server: RunningServer;
  readonly agent: Agent;
  /** Requests that have been sent to it and not answered. */
  inHand: number;
}

async function ask(instance: Instance, method: string, path: string, content = ""): Promise<string> {
  const { agent, server } = instance;
  instance.inHand++;
  try {
    return await new Promise((resolve, reject) => {
      const message = sendOverHttp({ agent, port: server.port, host: "127.0.0.1", method, path });
      message.once("error", reject).once("response", (response) => {
        response.toArray().then((pieces) => resolve(Buffer.concat(pieces).toString()), reject);
      });
      message.end(content);
    });
  } finally {
    instance.inHand--;
  }
}

it("a rolling restart under load fails no request", async () => {
  let current = await startInstance();
  let over = false;
  let answered = 0;
  const load = Array.from({ length: 32 }, async (_, i) => {
    while (!over) {
      const expected = i % 2 === 0 ? "done" : `content ${i}`;
      const answer = ask(current, i % 2 === 0 ? "GET" : "POST", "/work", i % 2 === 0 ? "" : expected);
      assert.equal(await answer, expected);
      answered++;
    }
  });
  const failed = Promise.all(load);
  for (let restart = 0; restart < 5; restart++) {
    const before = answered;
    const next = await startInstance();
    while (answered < before + 200) await Promise.race([eventLoopTurn(), failed]);
    const old = current;
    const closed = old.server.close({ notice: 2 ** 31 - 1 });
    // What a balancer does: it asks, sends nothing more to a server that is not ready, and the notice is over some time later.
    while ((await ask(old, "GET", "/ready")) === "true");
    current = next;
    while (old.inHand > 0) await Promise.race([eventLoopTurn(), failed]);
    await Promise.all([old.server.close({ grace: 2 ** 31 - 1 }), closed]);
    old.agent.destroy();
  }
  over = true;
  await failed;
  await current.server.close();
  current.agent.destroy();
});
