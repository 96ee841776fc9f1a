import assert from "node:assert/strict";
import { EventEmitter, on } from "node:events";
import { describe, it } from "node:test";
import { answers, GET, HttpRequest, none, router } from "waymark";
import { eventStream } from "waymark/content";

/** Reads the pieces of a stream, without the first, with which it begins at once. */
async function read(
  events: Iterable<eventStream.Event> | AsyncIterable<eventStream.Event>,
): Promise<readonly string[]> {
  const { body } = eventStream(HttpRequest.of(), events);
  return (await Array.fromAsync(body as AsyncIterable<string>)).slice(1); // it is streamed
}

/** A source that waits for what never comes, and notes its end. */
async function* silent(signal?: AbortSignal, onEnd = (): void => undefined) {
  try {
    for await (const [data] of on(new EventEmitter(), "news", signal && { signal })) yield { data };
  } finally {
    onEnd();
  }
}

const piecesOf = (request: HttpRequest, events: AsyncIterable<eventStream.Event>, heartbeat?: number) =>
  (eventStream(request, events, heartbeat === undefined ? {} : { heartbeat }).body as AsyncIterable<string>)[
    Symbol.asyncIterator
  ]();

describe("an event", () => {
  const cases: readonly (readonly [event: eventStream.Event, text: string])[] = [
    [{ data: "hello" }, "data: hello\n\n"],
    [{ data: "" }, "data: \n\n"],
    [{ data: "a\nb\r\nc\rd" }, "data: a\ndata: b\ndata: c\ndata: d\n\n"],
    [{ data: { title: "Emma\n" } }, 'data: {"title":"Emma\\n"}\n\n'],
    [{ data: null }, "data: null\n\n"],
    [{ data: 0, event: "count", id: "7", retry: 500 }, "event: count\nid: 7\nretry: 500\ndata: 0\n\n"],
    [{ id: "" }, "id: \n\n"],
  ];
  for (const [event, text] of cases) {
    it(`${JSON.stringify(event)} is ${JSON.stringify(text)}`, async () =>
      assert.deepEqual(await read([event]), [text]));
  }

  for (const event of [{ event: "a\ndata: b" }, { id: "1\r2" }, { id: "\0" }, { data: () => 1 }]) {
    it(`cuts its stream off where it has no form: ${JSON.stringify(event)}`, async () => {
      await assert.rejects(read([event]), TypeError);
    });
  }
});

describe("an event stream", () => {
  it("says what it is, to proxies too", () => {
    const { status, headers } = eventStream(HttpRequest.of(), []);
    assert.equal(status, 200);
    assert.equal(headers.get("Content-Type"), "text/event-stream");
    assert.equal(headers.get("Cache-Control"), "no-store, no-transform");
    assert.equal(headers.get("X-Accel-Buffering"), "no");
  });

  it("is a declared answer", async () => {
    const route = GET("/{id}", answers({ 200: none }), (request) =>
      eventStream(request, [{ data: request.variables.id }]),
    );
    const { body } = await router(route).handle(HttpRequest.of({ target: "/7" }));
    assert.deepEqual(await Array.fromAsync(body as AsyncIterable<string>), [":\n\n", "data: 7\n\n"]);
  });

  it("begins before there is an event, and shows that it goes on", async () => {
    const pieces = piecesOf(HttpRequest.of(), silent(), 1);
    for (let i = 0; i < 3; i++) assert.deepEqual(await pieces.next(), { done: false, value: ":\n\n" });
  });

  for (const name of ["signal", "draining"] as const) {
    it(`ends when the ${name} of its request aborts, while its source waits`, async () => {
      const abort = new AbortController();
      const pieces = piecesOf(HttpRequest.of({ [name]: abort.signal }), silent());
      await pieces.next();
      const next = pieces.next();
      abort.abort();
      assert.deepEqual(await next, { done: true, value: undefined });
    });
  }

  it("ends a source that has the signal, whose error is nobody's", async () => {
    const abort = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const pieces = piecesOf(HttpRequest.of({ signal: abort.signal }), silent(abort.signal, resolve));
    await pieces.next();
    const next = pieces.next();
    abort.abort();
    assert.equal((await next).done, true);
    await promise;
  });

  it("reads nothing of its source when it is over before it begins", async () => {
    const pieces = piecesOf(HttpRequest.of({ draining: AbortSignal.abort() }), silent());
    await pieces.next();
    assert.equal((await pieces.next()).done, true);
  });

  it("throws what its source throws", async () => {
    const failing = (async function* () {
      yield { data: 1 };
      throw new Error("no more");
    })();
    const pieces = piecesOf(HttpRequest.of(), failing);
    await pieces.next();
    assert.equal((await pieces.next()).value, "data: 1\n\n");
    await assert.rejects(pieces.next(), /no more/);
  });

  it("ends its source when it is given up", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const pieces = piecesOf(
      HttpRequest.of(),
      (async function* () {
        try {
          for (;;) yield { data: 1 };
        } finally {
          resolve();
        }
      })(),
    );
    await pieces.next();
    await pieces.next();
    await pieces.return?.();
    await promise;
  });

  it("ends its source once when nobody reads it, as for HEAD", async () => {
    let ends = 0;
    const source: AsyncIterableIterator<eventStream.Event> = {
      next: () => assert.fail("it is read"),
      return: async () => ({ done: true, value: void ends++ }),
      [Symbol.asyncIterator]: () => source,
    };
    const app = router(GET("/", (request) => eventStream(request, source)));
    const response = await app.fetch(new Request("http://localhost/", { method: "HEAD" }));
    assert.equal(response.headers.get("Content-Type"), "text/event-stream");
    assert.equal(ends, 1);
  });

  it("refuses a heartbeat that is not a number from 1", () => {
    for (const heartbeat of [0, -1, NaN]) {
      assert.throws(() => eventStream(HttpRequest.of(), [], { heartbeat }), /^RangeError: heartbeat is/);
    }
  });
});
