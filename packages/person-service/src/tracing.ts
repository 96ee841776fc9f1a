import type { Context, Span, SpanOptions, TextMapGetter } from "@opentelemetry/api";
import type { observeRequests } from "@waymark/node";
import { around, type Filter, type HttpRequest, type HttpResponse } from "waymark";
import type { HeaderList } from "waymark/fields";
import { type ServiceObserver, usualMethods } from "./observer.ts";
import { version } from "./package-files.ts";

/**
 * Traces a service with OpenTelemetry: a span for each request, named by its route, in the trace of `traceparent`; and inside it a
 * span for each operation of the store. Returns undefined, and loads nothing, unless an SDK of OpenTelemetry has been registered,
 * for example by `node --import ./instrumentation.js`.
 */
export async function openTracing(): Promise<ServiceObserver | undefined> {
  if (!isSdkRegistered()) return undefined;
  const { context, propagation, SpanKind, SpanStatusCode, trace } = await import("@opentelemetry/api");
  const tracer = trace.getTracer("person-service", version());

  const startSpan = (
    request: Traced["request"],
    times?: Pick<SpanOptions, "startTime">,
  ): { readonly span: Span; readonly within: Context } => {
    const parent = propagation.extract(context.active(), request.headers, headersGetter);
    const attributes = {
      "http.request.method": methodOf(request) ?? "_OTHER",
      "url.path": request.path,
      "url.scheme": request.client.scheme,
      ...(request.client.host !== undefined && { "server.address": request.client.host.replace(/:\d*$/, "") }),
    };
    const span = tracer.startSpan(methodOf(request) ?? "HTTP", { kind: SpanKind.SERVER, attributes, ...times }, parent);
    return { span, within: trace.setSpan(parent, span) };
  };

  const spans = new WeakMap<HttpRequest, Span>();

  const filter: Filter = around(
    (request, next) => {
      const { span, within } = startSpan(request);
      spans.set(request, span);
      return context.with(within, () => next(request));
    },
    { describes: {}, repeatable: true },
  );

  const endSpan = (span: Span, traced: Traced, time?: number): void => {
    const { request, response, contentBytes, receivedBytes } = traced;
    const { route } = request;
    if (route !== undefined) {
      span.updateName(`${methodOf(request) ?? "HTTP"} ${route.path}`);
      span.setAttribute("http.route", route.path);
    }
    if (receivedBytes > 0) span.setAttribute("http.request.body.size", receivedBytes);
    if (response !== undefined) {
      span.setAttributes({ "http.response.status_code": response.status, "http.response.body.size": contentBytes });
    }
    if (response === undefined || response.status >= 500) {
      span.setAttribute("error.type", response === undefined ? "aborted" : String(response.status));
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(time);
  };

  return {
    outerFilter: filter,
    onEnd(event) {
      const span = spans.get(event.request);
      if (span !== undefined) endSpan(span, event);
    },
    onRepeat({ request: { method, path, client, headers, route }, response, contentBytes, receivedBytes }) {
      // Not all of the request and the response, which would be kept with the answer.
      const request = { method, path, client, headers, route };
      const traced = { request, response: response && { status: response.status }, contentBytes, receivedBytes };
      return ({ duration }) => {
        const end = Date.now();
        endSpan(startSpan(request, { startTime: end - duration }).span, traced, end);
      };
    },
    onOperation({ collection, name, milliseconds, error }) {
      if (trace.getActiveSpan() === undefined) return;
      const end = Date.now();
      const attributes = { "db.operation.name": name, "db.collection.name": collection };
      const options = { kind: SpanKind.CLIENT, startTime: end - milliseconds, attributes };
      const span = tracer.startSpan(`${name} ${collection}`, options);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(end);
    },
  };
}

/** Returns the method; undefined for one that the client made up, since traces are grouped by it. */
const methodOf = ({ method }: Pick<HttpRequest, "method">): string | undefined =>
  usualMethods.has(method) ? method : undefined;

/** The API of OpenTelemetry keeps what is registered under this symbol, so that several copies of it work together. */
const registered = Symbol.for("opentelemetry.js.api.1");

const isSdkRegistered = (): boolean =>
  (globalThis as { readonly [registered]?: { readonly trace?: unknown } })[registered]?.trace !== undefined;

/** What a trace has of a request and its answer. */
interface Traced extends Pick<observeRequests.Event, "contentBytes" | "receivedBytes"> {
  readonly request: Pick<HttpRequest, "method" | "path" | "client" | "headers" | "route">;
  readonly response: Pick<HttpResponse, "status"> | undefined;
}

const headersGetter: TextMapGetter<HeaderList> = {
  keys: ({ flat }) => flat.filter((_, i) => i % 2 === 0),
  get: (headers, name) => headers.get(name),
};
