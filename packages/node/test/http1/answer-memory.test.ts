import assert from "node:assert/strict";
import diagnosticsChannel from "node:diagnostics_channel";
import { afterEach, describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { nodeCodings, observeRequests, type RunningServer, type ServeOptions, serve } from "@waymark/node";
import {
  type AnswerSource,
  type App,
  after,
  around,
  before,
  content,
  empty,
  GET,
  group,
  type HttpRequest,
  type HttpResponse,
  onError,
  POST,
  type RouterOptions,
  repeatable,
  router,
  text,
  when,
} from "waymark";
import { compress, nameRequests, overload, rateLimit, securityHeaders } from "waymark/filters";
import { type RawConnection as Connection, RawConnection, type RawResponse } from "../tools/raw-connection.ts";

const opened: { readonly server: RunningServer; readonly connections: Connection[] }[] = [];

afterEach(async () => {
  for (const { server, connections } of opened.splice(0)) {
    for (const connection of connections) connection.destroy();
    await server.close({ grace: 0 });
  }
});

/** Serves the app with a memory. */
async function connectTo(app: App, options: ServeOptions = {}): Promise<() => RawConnection> {
  const server = await serve(app, { answerMemory: 2 ** 20, warn: () => undefined, ...options });
  const connections: RawConnection[] = [];
  opened.push({ server, connections });
  return () => {
    const connection = new RawConnection(server.port);
    connections.push(connection);
    return connection;
  };
}

/** A source whose revision is a number that a test changes, and how often it was asked. */
function changing(): AnswerSource & { changes: number | undefined } {
  const source = { changes: 0 as number | undefined, revision: () => source.changes };
  return source;
}

/** A handler that answers with the number of its call. */
function counting(source: AnswerSource = changing()): {
  calls: number;
  handler: (request: HttpRequest) => HttpResponse;
} {
  const counted = {
    calls: 0,
    handler: (request: HttpRequest) => {
      repeatable(request, source);
      return text(`call ${++counted.calls}`);
    },
  };
  return counted;
}

/** Sends the same head several times, one after the other; returns the answers. */
async function ask(
  connection: RawConnection,
  times: number,
  line = "GET /",
  ...fields: readonly string[]
): Promise<readonly RawResponse[]> {
  const answers: RawResponse[] = [];
  for (let time = 0; time < times; time++) {
    connection.request(line, ...fields);
    answers.push(await connection.response(line.startsWith("HEAD") ? "HEAD" : "GET"));
  }
  return answers;
}

const bodies = (answers: readonly RawResponse[]): readonly string[] => answers.map(({ body }) => body);

/** So often a head comes until its answer is kept. */
const untilKept = 2;

describe("an answer that is repeatable", () => {
  it("is made until its head has come again, and then sent from memory", async () => {
    const { handler } = counting();
    const connect = await connectTo(router(GET("/", handler)));
    const answers = await ask(connect(), 6);
    assert.deepEqual(bodies(answers), ["call 1", "call 2", "call 2", "call 2", "call 2", "call 2"]);
    const [made, , kept] = answers.map(({ head }) => head.replace(/Date: .*/, "Date"));
    assert.equal(kept, made);
  });

  it("is kept for all connections", async () => {
    const counted = counting();
    const connect = await connectTo(router(GET("/", counted.handler)));
    await ask(connect(), untilKept);
    for (let i = 0; i < 3; i++) assert.deepEqual(bodies(await ask(connect(), 2)), ["call 2", "call 2"]);
    assert.equal(counted.calls, 2);
  });

  it("is made again after each change, and kept when its head has come twice since", async () => {
    const source = changing();
    const { handler } = counting(source);
    const connection = (await connectTo(router(GET("/", handler))))();
    await ask(connection, untilKept);
    source.changes = 1;
    assert.deepEqual(bodies(await ask(connection, 4)), ["call 3", "call 4", "call 4", "call 4"]);
    source.changes = 2;
    assert.deepEqual(bodies(await ask(connection, 1)), ["call 5"]);
    source.changes = 3;
    assert.deepEqual(bodies(await ask(connection, 3)), ["call 6", "call 7", "call 7"]);
  });

  it("is made while a source does not know its revision", async () => {
    const source = changing();
    const counted = counting(source);
    const connection = (await connectTo(router(GET("/", counted.handler))))();
    await ask(connection, untilKept + 1);
    source.changes = undefined;
    await ask(connection, 5);
    assert.equal(counted.calls, 7);
    source.changes = 0;
    assert.deepEqual(bodies(await ask(connection, 3)), ["call 8", "call 9", "call 9"]);
  });

  it("depends on every source that a handler or a filter names", async () => {
    const [rules, people] = [changing(), changing()];
    const { handler } = counting(people);
    const guard = before(
      (request) => {
        repeatable.dependsOn(request, rules);
        return request;
      },
      { repeatable: true },
    );
    const connection = (await connectTo(router(group(guard, GET("/", handler)))))();
    await ask(connection, untilKept);
    rules.changes = 1;
    assert.deepEqual(bodies(await ask(connection, 3)), ["call 3", "call 4", "call 4"]);
    people.changes = 1;
    assert.deepEqual(bodies(await ask(connection, 1)), ["call 5"]);
  });

  it("is asked for once for each head that arrives behind another, since a change may have come between", async () => {
    let asked = 0;
    const source = { revision: () => ++asked && 1 };
    const counted = counting(source);
    const connection = (await connectTo(router(GET("/", counted.handler))))();
    await ask(connection, untilKept + 1);
    for (const count of [2, 5, 90]) {
      asked = 0;
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(count));
      for (let i = 0; i < count; i++) assert.equal((await connection.response()).body, "call 2");
      assert.equal(asked, count);
    }
  });

  it("is asked for once for all heads that are read together", async () => {
    let asked = 0;
    const counted = counting({ revision: () => ++asked && 1 });
    const connect = await connectTo(router(GET("/", counted.handler)));
    const connections = Array.from({ length: 40 }, connect);
    for (const connection of connections) await ask(connection, untilKept + 1);
    asked = 0;
    // They arrive while this turn of the event loop goes on, which is that of the server, too.
    for (const connection of connections) connection.request("GET /");
    for (const connection of connections) assert.equal((await connection.response()).body, "call 2");
    assert(asked > 0 && asked < 20, `${asked} times`);
  });

  it("is one for each target and method, and for each value of what was asked of the head", async () => {
    const counted = counting();
    const handler = (request: HttpRequest): HttpResponse => {
      request.header("Accept");
      return counted.handler(request);
    };
    const connection = (await connectTo(router(GET("/", handler))))();
    const heads = [
      ["GET /"],
      ["GET /?a=1"],
      ["HEAD /"],
      ["GET /", "Accept: text/plain"],
      ["GET /", "Accept:"],
    ] as const;
    const answers = new Set<string>();
    for (const [line, ...fields] of heads) {
      await ask(connection, untilKept, line, ...fields);
      const { calls } = counted;
      const [answer] = await ask(connection, 2, line, ...fields);
      assert.equal(counted.calls, calls, line);
      answers.add(`${answer?.headers["content-length"]} ${answer?.body}`);
    }
    assert.equal(answers.size, heads.length);
  });

  it("is the same for all clients that differ in what nobody asked for", async () => {
    const counted = counting();
    const connect = await connectTo(router(GET("/", counted.handler)), { trustProxy: ["127.0.0.1"] });
    const connection = connect();
    for (let i = 0; i < 1_000; i++) {
      const fields = [
        `Cookie: session=${i}`,
        `User-Agent: agent/${i}`,
        `X-Forwarded-For: 192.0.2.${i % 256}`,
        `X: ${i}`,
      ];
      await ask(connection, 1, "GET /", ...fields);
    }
    assert.equal(counted.calls, untilKept);
  });

  it("is made for a head that breaks HTTP, whatever else is in memory", async () => {
    const connect = await connectTo(router(GET("/", counting().handler)));
    await ask(connect(), untilKept + 1);
    for (const field of ["Host: other", "Content-Length: a", `X: ${"y".repeat(17_000)}`, "X: \u0001", "X : y"]) {
      const [answer] = await ask(connect(), 1, "GET /", field);
      assert.match(`${answer?.status}`, /^4/, field);
    }
  });

  it("may be a 304, a HEAD, coded content, or text beyond ASCII", async () => {
    const long = "ü€😀 ".repeat(400);
    let calls = 0;
    const pages = (request: HttpRequest): HttpResponse => {
      calls++;
      repeatable(request);
      return request.header("If-None-Match") === '"1"' ? empty(304).withHeader("ETag", '"1"') : text(long);
    };
    const connection = (await connectTo(router({ filters: [compress({ codings: nodeCodings })] }, GET("/", pages))))();
    for (const [line, ...fields] of [
      ["GET /"],
      ["HEAD /"],
      ["GET /", 'If-None-Match: "1"'],
      ["GET /", "Accept-Encoding: gzip"],
    ] as const) {
      const before = calls;
      const answers = await ask(connection, 6, line, ...fields);
      assert(calls - before <= untilKept, line);
      const [first] = answers;
      for (const answer of answers) assert.equal(answer.body, first?.body);
      if (fields[0] === "Accept-Encoding: gzip") {
        const body = Buffer.from(answers.at(-1)?.body ?? "", "latin1");
        assert.equal(gunzipSync(body).toString(), long);
      }
    }
  });

  it("has a new id each time", async () => {
    const { handler } = counting();
    const connection = (await connectTo(router({ filters: [nameRequests()] }, GET("/", handler))))();
    const answers = await ask(connection, 50);
    assert.equal(new Set(answers.map(({ headers }) => headers["x-request-id"])).size, 50);
    assert.equal(answers.at(-1)?.body, "call 2");
    for (const { headers } of answers) assert.match(headers["x-request-id"] ?? "", /^[\da-f-]{36}$/);
  });

  it("has the id of its own request, or of its trace", async () => {
    const { handler } = counting();
    const connection = (await connectTo(router({ filters: [nameRequests()] }, GET("/", handler))))();
    for (let i = 10; i < 60; i++) {
      const trace = `0af7651916cd43dd8448eb211c8031${i}`;
      for (const [id, field] of [
        [`a${i}`, `X-Request-Id: a${i}`],
        [trace, `traceparent: 00-${trace}-b7ad6b7169203331-01`],
      ] as const) {
        const [answer] = await ask(connection, 1, "GET /", field);
        assert.equal(answer?.headers["x-request-id"], id);
        if (i > 10) assert.equal(answer?.body, "call 2");
      }
    }
  });

  it("comes in its turn among others that arrive with it, and knows the changes of those before it", async () => {
    const source = changing();
    let changes = 0;
    const app = router(
      GET("/", (request) => {
        repeatable(request, source);
        return text(`${changes}`);
      }),
      POST("/", async () => {
        await Promise.resolve();
        changes++;
        source.changes = changes;
        return text("changed");
      }),
    );
    const connection = (await connectTo(app))();
    await ask(connection, untilKept);
    for (let round = 1; round <= 20; round++) {
      const get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
      connection.send(`${get}${get}POST / HTTP/1.1\r\nHost: localhost\r\n\r\n${get}${get}`);
      const answers = [];
      for (let i = 0; i < 5; i++) answers.push((await connection.response()).body);
      const [old, present] = [`${round - 1}`, `${round}`];
      assert.deepEqual(answers, [old, old, "changed", present, present]);
    }
  });

  it("is the last of a connection where the server says so", async () => {
    const counted = counting();
    const connect = await connectTo(router(GET("/", counted.handler)));
    const connection = connect();
    await ask(connection, 2);
    const { calls } = counted;
    const closing = opened[0]?.server.close({ notice: 1_000 });
    const [last] = await ask(connection, 1);
    assert.match(last?.head ?? "", /^Connection: close$/m);
    assert.equal(counted.calls, calls + 1);
    connection.destroy();
    await opened[0]?.server.close({ grace: 0 });
    await closing;
  });
});

