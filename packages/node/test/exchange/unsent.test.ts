import assert from "node:assert/strict";
import { once } from "node:events";
import { afterEach, describe, it } from "node:test";
import { type RunningServer, type ServeOptions, serve } from "@waymark/node";
import type { HttpRequest } from "../../../waymark/src/request.ts";
import { HttpResponse } from "../../../waymark/src/response.ts";
import { type TinyHandler, tinyApp } from "../../../waymark/test/tools/tiny-app.ts";
import { RawConnection } from "../tools/raw-connection.ts";

const opened: { readonly server: RunningServer; readonly clients: RawConnection[] }[] = [];
afterEach(async () => {
  for (const { server, clients } of opened.splice(0)) {
    for (const client of clients) client.destroy();
    await server.close({ grace: 0 });
  }
});

async function served(options: ServeOptions, handler: TinyHandler) {
  const server = await serve(tinyApp(handler), options);
  const clients: RawConnection[] = [];
  opened.push({ server, clients });
  const connect = (): RawConnection => {
    const client = new RawConnection(server.port);
    clients.push(client);
    return client;
  };
  return { server, connect };
}

/** More than the system takes for a client that does not read. */
const long = 20_000_000;

/** Asks, and takes nothing of the answer. */
function askAndStall(client: RawConnection): void {
  client.socket.pause();
  client.request("GET /");
}

describe("responses that wait for their clients", () => {
  it("are given up when there are too many, beginning with the client that has taken nothing for longest", async () => {
    const gone: string[] = [];
    const firstGone = Promise.withResolvers<void>();
    const { connect } = await served({ contentMemory: 1.5 * long }, (request) => {
      request.signal.addEventListener("abort", () => {
        gone.push(request.header("X-Name") ?? "");
        firstGone.resolve();
      });
      return new HttpResponse(200, {}, new Uint8Array(long));
    });
    const stalled = connect();
    stalled.socket.pause();
    stalled.request("GET /", "X-Name: stalled");
    await once(stalled.socket, "readable");
    const reading = connect().request("GET /", "X-Name: reading");
    await firstGone.promise;
    assert.equal((await reading.response()).body.length, long);
    assert.deepEqual(gone, ["stalled"]);
  });

  it("are let go of when their request is abandoned, which cuts off no client that has taken all", async () => {
    const asked: HttpRequest[] = [];
    const { connect } = await served({ contentMemory: 1.5 * long }, (request) => {
      asked.push(request);
      return new HttpResponse(200, {}, request.path === "/long" ? new Uint8Array(long) : "short");
    });
    const patient = connect();
    await patient.request("GET /").response();
    const stalled = connect();
    stalled.socket.pause();
    stalled.request("GET /long");
    await once(stalled.socket, "readable");
    for (const request of asked) request.abandon();
    stalled.socket.resume();
    await assert.rejects(stalled.response(), /The connection closed/);
    assert.equal((await patient.request("GET /").response()).body, "short");
  });

  it("count once where they are the same bytes", async () => {
    const bytes = new Uint8Array(long);
    const { connect } = await served({ contentMemory: 1.5 * long }, () => new HttpResponse(200, {}, bytes));
    const clients = Array.from({ length: 4 }, connect);
    for (const client of clients) {
      askAndStall(client);
      await once(client.socket, "readable");
    }
    for (const client of clients) {
      client.socket.resume();
      assert.equal((await client.response()).body.length, long);
    }
  });

  it("count as the part of a larger array that they are", async () => {
    const bytes = new Uint8Array(2 * long);
    const { connect } = await served(
      { contentMemory: 1.5 * long },
      () => new HttpResponse(200, {}, bytes.subarray(0, 100_000)),
    );
    assert.equal((await connect().request("GET /").response()).body.length, 100_000);
  });
});
