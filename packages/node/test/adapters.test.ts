import assert from "node:assert/strict";
import { once } from "node:events";
import { createReadStream, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from "node:http2";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { serve, toNodeListener } from "@waymark/node";
import { handleFetch } from "../../waymark/src/adapter/fetch.ts";
import { parsedHeaders } from "../../waymark/src/fields/header-list.ts";
import { HttpError } from "../../waymark/src/problem.ts";
import type { HttpRequest } from "../../waymark/src/request.ts";
import {
  content,
  empty,
  fromWebResponse,
  HttpResponse,
  json,
  noContent,
  notFound,
  ok,
  type ResponseBody,
  text,
} from "../../waymark/src/response.ts";
import { served } from "../../waymark/src/serving/served-app.ts";
import { notModified } from "../../waymark/src/web/preconditions.ts";
import { type TinyApp, type TinyHandler, tinyApp } from "../../waymark/test/tools/tiny-app.ts";

interface Client {
  fetch(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

const transports: Readonly<Record<string, (app: TinyApp) => Promise<Client>>> = {
  async "in memory"(app) {
    return {
      fetch: (path, init) => handleFetch(app[served], new Request(`http://localhost${path}`, init)),
      close: async () => undefined,
    };
  },
  async "over a socket"(app) {
    // A client that goes while nothing is sent to it is known to have gone only when it has been sent nothing for this long.
    const server = await serve(app, { writeTimeout: 500 });
    return {
      fetch: (path, init) => fetch(server.url + path, init),
      close: () => server.close({ grace: 0 }),
    };
  },
  async "over node:http"(app) {
    const server = await serve(app, { engine: "node:http", writeTimeout: 500 });
    return {
      fetch: (path, init) => fetch(server.url + path, init),
      close: () => server.close({ grace: 0 }),
    };
  },
  async "over HTTP/2"(app) {
    const server = await serve(app, { tls });
    const session = connect(server.url, { ca: tls.cert });
    return {
      fetch: (path, init) => fetchHttp2(session, path, init),
      async close() {
        session.destroy();
        await server.close({ grace: 0 });
      },
    };
  },
  async "in a server of Node"(app) {
    const server = createServer(toNodeListener(app)).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo; // it listens on a port
    return {
      fetch: (path, init) => fetch(`http://127.0.0.1:${port}${path}`, init),
      async close() {
        server.closeAllConnections();
        server.close();
        await once(server, "close");
      },
    };
  },
};

const fixture = (name: string): Buffer =>
  readFileSync(new URL(`fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
const tls = { key: fixture("key"), cert: fixture("cert") };

/** Sends a web request on a session of HTTP/2. */
async function fetchHttp2(session: ClientHttp2Session, path: string, init?: RequestInit): Promise<Response> {
  const request = new Request(`http://localhost${path}`, init);
  const target = path.replace(/#.*/, "");
  const { body, signal } = request;
  const fields = { ...Object.fromEntries(request.headers), ":method": request.method, ":path": target };
  const stream = session.request(fields, { endStream: body === null });
  stream.on("error", () => undefined);
  signal.addEventListener("abort", () => stream.close(constants.NGHTTP2_CANCEL));
  if (body !== null) Readable.fromWeb(body).pipe(stream);
  const [head] = await Promise.race([once(stream, "response"), once(stream, "close").then(() => assert.fail("reset"))]);
  const status = Number(head[":status"]);
  const headers = new Headers();
  for (const [name, value] of Object.entries(head as IncomingHttpHeaders)) {
    if (!name.startsWith(":")) for (const line of [value].flat()) headers.append(name, String(line));
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  return new Response(isEmpty ? null : (Readable.toWeb(stream) as ReadableStream<Uint8Array>), { status, headers });
}

type Check = (client: Client, app: TinyApp) => Promise<void>;

const behaviours: (readonly [name: string, scenario: () => readonly [handler: TinyHandler, check: Check]])[] = [];

function adapters(name: string, handler: TinyHandler, check: Check): void {
  adaptersIn(name, () => [handler, check]);
}

/** A behaviour whose handler and check share a state, made for each run. */
function adaptersIn(name: string, scenario: () => readonly [handler: TinyHandler, check: Check]): void {
  behaviours.push([`an adapter ${name}`, scenario]);
}

// What the handler is given

adapters(
  "hands over method, path, query and fields",
  ({ method, path, search, headers }) => json({ method, path, search, seen: headers.get("x-seen") }),
  async (client) => {
    const response = await client.fetch("/caf%C3%A9/a%2fb?q=%20", { method: "DELETE", headers: { "X-Seen": "yes" } });
    assert.deepEqual(await response.json(), { method: "DELETE", path: "/café/a%2Fb", search: "q=%20", seen: "yes" });
  },
);

adapters(
  "leaves a fragment out, which is the client's own",
  ({ path, search }) => json({ path, search }),
  async (client) => assert.deepEqual(await (await client.fetch("/a?b#c")).json(), { path: "/a", search: "b" }),
);

adapters(
  "refuses a malformed target with 400, and the handler does not run",
  () => assert.fail("the handler ran"),
  async (client) => {
    const response = await client.fetch("/%zz");
    assert.equal(response.status, 400);
    assert.equal((await problemOf(response))["type"], "/problems/malformed-target");
  },
);

adapters(
  "gives a request without content an empty one",
  async (request) => json([(await request.bytes()).length, await request.text()]),
  async (client) => {
    assert.deepEqual(await (await client.fetch("/")).json(), [0, ""]);
    assert.deepEqual(await (await client.fetch("/", { method: "POST" })).json(), [0, ""]);
  },
);

adapters(
  "hands over content whole",
  async (request) => text(await request.text()),
  async (client) => {
    const response = await client.fetch("/", { method: "POST", body: "grüße" });
    assert.equal(await response.text(), "grüße");
  },
);

adapters(
  "hands over content of unknown length that comes in pieces",
  async (request) => text(await request.text()),
  async (client) => {
    const response = await client.fetch("/", inPieces("one ", "two ", "three"));
    assert.equal(await response.text(), "one two three");
  },
);

adapters(
  "hands over content as it comes",
  async (request) => {
    let size = 0;
    for await (const piece of request.stream()) size += piece.length;
    return json(size);
  },
  async (client) => {
    const response = await client.fetch("/", { method: "POST", body: "x".repeat(300_000) });
    assert.equal(await response.json(), 300_000);
  },
);

adapters(
  "goes on after a handler that stops reading",
  async (request) => {
    for await (const piece of request.stream()) return json(piece.length > 0);
    return json("no content");
  },
  async (client) => {
    for (let i = 0; i < 3; i++) {
      const response = await client.fetch("/", { method: "POST", body: "x".repeat(200_000) });
      assert.equal(await response.json(), true);
    }
  },
);

for (const [how, init] of [
  ["of declared length", { method: "POST", body: "x".repeat(1001) }],
  ["of unknown length", inPieces("x".repeat(1000), "x")],
] as const) {
  adapters(
    `refuses to read content ${how} beyond the limit, with 413`,
    async (request) => ok().withBody(await request.bytes({ limit: 1000 })),
    async (client) => {
      const response = await client.fetch("/", how === "of unknown length" ? inPieces("x".repeat(1000), "x") : init);
      assert.equal(response.status, 413);
      assert.equal((await problemOf(response))["limit"], 1000);
    },
  );
}

adapters(
  "refuses to stream content beyond the limit, with 413",
  async (request) => {
    for await (const _ of request.stream({ limit: 1000 }));
    return ok();
  },
  async (client) => {
    assert.equal((await client.fetch("/", inPieces("x".repeat(1000), "x"))).status, 413);
  },
);

adapters(
  "hands over its own request object",
  (request) => json(request.native !== undefined),
  async (client) => assert.equal(await (await client.fetch("/")).json(), true),
);

// Responses that are whole

for (const [what, body, length] of [
  ["text", "Hello World", 11],
  ["text beyond ASCII, in UTF-8", "grüße 🎈", 12],
  ["long text beyond ASCII", "€".repeat(10_000), 30_000],
  ["bytes", new Uint8Array([0, 255, 10]), 3],
  ["empty text", "", 0],
  ["nothing", null, 0],
] as const) {
  adapters(
    `sends ${what} with its length`,
    () => content("application/octet-stream", body),
    async (client) => {
      const response = await client.fetch("/");
      assert.equal(response.status, 200);
      assert.equal(response.headers.get("Content-Length"), String(length));
      const sent = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
      assert.deepEqual(new Uint8Array(await response.arrayBuffer()), new Uint8Array(sent));
    },
  );
}

adapters(
  "names no Content-Type that the handler did not",
  () => new HttpResponse(200, {}, "text"),
  async (client) => assert.equal((await client.fetch("/")).headers.get("Content-Type"), null),
);

adapters(
  "answers HEAD with the fields of GET",
  () => content("text/plain", "grüße"),
  async (client) => {
    const [get, head] = [await client.fetch("/"), await client.fetch("/", { method: "HEAD" })];
    assert.equal(await head.text(), "");
    assert.equal(head.headers.get("Content-Length"), "7");
    assert.equal(head.headers.get("Content-Type"), "text/plain");
    assert.equal(await get.text(), "grüße");
    assert.equal(get.headers.get("Content-Length"), "7");
  },
);

adapters(
  "says nothing of the length for HEAD when the handler made no content",
  () => ok(),
  async (client) => assert.equal((await client.fetch("/", { method: "HEAD" })).headers.get("Content-Length"), null),
);

adapters(
  "says for HEAD that an error without content has none, as for GET",
  () => notFound(),
  async (client) => {
    for (const method of ["GET", "HEAD"]) {
      assert.equal((await client.fetch("/", { method })).headers.get("Content-Length"), "0");
    }
  },
);

adapters(
  "keeps the Content-Length of a HEAD whose content would be streamed",
  () => new HttpResponse(200, { "Content-Length": "5" }, ["hello"]),
  async (client) => {
    assert.equal((await client.fetch("/", { method: "HEAD" })).headers.get("Content-Length"), "5");
    assert.equal(await (await client.fetch("/")).text(), "hello");
  },
);

for (const [status, length] of [
  [204, null],
  [304, null],
  [205, "0"],
] as const) {
  adapters(
    `sends ${status} without content and without fields about it`,
    () => new HttpResponse(status, { "Content-Type": "text/plain", "Content-Length": "4", ETag: '"1"' }, "text"),
    async (client) => {
      const response = await client.fetch("/");
      assert.equal(response.status, status);
      assert.equal(await response.text(), "");
      assert.equal(response.headers.get("Content-Type"), null);
      assert.equal(response.headers.get("Content-Length"), length);
      assert.equal(response.headers.get("ETag"), '"1"');
    },
  );
}

adapters(
  "puts the real length in place of the handler's",
  () => text("six by").withHeader("Content-Length", "2"),
  async (client) => {
    const response = await client.fetch("/");
    assert.equal(response.headers.get("Content-Length"), "6");
    assert.equal(await response.text(), "six by");
  },
);

adapters(
  "sends every line of Set-Cookie",
  () => new HttpResponse(200, { "Set-Cookie": ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"] }),
  async (client) => {
    const cookies = (await client.fetch("/")).headers.getSetCookie();
    assert.deepEqual(cookies, ["a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "b=2"]);
  },
);

adapters(
  "leaves out the fields that are its own",
  () => new HttpResponse(200, { "Transfer-Encoding": "gzip", Trailer: "X", Date: "never", "X-Own": "1" }, "text"),
  async (client) => {
    const { headers } = await client.fetch("/");
    assert.equal(headers.get("Transfer-Encoding"), null);
    assert.equal(headers.get("Trailer"), null);
    assert.notEqual(headers.get("Date"), "never");
    assert.equal(headers.get("X-Own"), "1");
  },
);

adapters(
  "sends field values as Latin-1, whatever the content",
  ({ path }) => new HttpResponse(200, { "X-Name": "Zoë" }, path === "/ascii" ? "text" : "grüße"),
  async (client) => {
    for (const path of ["/ascii", "/beyond"]) assert.equal((await client.fetch(path)).headers.get("X-Name"), "Zoë");
  },
);

for (const [what, headers] of [
  ["a line break in a value", ["X-Name", "a\r\nSet-Cookie: b=2"]],
  ["a name that is not a token", ["X Name", "a"]],
  ["a character that no octet is", ["X-Name", "→"]],
] as const) {
  for (const [how, body] of [
    ["whole", "text"],
    ["streamed", ["te", "xt"]],
  ] as const) {
    adapters(
      `answers 500 for ${what}, ${how}, and tells nothing of it`,
      () => new HttpResponse(200, parsedHeaders(headers), body),
      async (client, app) => {
        const response = await client.fetch("/");
        await assertConstant500(response);
        assert.notEqual(response.statusText, "OK");
        assert.deepEqual(response.headers.getSetCookie(), []);
        assert.equal(app.faults.length, 1);
      },
    );
  }
}

for (const [how, handler] of [
  [
    "throws",
    () => {
      throw new Error("secret");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("secret");
    },
  ],
  ["returns no response", () => undefined as unknown as HttpResponse],
] satisfies readonly (readonly [string, TinyHandler])[]) {
  adapters(`answers 500 when the app ${how}, which it should not`, handler, async (client, app) => {
    await assertConstant500(await client.fetch("/"));
    assert.equal(app.faults.length, 1);
  });
}

// Responses in pieces

const streams: Readonly<Record<string, () => ResponseBody>> = {
  "an array": () => ["one ", new TextEncoder().encode("two "), "", "three"],
  *"a generator"() {
    yield "one ";
    yield "two three";
  },
  "an async generator": async function* () {
    yield "one ";
    await Promise.resolve();
    yield "two three";
  },
  "a ReadableStream": () =>
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode("one two "));
        controller.enqueue("three");
        controller.close();
      },
    }),
  "a Node stream": () => Readable.from(["one ", "two ", "three"]),
};
for (const [what, body] of Object.entries(streams)) {
  adapters(
    `streams ${what}`,
    () => content("text/plain", body()),
    async (client, app) => {
      const response = await client.fetch("/");
      assert.equal(response.headers.get("Content-Type"), "text/plain");
      assert.equal(response.headers.get("Content-Length"), null);
      assert.equal(await response.text(), "one two three");
      assert.deepEqual(app.faults, []);
    },
  );
}

adapters(
  "sends a stream without pieces as an empty response",
  () => content("text/plain", []),
  async (client) => {
    const response = await client.fetch("/");
    assert.equal(response.headers.get("Content-Length"), "0");
    assert.equal(await response.text(), "");
  },
);

adapters(
  "sends the head with an empty first piece",
  () => content("text/plain", neverAfter("")),
  async (client) => {
    const response = await client.fetch("/");
    assert.equal(response.status, 200);
    await response.body?.cancel();
  },
);

for (const [method, status] of [
  ["HEAD", 200],
  ["GET", 204],
] as const) {
  for (const [what, make] of [
    ["ReadableStream", (end: () => void) => new ReadableStream({ pull: (to) => to.enqueue("x"), cancel: end })],
    ["Node stream", (end: () => void) => endlessReadable().once("close", end)],
  ] as const) {
    adaptersIn(`ends an endless ${what} for ${method} with ${status}`, () => {
      const ended = Promise.withResolvers<void>();
      return [
        () => new HttpResponse(status, {}, make(ended.resolve)),
        async (client) => {
          assert.equal(await (await client.fetch("/", { method })).text(), "");
          await ended.promise;
        },
      ];
    });
  }

  adaptersIn(`does not begin a generator for ${method} with ${status}`, () => {
    let steps = 0;
    const body = function* (): Generator<string> {
      for (;;) yield String(++steps);
    };
    return [
      () => new HttpResponse(status, {}, body()),
      async (client) => {
        assert.equal(await (await client.fetch("/", { method })).text(), "");
        assert.equal(steps, 0);
      },
    ];
  });
}

adapters(
  "answers 500 when a stream fails before its first piece",
  () => content("text/plain", failingAfter([], new Error("secret"))),
  async (client, app) => {
    await assertConstant500(await client.fetch("/"));
    assert.deepEqual(app.faults.map(String), ["Error: secret"]);
  },
);

adapters(
  "answers with the HttpError that a stream begins with",
  () => content("text/plain", failingAfter([], new HttpError(empty(404)))),
  async (client, app) => {
    assert.equal((await client.fetch("/")).status, 404);
    assert.deepEqual(app.faults, []);
  },
);

for (const [what, body, headers, fault] of [
  ["is a web stream and fails midway", () => failingWebStream("one", new Error("secret")), {}, /secret/],
  ["fails midway", () => failingAfter(["one"], new Error("secret")), {}, /secret/],
  [
    "has a piece that is neither text nor bytes",
    () => ["one", 2 as unknown as string],
    {},
    /text or bytes, not number/,
  ],
  ["is longer than declared", () => ["one", "two"], { "Content-Length": "5" }, /longer than the 5 bytes/],
  ["is shorter than declared", () => ["one", "two"], { "Content-Length": "7" }, /6 of the 7 bytes/],
] as const) {
  adapters(
    `breaks the response of a stream that ${what}, rather than end it`,
    () => new HttpResponse(200, headers, body()),
    async (client, app) => {
      const response = await client.fetch("/");
      assert.equal(response.status, 200);
      await assert.rejects(response.text());
      assert.equal(app.faults.length, 1);
      assert.match(String(app.faults[0]), fault);
    },
  );
}

for (const value of ["five", "1, 2", "-1", "1e400"]) {
  adapters(
    `answers 500 when a stream is declared ${value} bytes long`,
    () => new HttpResponse(200, { "Content-Length": value }, ["hello"]),
    async (client, app) => {
      await assertConstant500(await client.fetch("/"));
      assert.match(String(app.faults), /Content-Length of a response is a number of bytes/);
    },
  );
}

// A client that goes away

adaptersIn("has an unaborted signal, also once the response is complete", () => {
  const signals: AbortSignal[] = [];
  return [
    (request) => {
      signals.push(request.signal);
      return json(signals.map(({ aborted }) => aborted));
    },
    async (client) => {
      assert.deepEqual(await (await client.fetch("/")).json(), [false]);
      assert.deepEqual(await (await client.fetch("/")).json(), [false, false]);
    },
  ];
});

adaptersIn("aborts the signal when the client goes away before the answer", () => {
  const began = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<void>();
  return [
    async (request) => {
      began.resolve();
      await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
      aborted.resolve();
      return ok();
    },
    async (client, app) => {
      const abort = new AbortController();
      // In memory there is an answer all the same, and nobody to take it.
      const answer = client.fetch("/", { signal: abort.signal }).catch(() => undefined);
      await began.promise;
      abort.abort();
      await aborted.promise;
      await answer;
      assert.deepEqual(app.faults, []);
    },
  ];
});

for (const [how, leave] of [
  ["aborts the request", (abort: AbortController) => abort.abort()],
  ["cancels the response", (_: AbortController, response: Response) => response.body?.cancel()],
] as const) {
  for (const [when, body] of [
    ["waits", (onEnd: () => void) => neverAfter("one", onEnd)],
    ["runs", endless],
  ] as const) {
    adaptersIn(`ends the stream and aborts the signal when the client ${how} while the stream ${when}`, () => {
      const ended = Promise.withResolvers<void>();
      const aborted = Promise.withResolvers<void>();
      return [
        (request) => {
          request.signal.addEventListener("abort", () => aborted.resolve());
          return content("text/plain", body(ended.resolve));
        },
        async (client, app) => {
          const abort = new AbortController();
          await leave(abort, await client.fetch("/", { signal: abort.signal }));
          await aborted.promise;
          await ended.promise;
          assert.deepEqual(app.faults, []);
        },
      ];
    });
  }
}

for (const [when, body] of [
  ["waits", () => neverAfter("one")],
  ["runs", () => endless(() => undefined)],
] as const) {
  adaptersIn(`cuts the client off whose request is abandoned while the stream ${when}`, () => {
    const asked = Promise.withResolvers<HttpRequest>();
    const ended = Promise.withResolvers<boolean>();
    return [
      (request) => {
        request.onEnd(ended.resolve);
        asked.resolve(request);
        return content("text/plain", body());
      },
      async (client, app) => {
        const response = await client.fetch("/");
        const request = await asked.promise;
        request.abandon();
        assert.equal(await ended.promise, false);
        await assert.rejects(response.text());
        request.abandon();
        assert.deepEqual(app.faults, []);
      },
    ];
  });
}

adaptersIn("ends a ReadableStream that waits when the client goes away", () => {
  const ended = Promise.withResolvers<void>();
  const body = new ReadableStream({ start: (to) => to.enqueue("one"), cancel: () => ended.resolve() });
  return [
    () => content("text/plain", body),
    async (client) => {
      const abort = new AbortController();
      const response = await client.fetch("/", { signal: abort.signal });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      await reader.read();
      const more = reader.read().catch(() => undefined);
      abort.abort();
      await ended.promise;
      await more;
    },
  ];
});

adaptersIn("takes the failing of a stream whose client has gone for no fault", () => {
  const waits = Promise.withResolvers<void>();
  const failed = Promise.withResolvers<void>();
  const body = async function* (signal: AbortSignal): AsyncGenerator<string> {
    yield "one";
    try {
      waits.resolve();
      await once(signal, "abort");
      throw signal.reason;
    } finally {
      failed.resolve();
    }
  };
  return [
    ({ signal }) => content("text/plain", body(signal)),
    async (client, app) => {
      const abort = new AbortController();
      const response = await client.fetch("/", { signal: abort.signal });
      const reading = response.text().catch(() => undefined);
      await waits.promise;
      abort.abort();
      await failed.promise;
      await reading;
      await eventLoopTurn();
      assert.deepEqual(app.faults, []);
    },
  ];
});

adaptersIn("ends a stream that has no piece yet when the client goes away, and reports no fault", () => {
  const began = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const body = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        began.resolve();
        return new Promise<never>(() => undefined);
      },
      return: async () => {
        ended.resolve();
        return { done: true as const, value: undefined };
      },
    }),
  };
  return [
    () => content("text/plain", body),
    async (client, app) => {
      const abort = new AbortController();
      const answer = client.fetch("/", { signal: abort.signal }).catch(() => undefined);
      await began.promise;
      abort.abort();
      await ended.promise;
      await answer;
      assert.deepEqual(app.faults, []);
    },
  ];
});

adapters(
  "reports a Node stream that fails while it is ended, which must not end the process",
  () => content("text/plain", createReadStream(new URL("./no-such-file", import.meta.url))),
  async (client, app) => {
    assert.equal((await client.fetch("/", { method: "HEAD" })).status, 200);
    assert.match(String(await app.faulted), /ENOENT/);
    await assertConstant500(await client.fetch("/"));
  },
);

adapters(
  "reports a stream whose clean-up fails",
  () =>
    content("text/plain", {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: "x" }),
        return: async () => Promise.reject(new Error("clean-up")),
      }),
    }),
  async (client, app) => {
    assert.equal((await client.fetch("/", { method: "HEAD" })).status, 200);
    assert.equal(String(await app.faulted), "Error: clean-up");
  },
);