describe("an answer is never kept", () => {
  const source = changing();
  const mark = (request: HttpRequest): void => repeatable(request, source);
  const never: Readonly<Record<string, (request: HttpRequest) => HttpResponse>> = {
    "whose handler does not say that it is repeatable": () => text("a"),
    "whose handler takes it back": (request) => {
      mark(request);
      repeatable.not(request);
      return text("a");
    },
    "that sets a cookie": (request) => {
      mark(request);
      return text("a").withHeader("Set-Cookie", "a=1");
    },
    "of another status": (request) => {
      mark(request);
      return text("a", 203);
    },
    "above 16 KiB": (request) => {
      mark(request);
      return text("a".repeat(16_385));
    },
    "above 16 KiB of bytes": (request) => {
      mark(request);
      return text("ü".repeat(8_193));
    },
    "that comes in pieces": (request) => {
      mark(request);
      return content("text/plain", ["a", "b"]);
    },
  };
  for (const [which, handler] of Object.entries(never)) {
    it(which, async () => {
      let calls = 0;
      const counted = (request: HttpRequest): HttpResponse => {
        calls++;
        return handler(request);
      };
      await ask((await connectTo(router(GET("/", counted))))(), 6);
      assert.equal(calls, 6);
    });
  }

  /** Apps in which something must see each request, of a handler that counts. */
  const seen: Readonly<Record<string, (handler: (request: HttpRequest) => HttpResponse) => App>> = {
    "behind a web filter": (handler) => router({ filters: [before((request) => request)] }, GET("/", handler)),
    "behind an around filter of its group": (handler) =>
      router(
        group(
          around((request, next) => next(request)),
          GET("/", handler),
        ),
      ),
    "behind an after filter of an outer group": (handler) =>
      router(
        group(
          after((_, response) => response),
          group(GET("/", handler)),
        ),
      ),
    "behind a filter for GET": (handler) =>
      router(
        group(
          around((request, next) => next(request), { exceptMethods: new Set(["HEAD"]) }),
          GET("/", handler),
        ),
      ),
    "behind a quota by another key than the address": (handler) =>
      router({ filters: [rateLimit({ limit: 100, window: 60, key: () => "all" })] }, GET("/", handler)),
    "behind a quota with an exception": (handler) =>
      router({ filters: [rateLimit({ limit: 100, window: 60, except: () => false })] }, GET("/", handler)),
    "behind a quota that is counted elsewhere": (handler) => {
      const counter = rateLimit.inMemory({ limit: 100, window: 60 });
      const limiter = { consume: async (key: string) => counter.consume(key) };
      return router({ filters: [rateLimit({ limit: 100, window: 60, limiter })] }, GET("/", handler));
    },
    "behind two quotas": (handler) => {
      const quota = rateLimit({ limit: 100, window: 60 });
      return router({ filters: [quota, quota] }, GET("/", handler));
    },
    "behind an observer that does not say how they are reported": (handler) =>
      router({ filters: [observeRequests({ onEnd: () => undefined })] }, GET("/", handler)),
    "behind a filter whose https is a function": (handler) =>
      router({ filters: [securityHeaders({ https: () => false })] }, GET("/", handler)),
    "within an error clause": (handler) =>
      router(
        group(
          onError(() => text("b")),
          GET("/", handler),
        ),
      ),
    "within an error clause of the router": (handler) =>
      router({ filters: [onError(() => text("b"))] }, GET("/", handler)),
    "in an app with a test of requests": (handler) =>
      router(
        GET(
          "/",
          when("at night", () => false),
          () => text("night"),
        ),
        GET("/", handler),
      ),
    "where two filters renew a field": (handler) =>
      router({ filters: [nameRequests(), nameRequests()] }, GET("/", handler)),
  };
  for (const [where, appOf] of Object.entries(seen)) {
    it(where, async () => {
      const counted = counting();
      const app = appOf(counted.handler);
      await ask((await connectTo(app))(), 6, "GET /");
      assert.equal(counted.calls, 6);
    });
  }

  it("for another version, another method, content or a last request", async () => {
    const counted = counting();
    const app = router({ filters: [nameRequests()] }, GET("/", counted.handler), POST("/", counted.handler));
    const connect = await connectTo(app);
    const connection = connect();
    await ask(connection, 6, "POST /", "Content-Length: 0");
    assert.equal(counted.calls, 6);
    counted.calls = 0;
    for (let i = 0; i < 6; i++) {
      connection.send("GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\na");
      await connection.response();
    }
    for (let i = 0; i < 6; i++) await ask(connect(), 1, "GET /", "Connection: close");
    for (let i = 0; i < 6; i++) await connect().send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").response();
    assert.equal(counted.calls, 18);
  });

  it("where there is no memory", async () => {
    const counted = counting();
    await ask((await connectTo(router(GET("/", counted.handler)), { answerMemory: 0 }))(), 6);
    assert.equal(counted.calls, 6);
  });
});

