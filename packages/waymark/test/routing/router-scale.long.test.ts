import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type App, accept, GET, group, json, POST, path, type Route, router, text } from "waymark";
import { ask } from "../tools/ask.ts";
import { heapUsed } from "../tools/heap-used.ts";

const count = 10_000;
const numbers = Array.from({ length: count }, (_, i) => i);

/** What is answered with 200, or the status. */
async function answer(app: App, line: string, headers = {}): Promise<unknown> {
  const { status, body } = await ask(app, line, headers);
  return status === 200 ? body : status;
}

describe("a router of many routes", () => {
  type Kind = readonly [make: (i: number) => Route, target: (i: number) => string, count?: number];
  /** Of the first kind there are most: how many routes there may be is the same for all of them. */
  const kinds: Readonly<Record<string, Kind>> = {
    "fixed paths": [(i) => GET(`/items/item-${i}`, () => text(`${i}`)), (i) => `/items/item-${i}`, count],
    "variables after fixed text": [
      (i) => GET(`/items-${i}/{id}`, ({ variables }) => text(`${i}`).withHeader("X-Id", variables.id)),
      (i) => `/items-${i}/7`,
    ],
    "variables before fixed text": [(i) => GET(`/{id}/items-${i}`, () => text(`${i}`)), (i) => `/7/items-${i}`],
    "text around variables": [(i) => GET(`/files-${i}/{name}.{ext}`, () => text(`${i}`)), (i) => `/files-${i}/a.b`],
    "everything below a path": [(i) => GET(`/tree-${i}/{*rest}`, () => text(`${i}`)), (i) => `/tree-${i}/a/b`],
    "everything above a path": [(i) => GET(`/**/end-${i}`, () => text(`${i}`)), (i) => `/a/b/end-${i}`],
    "groups of their own": [
      (i) =>
        group(
          `/group-${i}`,
          group(
            "/{id}",
            GET("/books", () => text(`${i}`)),
          ),
        ),
      (i) => `/group-${i}/7/books`,
    ],
  };
  for (const [kind, [make, target, count = 1_000]] of Object.entries(kinds)) {
    it(`with ${kind} finds each of them: ${count}`, async () => {
      const app = router(...numbers.slice(0, count).map(make));
      assert.deepEqual(app.findings, []);
      assert.equal(app.routes.length, count);
      for (let i = 0; i < count; i++) assert.equal(await answer(app, `GET ${target(i)}`), `${i}`);
      for (const i of [0, 1, count / 2 - 1, count - 1]) {
        assert.equal(await answer(app, `HEAD ${target(i)}`), `${i}`);
        assert.equal(await answer(app, `POST ${target(i)}`), 405);
        assert.equal(await answer(app, `GET ${target(i)}/nothing/below`), kind.includes("below") ? `${i}` : 404);
      }
      assert.equal(await answer(app, `GET ${target(count)}`), 404);
    });
  }
});

describe("a router of mixed routes", () => {
  let app: App;

  before(() => {
    const collections = numbers.slice(0, count / 4).map((i) =>
      group(
        `/things-${i}`,
        group(
          accept("application/json"),
          GET("/{id:[0-9]+}", (request) => json([i, request.variables.id])),
          GET("/latest", () => json([i, "latest"])),
          GET("/{name}", (request) => json([i, "name", request.variables.name])),
        ),
        POST(() => text(`${i}`)),
      ),
    );
    app = router(
      GET("/**/health", () => text("health")),
      ...collections,
      GET("/{*rest}", (request) => json(request.variables.rest)),
    );
  });

  it("keeps the declared order", async () => {
    for (const i of [0, 1_234, count / 4 - 1]) {
      assert.equal(await answer(app, `GET /things-${i}/42`), `[${i},"42"]`);
      assert.equal(await answer(app, `GET /things-${i}/latest`), `[${i},"latest"]`);
      assert.equal(await answer(app, `GET /things-${i}/x`), `[${i},"name","x"]`);
      assert.equal(await answer(app, `GET /things-${i}/health`), "health");
      assert.equal(await answer(app, `POST /things-${i}`), `${i}`);
      assert.equal(await answer(app, `DELETE /things-${i}`), 405);
    }
  });

  it("tries the later ones when the earlier do not take the request", async () => {
    const rest = '["things-7","42"]';
    assert.equal(await answer(app, "GET /things-7/42", { Accept: "text/plain" }), rest);
    assert.equal(await answer(app, "GET /things-7/42/more"), '["things-7","42","more"]');
    assert.equal(await answer(app, `GET /things-${count}/42`), `["things-${count}","42"]`);
  });

  it("allows what the routes of the path have, and no other's", async () => {
    assert.equal((await ask(app, "OPTIONS /things-7")).headers.get("Allow"), "POST, GET, HEAD, OPTIONS");
    assert.equal((await ask(app, "OPTIONS /things-7/42")).headers.get("Allow"), "GET, HEAD, OPTIONS");
  });
});

describe("a router whose routes share one path", () => {
  it("tries all of them in order", async () => {
    const types = numbers.slice(0, 1_000).map((i) => `application/vnd.type-${i}`);
    const app = router(...types.map((type) => GET("/{id}", accept(type), () => text(type))));
    for (const i of [0, 500, 999]) {
      assert.equal(await answer(app, "GET /7", { Accept: types[i] }), types[i]);
    }
    assert.equal(await answer(app, "GET /7", { Accept: "application/vnd.type-1000" }), 406);
  });
});

describe("a router whose routes each restrict the same paths", () => {
  const bits = 17;
  /** Takes the paths whose segment at the position is "1". */
  const route = (position: number): Route => {
    const segments = Array.from({ length: bits }, (_, i) => (i === position ? "1" : `{_${i}}`));
    return group(
      path(`/${segments.join("/")}`),
      GET("/**", () => text(`${position}`)),
    );
  };

  it("takes bounded memory, whichever of the routes meet", async () => {
    const app = router(...numbers.slice(0, bits).map(route));
    const before = heapUsed();
    for (let combination = 1; combination <= 30_000; combination++) {
      const segments = combination.toString(2).padStart(bits, "0");
      const response = await ask(app, `GET /${[...segments].join("/")}`);
      assert.equal(response.body, `${segments.indexOf("1")}`);
    }
    assert.ok(heapUsed() - before < 100_000_000);
    assert.equal(app.routes.length, bits);
  });
});