adaptersIn("ends the stream that a 304 leaves out", () => {
  const ended = Promise.withResolvers<void>();
  const body = new Readable({
    read: () => undefined,
    destroy(_, done) {
      ended.resolve();
      done(null);
    },
  });
  return [
    () => notModified(content("text/plain", body)),
    async (client, app) => {
      assert.equal((await client.fetch("/")).status, 304);
      await ended.promise;
      assert.deepEqual(app.faults, []);
    },
  ];
});

const sentOnce = {
  "a generator": function* () {
    yield "once";
  },
  "a stream of Node.js": () => Readable.from(["once"]),
};
for (const [what, make] of Object.entries(sentOnce)) {
  adaptersIn(`refuses to send ${what} again, of which nothing is left`, () => {
    const kept = content("text/plain", make());
    return [
      () => kept,
      async (client, app) => {
        assert.equal(await (await client.fetch("/")).text(), "once");
        await assertConstant500(await client.fetch("/"));
        assert.match(String(await app.faulted), /can be sent only once/);
      },
    ];
  });
}

const ofArray = content("text/plain", ["a", "b"]);
adapters(
  "sends an array again",
  () => ofArray,
  async (client) => {
    for (const _ of [1, 2]) assert.equal(await (await client.fetch("/")).text(), "ab");
  },
);