describe("an answer from memory", () => {
  it("passes by filters that say so, and those that do nothing to it", async () => {
    const counted = counting();
    const passed: string[] = [];
    const note = (name: string) => (request: HttpRequest) => {
      passed.push(name);
      return request;
    };
    const filters: RouterOptions["filters"] = [
      before(note("repeatable"), { repeatable: true }),
      after((_, response) => response, { leastStatus: 400 }),
      around((request, next) => next(request), { exceptMethods: new Set(["GET", "HEAD"]) }),
    ];
    const connection = (await connectTo(router({ filters }, GET("/", counted.handler))))();
    await ask(connection, 6);
    assert.deepEqual([counted.calls, passed.length], [2, 2]);
  });

  it("is reported to an observer that says how, each time", async () => {
    const source = changing();
    const counted = counting(source);
    const reports: string[] = [];
    const observer = observeRequests({
      onEnd: ({ response, contentBytes }) => reports.push(`${response?.status} of ${contentBytes} bytes`),
      onRepeat:
        ({ request, response, contentBytes }) =>
        () =>
          reports.push(`again ${request.route?.path} ${response?.status} of ${contentBytes} bytes`),
    });
    const connection = (await connectTo(router({ filters: [observer] }, GET("/{id}", counted.handler))))();
    await ask(connection, untilKept + 2, "GET /1");
    source.changes = 1;
    await ask(connection, 1, "GET /1");
    const [made, again] = ["200 of 6 bytes", "again /{id} 200 of 6 bytes"];
    assert.deepEqual(reports, [made, made, again, again, made]);
  });

  it("is reported when it has left the process, or its client has gone", async () => {
    let [sent, begun] = [0, 0];
    const gone = Promise.withResolvers<void>();
    const observer = observeRequests({
      onEnd: () => undefined,
      onRepeat: () => (repeated) => {
        assert(repeated.duration > 0);
        if (repeated.isSent) sent++;
        else gone.resolve();
      },
    });
    const long = "a".repeat(16_000);
    const handler = (request: HttpRequest): HttpResponse => {
      repeatable(request);
      begun++;
      return text(long);
    };
    const connection = (await connectTo(router({ filters: [observer] }, GET("/", handler))))();
    await ask(connection, untilKept + 2);
    assert.deepEqual([begun, sent], [untilKept, 2]);
    // More than the buffers of the system take of a client that reads nothing.
    connection.socket.pause();
    connection.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(2_000));
    while (sent < 10) await turn();
    connection.destroy();
    await gone.promise;
    assert(sent < 2_002);
    assert.equal(begun, untilKept);
  });

  it("has what remains of the quota of its client, which the filter refuses beyond", async () => {
    let now = 0;
    const limiter = rateLimit.inMemory({ limit: 6, window: 60, now: () => now });
    const counted = counting();
    const filters = [nameRequests(), rateLimit({ limit: 6, window: 60, limiter })];
    const options = { trustProxy: ["127.0.0.1"] };
    const connection = (await connectTo(router({ filters }, GET("/", counted.handler)), options))();
    for (const client of ["192.0.2.1", "192.0.2.2", "2001:db8::1"]) {
      const field = `X-Forwarded-For: ${client}`;
      const { calls } = counted;
      const rest = async (times: number): Promise<readonly unknown[]> =>
        (await ask(connection, times, "GET /", field)).map(({ status, headers }) => [status, headers["ratelimit"]]);
      assert.deepEqual(
        await rest(8),
        [5, 4, 3, 2, 1, 0, 0, 0].map((left, i) => [i < 6 ? 200 : 429, `"default";r=${left};t=60`]),
      );
      // The address is asked for anew each time.
      const made = client === "192.0.2.1" ? untilKept : 0;
      assert.equal(counted.calls - calls, made);
      now += 30_500;
      assert.deepEqual(await rest(1), [[429, '"default";r=0;t=30']]);
      now += 29_500;
      assert.deepEqual(await rest(1), [[200, '"default";r=5;t=60']]);
      assert.equal(counted.calls - calls, made);
    }
  });

  it("to a trusted proxy is not sent to a client that says the same", async () => {
    const handler = ({ client }: HttpRequest): string => `${client.scheme} ${client.host}`;
    const app = router(
      { filters: [securityHeaders()] },
      GET("/", (request) => {
        repeatable(request);
        return text(handler(request));
      }),
    );
    const server = await serve(app, { host: "0.0.0.0", answerMemory: 2 ** 20, trustProxy: ["127.0.0.2"] });
    const [proxy, client] = [new RawConnection(server.port, "127.0.0.2"), new RawConnection(server.port, "127.0.0.1")];
    opened.push({ server, connections: [proxy, client] });
    const fields = ["X-Forwarded-For: 192.0.2.1", "X-Forwarded-Proto: https", "X-Forwarded-Host: example.org"];
    for (let round = 0; round < 3; round++) {
      for (const [connection, body, security] of [
        [proxy, "https example.org", "max-age=31536000"],
        [client, "http localhost", undefined],
      ] as const) {
        for (const answer of await ask(connection, 4, "GET /", ...fields)) {
          assert.deepEqual([answer.body, answer.headers["strict-transport-security"]], [body, security]);
        }
      }
    }
  });

  it("is asked for first", async () => {
    const counted = counting();
    let mayRepeat = true;
    let asked = 0;
    const repetition: repeatable.Repetition = {
      mayRepeat: ({ turn, address }) => {
        assert(turn !== undefined && turn.began <= performance.now());
        assert.equal(address, "127.0.0.1");
        asked++;
        return mayRepeat;
      },
    };
    const gate = before(
      (request) => {
        repeatable.onRepeat(request, repetition);
        return request;
      },
      { repeatable: true },
    );
    const connection = (await connectTo(router({ filters: [gate] }, GET("/", counted.handler))))();
    await ask(connection, 5);
    assert.deepEqual([counted.calls, asked], [2, 3]);
    mayRepeat = false;
    await ask(connection, 2);
    assert.deepEqual([counted.calls, asked], [4, 5]);
    mayRepeat = true;
    assert.deepEqual(bodies(await ask(connection, 1)), ["call 2"]);
  });

  it("is not sent while as many requests are in progress as may be", async () => {
    const counted = counting();
    const slow = Promise.withResolvers<HttpResponse>();
    const app = router(
      { filters: [overload({ maxInFlight: 1 })] },
      GET("/", counted.handler),
      GET("/slow", () => slow.promise),
    );
    const connect = await connectTo(app);
    const connection = connect();
    await ask(connection, untilKept + 1);
    const other = connect().request("GET /slow");
    while ((await ask(connection, 1))[0]?.status === 200);
    assert.equal((await ask(connection, 1))[0]?.status, 503);
    slow.resolve(text("slow"));
    await other.response();
    assert.deepEqual(bodies(await ask(connection, 1)), ["call 2"]);
  });

  it("is kept after refusals for want of room", async () => {
    const counted = counting();
    let isFull = true;
    const gate = around((request, next) => (isFull ? empty(503) : next(request)), { repeatable: true });
    const connection = (await connectTo(router({ filters: [gate] }, GET("/", counted.handler))))();
    await ask(connection, untilKept + 2);
    isFull = false;
    assert.deepEqual(bodies(await ask(connection, 3)), ["call 1", "call 1", "call 1"]);
  });

  it("is not sent while somebody observes requests", async () => {
    const counted = counting();
    const connection = (await connectTo(router(GET("/", counted.handler))))();
    await ask(connection, untilKept + 1);
    let ended = 0;
    const onEnd = (): void => {
      ended++;
    };
    diagnosticsChannel.subscribe(observeRequests.channels.end, onEnd);
    try {
      await ask(connection, 3);
    } finally {
      diagnosticsChannel.unsubscribe(observeRequests.channels.end, onEnd);
    }
    assert.deepEqual([counted.calls, ended], [5, 3]);
    assert.deepEqual(bodies(await ask(connection, 1)), ["call 2"]);
  });

  it("is kept within the bound: what is asked for most stays", async () => {
    const counted = counting();
    const body = "x".repeat(1_000);
    const app = router(
      GET("/{id}", (request) => {
        counted.handler(request);
        return text(body);
      }),
    );
    const connection = (await connectTo(app, { answerMemory: 200_000 }))();
    await ask(connection, untilKept, "GET /hot");
    for (let id = 0; id < 1_000; id++) {
      await ask(connection, 2, `GET /${id}`);
      const { calls } = counted;
      await ask(connection, 1, "GET /hot");
      assert.equal(counted.calls, calls, `${id}`);
    }
    let kept = 0;
    for (let id = 999; id > 800; id--) {
      const { calls } = counted;
      await ask(connection, 1, `GET /${id}`);
      if (counted.calls === calls) kept++;
    }
    // An answer takes about 1,600 bytes, and the elder generation may have just gone.
    assert(kept > 50 && kept < 130, `${kept} were kept`);
  });

  it("is kept for fewer heads while those that are kept are not used, and again once they are", async () => {
    const counted = counting();
    const connection = (await connectTo(router(GET("/{id}", counted.handler)), { answerMemory: 2 ** 24 }))();
    const keptOf = async (ids: readonly string[]): Promise<number> => {
      for (const id of ids) await ask(connection, 2, `GET /${id}`);
      const { calls } = counted;
      for (const id of ids) await ask(connection, 1, `GET /${id}`);
      return ids.length - (counted.calls - calls);
    };
    const ids = (name: string): readonly string[] => Array.from({ length: 100 }, (_, i) => `${name}${i}`);
    assert((await keptOf(ids("first"))) > 95);
    for (let i = 0; i < 2_000; i++) await ask(connection, 2, `GET /once${i}`);
    assert((await keptOf(ids("then"))) < 10);
    for (let i = 0; i < 2_000; i++) await ask(connection, 1, "GET /first0");
    assert((await keptOf(ids("last"))) > 95);
  });
});
