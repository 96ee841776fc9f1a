import assert from "node:assert/strict";
import diagnosticsChannel from "node:diagnostics_channel";
import { afterEach, describe, it } from "node:test";
import { observeRequests, type RunningServer, type ServeOptions, serve } from "@waymark/node";
import { type App, empty, GET, type HttpRequest, type HttpResponse, POST, repeatable, router, text } from "waymark";
import { nameRequests, rateLimit } from "waymark/filters";
import type { RawResponse } from "../tools/raw-connection.ts";
import { Http2Client } from "./http2-client.ts";
import { tls } from "./http2-frames.ts";

const opened: { readonly server: RunningServer; readonly client: Http2Client }[] = [];

afterEach(async () => {
  for (const { server, client } of opened.splice(0)) {
    client.destroy();
    await server.close({ grace: 0 });
  }
});

/** Serves the app over HTTP/2 with a memory. */
async function connectTo(app: App, options: ServeOptions = {}): Promise<Http2Client> {
  const server = await serve(app, { tls, answerMemory: 2 ** 20, warn: () => undefined, ...options });
  const client = new Http2Client(server.port);
  opened.push({ server, client });
  return client;
}

const source = { changes: 0, revision: () => source.changes };

/** Returns a handler that answers with the number of its call. */
function counting(): (request: HttpRequest) => HttpResponse {
  let calls = 0;
  return (request) => {
    repeatable(request, source);
    return text(`call ${++calls}, ü€😀`);
  };
}

async function ask(client: Http2Client, times: number, line = "GET /", ...fields: readonly string[]) {
  const answers: RawResponse[] = [];
  for (let time = 0; time < times; time++) answers.push(await client.ask(line, fields));
  return answers;
}

const callsOf = (answers: readonly RawResponse[]): readonly number[] =>
  answers.map(({ body }) => Number(/^call (\d+)/.exec(body)?.[1]));

describe("an answer from memory over HTTP/2", () => {
  it("is made until its head has come twice, and again after each change", async () => {
    const client = await connectTo(router(GET("/", counting())));
    const answers = await ask(client, 5);
    assert.deepEqual(callsOf(answers), [1, 2, 2, 2, 2]);
    const [, made, kept] = answers.map(({ head }) => head.replace(/date: .*/, "date"));
    assert.equal(kept, made);
    assert.equal(answers[2]?.body, answers[1]?.body);
    source.changes++;
    assert.deepEqual(callsOf(await ask(client, 4)), [3, 4, 4, 4]);
  });

  it("is one for each target and method, and for each value of what was asked of the head", async () => {
    const handler = counting();
    const client = await connectTo(
      router(
        GET("/", (request) => {
          request.header("Accept");
          return handler(request);
        }),
      ),
    );
    const heads = [["GET /"], ["GET /?a=1"], ["HEAD /"], ["GET /", "accept: text/plain"]] as const;
    const seen = new Set<string>();
    for (const [line, ...fields] of heads) {
      const [, made, ...kept] = await ask(client, 4, line, ...fields);
      for (const { head, body } of kept) {
        assert.deepEqual([head.replace(/date.*/, ""), body], [made?.head.replace(/date.*/, ""), made?.body]);
      }
      seen.add(`${line} ${made?.body}`);
    }
    assert.equal(seen.size, heads.length);
  });

  it("may be a 304, which has no content", async () => {
    let calls = 0;
    const client = await connectTo(
      router(
        GET("/", (request) => {
          calls++;
          repeatable(request);
          return empty(304).withHeader("ETag", '"1"');
        }),
      ),
    );
    for (const { status, headers, body } of await ask(client, 6)) {
      assert.deepEqual([status, headers["etag"], body], [304, '"1"', ""]);
    }
    assert.equal(calls, 2);
  });

  it("knows what was changed before it was asked for, among other requests", async () => {
    let changes = 0;
    const counter = { revision: () => changes };
    const client = await connectTo(
      router(
        GET("/", (request) => {
          repeatable(request, counter);
          return text(`${changes}`);
        }),
        POST("/", async (request) => {
          await request.text();
          changes++;
          return text("changed");
        }),
      ),
    );
    await ask(client, 3);
    for (let round = 1; round <= 20; round++) {
      const others = Array.from({ length: 5 }, () => client.ask("GET /"));
      await client.ask("POST /", [], "x");
      const after = await Promise.all(Array.from({ length: 5 }, () => client.ask("GET /")));
      for (const { body } of after) assert.equal(body, `${round}`);
      for (const { body } of await Promise.all(others)) assert([`${round - 1}`, `${round}`].includes(body), body);
    }
  });

  it("asks its source once for what was read at once", async () => {
    let asked = 0;
    const counted = { revision: () => ++asked && 0 };
    const client = await connectTo(
      router(
        GET("/", (request) => {
          repeatable(request, counted);
          return text("kept");
        }),
      ),
    );
    await ask(client, 2);
    const before = asked;
    await Promise.all(Array.from({ length: 20 }, () => client.ask("GET /")));
    assert.equal(asked - before, 1);
    await ask(client, 3);
    assert.equal(asked - before, 4);
  });

  it("does not answer requests with content, with another method, or while somebody observes requests", async () => {
    const handler = counting();
    const client = await connectTo(router(GET("/", handler), POST("/", handler)));
    for (let call = 1; call <= 4; call++) assert.deepEqual(callsOf([await client.ask("GET /", [], "x")]), [call]);
    assert.deepEqual(callsOf(await ask(client, 4, "POST /")), [5, 6, 7, 8]);
    await ask(client, 2);
    let ended = 0;
    const onEnd = (): void => {
      ended++;
    };
    diagnosticsChannel.subscribe(observeRequests.channels.end, onEnd);
    try {
      assert.deepEqual(callsOf(await ask(client, 2)), [11, 12]);
    } finally {
      diagnosticsChannel.unsubscribe(observeRequests.channels.end, onEnd);
    }
    assert.equal(ended, 2);
    assert.deepEqual(callsOf(await ask(client, 1)), [10]);
  });

  it("is reported, and counted for the client that a trusted proxy names", async () => {
    const reports: string[] = [];
    const observer = observeRequests({
      onEnd: () => undefined,
      onRepeat: () => (repeated) => {
        assert(repeated.isSent && repeated.duration > 0);
        reports.push(`${repeated.address} ${repeated.renewed("X-Request-Id")} ${repeated.renewed("RateLimit")}`);
      },
    });
    const filters = [observer, nameRequests(), rateLimit({ limit: 4, window: 3600 })];
    const client = await connectTo(router({ filters }, GET("/", counting())), { trustProxy: ["127.0.0.1"] });
    const expected: string[] = [];
    for (const address of ["192.0.2.1", "192.0.2.2"]) {
      const answers = await ask(client, 5, "GET /", `x-forwarded-for: ${address}`);
      assert.deepEqual(
        answers.map(({ status, headers }) => [status, headers["ratelimit"]?.slice(0, 13)]),
        [3, 2, 1, 0, 0].map((left, i) => [i < 4 ? 200 : 429, `"default";r=${left}`]),
      );
      // What was made for the first address comes to the second from memory.
      for (const { headers } of answers.slice(address === "192.0.2.1" ? 2 : 0, 4)) {
        expected.push(`${address} ${headers["x-request-id"]} ${headers["ratelimit"]}`);
      }
    }
    assert.deepEqual(reports, expected);
  });
});