for (const [name, body] of [
  ["Blob", new Blob(["x"])],
  ["ArrayBuffer", new ArrayBuffer(1)],
  ["object", { x: 1 }],
  ["number", 7],
] as const) {
  adapters(
    `says of ${name} what a body is`,
    // @ts-expect-error: it is not a body
    () => content("text/plain", body),
    async (client, app) => {
      await assertConstant500(await client.fetch("/"));
      assert.match(String(await app.faulted), new RegExp(`TypeError: A body is text, bytes .* not ${name};`));
    },
  );
}

// Web responses

adapters(
  "sends a web Response that was taken over",
  () =>
    fromWebResponse(
      new Response("web", {
        status: 203,
        headers: [
          ["Set-Cookie", "a=1"],
          ["Set-Cookie", "b=2"],
        ],
      }),
    ),
  async (client) => {
    const response = await client.fetch("/");
    assert.equal(response.status, 203);
    assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
    assert.equal(await response.text(), "web");
  },
);

adapters(
  "answers a web Response without content",
  () => fromWebResponse(new Response(null, { status: 204 })),
  async (client) => assert.equal((await client.fetch("/")).status, noContent().status),
);

for (const [transport, open] of Object.entries(transports)) {
  describe(transport, () => {
    for (const [name, scenario] of behaviours) {
      it(name, async () => {
        const [handler, check] = scenario();
        const app = tinyApp(handler);
        const client = await open(app);
        try {
          await check(client, app);
        } finally {
          await client.close();
        }
      });
    }
  });
}

