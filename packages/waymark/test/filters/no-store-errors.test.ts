import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { empty, GET, problem, problemTypes, router, text } from "waymark";
import { noStoreErrors } from "waymark/filters";
import { ask } from "../tools/ask.ts";

const app = router(
  { filters: [noStoreErrors()], onFault: () => undefined },
  GET("/missing", () => empty(404)),
  GET("/gone", () => text("gone for good", 410).withHeader("Cache-Control", "max-age=60")),
  GET("/wrong", async () => text("wrong", 400)),
  GET("/problem", () => problem(problemTypes.invalidContent)),
  GET("/good", () => text("good")),
  GET("/moved", () => empty(308).withHeader("Location", "/good")),
  GET("/broken", () => {
    throw new Error("secret");
  }),
);

describe("noStoreErrors", () => {
  for (const [line, status, cacheControl] of [
    ["GET /missing", 404, "no-store"],
    ["HEAD /missing", 404, "no-store"],
    ["GET /wrong", 400, "no-store"],
    ["GET /gone", 410, "max-age=60"],
    ["GET /problem", 400, "no-store"],
    ["GET /nowhere", 404, "no-store"],
    ["DELETE /good", 405, "no-store"],
    ["PURGE /good", 501, "no-store"],
    ["GET /broken", 500, "no-store"],
    ["GET /good", 200, undefined],
    ["GET /moved", 308, undefined],
  ] as const) {
    it(`${line}, ${status}: ${cacheControl ?? "says nothing"}`, async () => {
      const answer = await ask(app, line);
      assert.deepEqual([answer.status, answer.header("Cache-Control")], [status, cacheControl]);
    });
  }
});
