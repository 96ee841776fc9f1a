import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { serve } from "@waymark/node";
import { around, HttpRequest } from "waymark";
import { RawConnection } from "../../node/test/tools/raw-connection.ts";
import { openPersonService } from "../src/index.ts";
import { openTracing } from "../src/tracing.ts";

after(() => {
  for (const api of [trace, context, propagation]) api.disable();
});

describe("tracing", () => {
  it("does not happen where no SDK is registered", async () => {
    assert.equal(await openTracing(), undefined);
  });

  it("has a span for each request, by route and in the trace of its client, and one in it for the store", async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    const observer = await openTracing();
    assert(observer !== undefined);
    const failing = around(
      (request, next) => {
        if (request.path === "/hello-world") throw new Error("no such shelf");
        return next(request);
      },
      { repeatable: true },
    );
    const options = { observers: [observer], filters: [failing], onFault: () => undefined };
    const { app, database } = await openPersonService({ database: ":memory:", ...options });

    const [traceId, parentId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const headers = { "Content-Type": "application/json", traceparent: `00-${traceId}-${parentId}-01` };
    const body = JSON.stringify({ name: "Ada" });
    await app.handle(HttpRequest.of({ method: "POST", target: "/person", headers, body }));
    const [stored, request] = exporter.getFinishedSpans();
    assert.deepEqual([stored?.name, stored?.kind], ["create person", SpanKind.CLIENT]);
    assert.deepEqual([request?.name, request?.kind], ["POST /person", SpanKind.SERVER]);
    assert.deepEqual([request?.spanContext().traceId, request?.parentSpanContext?.spanId], [traceId, parentId]);
    assert.equal(stored?.parentSpanContext?.spanId, request?.spanContext().spanId);
    assert.deepEqual(request?.attributes, {
      "http.request.method": "POST",
      "url.path": "/person",
      "url.scheme": "http",
      "http.route": "/person",
      "http.request.body.size": body.length,
      "http.response.status_code": 200,
      "http.response.body.size": 0,
    });

    exporter.reset();
    const found = await app.handle(HttpRequest.of({ target: "/person/1" }));
    const attributes = exporter.getFinishedSpans().at(-1)?.attributes;
    assert.equal(attributes?.["http.response.body.size"], Buffer.byteLength(found.body as string)); // one record is a text
    assert.equal(attributes?.["http.request.body.size"], undefined);
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name }) => name),
      ["find person", "GET /person/{id}"],
    );

    exporter.reset();
    await app.handle(HttpRequest.of({ target: "/nothing" }));
    await app.handle(HttpRequest.of({ target: "/hello-world" }));
    assert.deepEqual(
      exporter.getFinishedSpans().map(({ name, status }) => [name, status.code]),
      [
        ["GET", SpanStatusCode.UNSET],
        ["GET", SpanStatusCode.ERROR],
      ],
    );

    exporter.reset();
    await app.handle(HttpRequest.of({ method: "BREW", target: "/person" }));
    const [brew] = exporter.getFinishedSpans();
    assert.deepEqual([brew?.name, brew?.attributes["http.request.method"]], ["HTTP", "_OTHER"]);

    exporter.reset();
    const server = await serve(app, { answerMemory: 2 ** 20 });
    const connection = new RawConnection(server.port);
    try {
      for (let i = 0; i < 6; i++) await connection.request("GET /person/1", "Accept: application/json").response();
      const spans = exporter.getFinishedSpans().filter(({ kind }) => kind === SpanKind.SERVER);
      const [first] = spans;
      assert.deepEqual([spans.length, exporter.getFinishedSpans().length], [6, 8]);
      for (const { name, attributes, duration, parentSpanContext } of spans) {
        assert.deepEqual([name, attributes, parentSpanContext], [first?.name, first?.attributes, undefined]);
        assert(duration[0] === 0 && duration[1] > 0, `${duration}`);
      }
    } finally {
      connection.destroy();
      await server.close({ grace: 0 });
    }
    await database.close();
  });
});
