import assert from "node:assert/strict";
import type { Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type RunningServer, serve } from "@waymark/node";
import { text } from "../../../waymark/src/response.ts";
import { tinyApp } from "../../../waymark/test/tools/tiny-app.ts";
import { frame, frames, received, speak, speakPlainly, tls } from "../http2/http2-frames.ts";
import { RawConnection } from "../tools/raw-connection.ts";
import { isInstalled, proxyKinds, type RunningProxy, startProxy } from "./proxies.ts";
import { hiddenTarget, http2Smuggling, smuggling } from "./smuggling.ts";

let seen: string[] = [];
const app = tinyApp(async (request) => {
  seen.push(request.path);
  if (request.path !== "/unread") await request.bytes();
  return text(request.path);
});
let server: RunningServer;
before(async () => {
  server = await serve(app);
});
after(() => server.close({ grace: 0 }));

/** The last request of a client that has nothing to hide. */
const last = "GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

describe("a request that hides another", () => {
  for (const { what, bytes, status } of smuggling) {
    it(`by ${what} is answered with ${status}, and the other is not`, async () => {
      seen = [];
      const client = new RawConnection(server.port).send(bytes + last);
      const { status: first, headers } = await client.response();
      assert.equal(first, status);
      if (status === 200) assert.equal((await client.response()).body, "/last");
      else assert.equal(headers["connection"], "close");
      assert.equal(await client.rest(), "");
      assert.equal(await client.closed, "ended");
      assert.ok(!seen.includes(hiddenTarget), `the server has seen ${seen}`);
    });
  }
});

describe("a request of HTTP/2 that hides another", () => {
  for (const { what, frames: sent } of http2Smuggling) {
    it(`by ${what} does not get the other answered`, async () => {
      seen = [];
      await using secure = await serveSecurely();
      await answersToFrames(speak(secure.port, ...sent, goAway));
      assert.ok(!seen.includes(hiddenTarget), `the server has seen ${seen}`);
    });
  }
});

async function serveSecurely(): Promise<AsyncDisposable & { readonly port: number }> {
  const secure = await serve(app, { tls });
  return { port: secure.port, [Symbol.asyncDispose]: () => secure.close({ grace: 0 }) };
}

const goAway = frame(frames.goaway, 0, Buffer.alloc(8), 0);

/** Waits for the answer to the stream, or the end of the connection. */
async function answersToFrames(socket: Socket): Promise<void> {
  for await (const { type, stream } of received(socket)) {
    if (stream === 1 && (type === frames.rstStream || type === frames.headers)) break;
  }
  socket.destroy();
}

for (const kind of proxyKinds) {
  const skip = !isInstalled(kind) && `there is no ${kind.name} on this machine`;
  describe(`behind ${kind.name}, a request that hides another`, { skip }, () => {
    let proxy: RunningProxy;
    before(async () => {
      proxy = await startProxy(kind, server.port);
    });
    after(() => proxy[Symbol.asyncDispose]());

    /**
     * Requires that another client gets its own answer, over the connection that the proxy has kept, and that the server has
     * seen no request but those that the proxy meant. It may mean more than one: it takes messages that the server refuses.
     */
    async function isUnharmed(number: number): Promise<void> {
      const target = `/other/${number}`;
      const other = new RawConnection(proxy.port).request(`GET ${target}`, "Connection: close");
      const { status, body } = await other.response();
      assert.deepEqual([status, body], [200, target]);
      other.destroy();
      let meant: readonly string[] = [];
      while (!meant.includes(target)) {
        await eventLoopTurn();
        meant = proxy.paths();
      }
      for (const path of seen) {
        const at = meant.lastIndexOf(path);
        assert.ok(at > meant.lastIndexOf(`/other/${number - 1}`), `the server has seen ${path}: ${meant.slice(-5)}`);
      }
    }

    for (const [i, { what, bytes }] of smuggling.entries()) {
      it(`by ${what} does not let it reach the server`, async () => {
        seen = [];
        const client = new RawConnection(proxy.port).send(bytes + last);
        client.socket.end();
        await client.closed;
        await isUnharmed(i);
      });
    }

    for (const [i, { what, frames: sent }] of http2Smuggling.entries()) {
      it(`by ${what} does not let it reach the server`, async () => {
        seen = [];
        await answersToFrames(speakPlainly(proxy.http2Port, ...sent));
        await isUnharmed(smuggling.length + i);
        assert.ok(!seen.includes(hiddenTarget), `the server has seen ${seen}`);
      });
    }
  });
}
