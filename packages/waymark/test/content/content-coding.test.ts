import assert from "node:assert/strict";
import { Agent, request as sendOverHttp } from "node:http";
import type { Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { describe, it } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { nodeCodings, serve } from "@waymark/node";
import { type App, json, POST, router, text } from "waymark";
import { compress } from "waymark/filters";

interface Answer {
  readonly status: number;
  readonly bytes: Buffer;
  /** The same for answers that came over one connection. */
  readonly connection: number;
}

type Send = (path: string, body: Uint8Array<ArrayBuffer>) => Promise<Answer>;

const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip", "Accept-Encoding": "gzip" };

const transports: Readonly<Record<string, (app: App, use: (send: Send) => Promise<void>) => Promise<void>>> = {
  async "in memory"(app, use) {
    await use(async (path, body) => {
      const response = await app.fetch(new Request(`http://localhost${path}`, { method: "POST", headers, body }));
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), connection: 0 };
    });
  },
  async "over a socket"(app, use) {
    const server = await serve(app);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      await use(
        (path, body) =>
          new Promise((resolve, reject) => {
            const message = sendOverHttp({
              port: server.port,
              host: "127.0.0.1",
              method: "POST",
              path,
              headers,
              agent,
            });
            message.once("error", reject);
            message.once("response", (response) => {
              const { statusCode: status = 0, socket } = response;
              const connection = (socket as Socket).localPort ?? 0; // it is open
              buffer(response).then((bytes) => resolve({ status, bytes, connection }), reject);
            });
            message.end(body);
          }),
      );
    } finally {
      agent.destroy();
      await server.close({ grace: 0 });
    }
  },
};

const app = router(
  { codings: nodeCodings, contentLimit: 100_000, filters: [compress({ codings: nodeCodings })] },
  POST("/text", async (request) => text(await request.text())),
  POST("/size", async (request) => {
    let size = 0;
    for await (const piece of request.stream()) size += piece.length;
    return json(size);
  }),
);

for (const [transport, run] of Object.entries(transports)) {
  describe(`a content coding (${transport})`, () => {
    it("is undone in a request and done in the response", () =>
      run(app, async (send) => {
        const content = "The same again, and a ß. ".repeat(2000);
        const { status, bytes } = await send("/text", gzipSync(content));
        assert.equal(status, 200);
        assert.equal(gunzipSync(bytes).toString(), content);
        assert.equal((await send("/size", gzipSync(content))).bytes.toString(), "52000");
      }));

    for (const path of ["/text", "/size"]) {
      it(`that is malformed, or becomes too long, costs ${path} neither process nor connection`, () =>
        run(app, async (send) => {
          const good = gzipSync("Ada");
          const first = await send(path, good);
          // Longer than what Node reads ahead, and wrong from its first byte.
          const noise = Buffer.alloc(90_000, "no gzip ");
          assert.equal((await send(path, noise)).status, 400);
          assert.equal((await send(path, gzipSync(Buffer.alloc(10_000_000)))).status, 413);
          assert.equal((await send(path, good.subarray(0, -2))).status, 400);
          const last = await send(path, good);
          assert.deepEqual([last.status, last.connection], [200, first.connection]);
        }));
    }
  });
}
