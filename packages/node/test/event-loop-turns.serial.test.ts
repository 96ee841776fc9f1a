import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { around, GET, HttpRequest, router, text } from "waymark";
import { exchangeOf } from "waymark/internal";
import type { EventLoopTurn } from "../src/exchange/served-exchange.ts";
import { RawConnection } from "./tools/raw-connection.ts";

/** Serves an app that keeps the turn in which each request was read, as `/` sees it, and runs `work` for `/work`. */
async function withTurns(
  use: (port: number, turns: readonly EventLoopTurn[]) => Promise<void>,
  work: () => void = () => undefined,
): Promise<void> {
  const turns: EventLoopTurn[] = [];
  const keep = around((request, next) => {
    const turn = exchangeOf(request).turn;
    if (turn !== undefined) turns.push(turn);
    return next(request);
  });
  const server = await serve(
    router(
      { filters: [keep] },
      GET("/", () => text("done")),
      GET("/work", () => {
        work();
        return text("done");
      }),
    ),
  );
  try {
    await use(server.port, turns);
  } finally {
    await server.close({ grace: 0 });
  }
}

describe("the turn of a request", () => {
  it("is one for requests that are read together, and another one for those read later", () =>
    withTurns(async (port, turns) => {
      const client = new RawConnection(port);
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2));
      await client.response();
      await client.response();
      await client.request("GET /").response();
      client.destroy();
      assert.equal(turns.length, 3);
      assert.equal(turns[0], turns[1]);
      assert.notEqual(turns[1], turns[2]);
    }));

  it("says how long the turn took in which the request came", async () => {
    const milliseconds = 30;
    let other: RawConnection | undefined;
    const work = (): void => {
      other?.request("GET /");
      const end = performance.now() + milliseconds;
      while (performance.now() < end);
    };
    await withTurns(async (port, turns) => {
      other = new RawConnection(port);
      await other.request("GET /").response();
      const client = new RawConnection(port);
      await client.request("GET /work").response();
      await other.response();
      client.destroy();
      other.destroy();
      const [, working, waited] = turns;
      assert.ok(working !== undefined && waited !== undefined);
      assert.ok(waited.previous >= milliseconds);
      assert.ok(waited.began >= working.began + waited.previous);
    }, work);
  });

  it("has no turn before it when the loop was idle", () =>
    withTurns(async (port, turns) => {
      const client = new RawConnection(port);
      await client.request("GET /").response();
      // Nothing is awaited here: it is that the loop has nothing to do before the timer, also where the process is kept waiting.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await client.request("GET /").response();
      client.destroy();
      assert.equal(turns.at(-1)?.previous, 0);
    }));

  it("is not known of a request made by hand", () => {
    assert.equal(exchangeOf(HttpRequest.of()).turn, undefined);
  });
});
