import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, GET, group, router, text } from "waymark";
import { nameRequests, requestLog, requestMetrics } from "waymark/filters";
import type { RequestLogEntry } from "../../../src/filters/watching/request-log.ts";

const routes = [
  GET("/books/{id}", ({ variables }) => text(variables.id)),
  group(
    "/broken",
    GET(() => {
      throw new Error("no");
    }),
  ),
] as const;

describe("requestLog", () => {
  for (const order of ["before", "behind"]) {
    it(`has an entry for each request, with its id where the log stands ${order} nameRequests`, async () => {
      const entries: RequestLogEntry[] = [];
      const log = requestLog((entry) => entries.push(entry));
      const filters = order === "before" ? [log, nameRequests()] : [nameRequests(), log];
      const app = router({ filters, onFault: () => {} }, ...routes);
      for (const line of ["GET /books/7?q=secret", "PUT /books/7", "GET /broken"]) {
        await ask(app, line, { headers: { "X-Request-Id": line.replaceAll(/[ ?]/g, "-") } });
      }
      assert.deepEqual(
        entries.map(({ duration, address, ...entry }) => [Object.values(entry).join(" "), duration >= 0]),
        [
          ["GET /books/7 /books/{id} 200 true GET-/books/7-q=secret", true],
          ["PUT /books/7  405 true PUT-/books/7", true],
          ["GET /broken /broken 500 true GET-/broken", true],
        ],
      );
    });
  }

  it("is written on web globals, when the answer has been read", async () => {
    const entries: RequestLogEntry[] = [];
    const app = router({ filters: [requestLog((entry) => entries.push(entry))] }, ...routes);
    await (await app.fetch(new Request("http://localhost/books/7"))).text();
    assert.equal(entries[0]?.status, 200);
  });

  it("takes a function", () =>
    assert.throws(() => requestLog({} as never), /requestLog\(…\) takes a function, not object/));
});

describe("requestMetrics", () => {
  it("counts by route, method and status, and names no path that is made up", async () => {
    const metrics = requestMetrics([1, 0.5]);
    const app = router({ filters: [metrics] }, GET("/metrics", metrics.handler), ...routes);
    for (const line of ["GET /books/1", "GET /books/2", "WHATEVER /x/y"]) await ask(app, line);
    const { headers, value } = await ask<string>(app, "GET /metrics");
    assert.equal(headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
    const lines = value.split("\n");
    for (const line of [
      "# TYPE http_request_duration_seconds histogram",
      'http_request_duration_seconds_bucket{method="GET",route="/books/{id}",status="200",le="0.5"} 2',
      'http_request_duration_seconds_bucket{method="GET",route="/books/{id}",status="200",le="+Inf"} 2',
      'http_request_duration_seconds_count{method="GET",route="/books/{id}",status="200"} 2',
      'http_request_duration_seconds_count{method="",route="",status="404"} 1',
    ]) {
      assert.ok(lines.includes(line), `${line}\n${value}`);
    }
  });
});