async function assertConstant500(response: Response): Promise<void> {
  assert.equal(response.status, 500);
  assert.deepEqual(await response.json(), {
    type: "/problems/internal-error",
    title: "Internal Server Error",
    status: 500,
  });
}

async function problemOf(response: Response): Promise<Readonly<Record<string, unknown>>> {
  assert.equal(response.headers.get("Content-Type"), "application/problem+json");
  // A problem document is an object.
  return (await response.json()) as Record<string, unknown>;
}

function inPieces(...pieces: readonly string[]): RequestInit {
  return { method: "POST", body: ReadableStream.from(pieces).pipeThrough(new TextEncoderStream()), duplex: "half" };
}

async function* failingAfter(pieces: readonly string[], error: Error): AsyncGenerator<string> {
  yield* pieces;
  throw error;
}

function failingWebStream(piece: string, error: Error): ReadableStream {
  let given = false;
  return new ReadableStream({
    pull(to) {
      if (given) to.error(error);
      else to.enqueue(piece);
      given = true;
    },
  });
}

function* endless(onEnd: () => void): Generator<string> {
  try {
    for (;;) yield "x".repeat(1000);
  } finally {
    onEnd();
  }
}

function endlessReadable(): Readable {
  return new Readable({
    read() {
      this.push("x");
    },
  });
}

/** One piece, and then a wait that only `return` ends. */
function neverAfter(piece: string, onEnd: () => void = () => undefined): AsyncIterable<string> {
  let given = false;
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (given) return new Promise<never>(() => undefined);
        given = true;
        return { done: false, value: piece };
      },
      async return() {
        onEnd();
        return { done: true, value: undefined };
      },
    }),
  };
}
