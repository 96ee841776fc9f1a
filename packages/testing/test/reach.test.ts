import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  answers,
  around,
  created,
  empty,
  type Filter,
  GET,
  group,
  type HttpRequest,
  json,
  none,
  open,
  POST,
  router,
  takes,
} from "waymark";
import { z } from "zod";
import type { ContractFailure } from "../src/contract.ts";
import { type ContractError, contract } from "../src/index.ts";

const Note = z.object({ text: z.string().min(1) });

const describes = { responses: { 401: { description: "Nobody has signed in." } } };
const isKnown = (request: HttpRequest<unknown>): boolean => request.header("Authorization") === "Bearer sesame";

/** An app with a guard around some routes, and one that is open. */
const appWith = (guard: Filter, opened: () => Response = () => Response.json("up")): App =>
  router(
    group(
      "/notes",
      guard,
      GET("/{id}", answers({ 200: Note }), () => json({ text: "Milk" })),
      POST(takes({ body: Note }), answers({ 201: none }), async (_, { body }) => {
        await body();
        return created("/notes/1");
      }),
    ),
    GET("/live", open("monitors"), answers({ 200: z.string() }), opened as never),
  );

async function failures(app: App): Promise<readonly ContractFailure[]> {
  const all: ContractFailure[] = [];
  for (const { run } of await contract(app, { headers: { Authorization: "Bearer sesame" }, requests: 20 })) {
    await run().catch((error: ContractError) => all.push(...error.failures));
  }
  return all;
}

const shown = ({ kind, expected, came }: ContractFailure) => `${kind}: ${expected}, not ${came.slice(0, 3)}`;

describe("a guard that declares 401", () => {
  const good = around((request, next) => (isKnown(request) ? next(request) : empty(401)), { describes });

  it("is proved by a request without credentials to each operation", async () => {
    assert.deepEqual((await failures(appWith(good))).map(shown), []);
  });

  it("that lets everybody in fails, at each operation", async () => {
    const none = around((request, next) => next(request), { describes });
    const said = "a valid request without credentials: 401, not";
    assert.deepEqual((await failures(appWith(none))).map(shown), [`${said} 201`, `${said} 200`]);
  });

  it("fails where it lets a method in, or answers otherwise", async () => {
    const forReads = around((request, next) => (request.method === "GET" ? next(request) : empty(401)), { describes });
    assert.deepEqual((await failures(appWith(forReads))).filter(({ kind }) => kind.includes("without")).map(shown), [
      "a valid request without credentials: 401, not 200",
    ]);
    const both = { responses: { ...describes.responses, 403: { description: "No." } } };
    const other = around((request, next) => (isKnown(request) ? next(request) : empty(403)), { describes: both });
    assert.equal((await failures(appWith(other))).length, 2);
  });

  it("fails where it reads the content first", async () => {
    const late = around(
      async (request, next) => {
        if (request.method === "POST") await request.text();
        return isKnown(request) ? next(request) : empty(401);
      },
      { describes },
    );
    assert.deepEqual((await failures(appWith(late))).map(shown), [
      "a valid request without credentials: a refusal before the content is read, not 401",
    ]);
  });
});

describe("a route that is open", () => {
  it("fails where it is refused all the same", async () => {
    const refused = () => new Response(null, { status: 403 });
    const found = await failures(
      appWith(
        around((request, next) => (isKnown(request) ? next(request) : empty(401)), { describes }),
        refused,
      ),
    );
    assert.ok(found.map(shown).includes("a valid request without credentials: no refusal of what is open(…), not 403"));
  });
});
