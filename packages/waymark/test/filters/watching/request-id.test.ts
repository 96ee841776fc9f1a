import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type App, GET, router, text } from "waymark";
import { nameRequests, requestId } from "waymark/filters";
import { transports } from "../../../../node/test/tools/transports.ts";
import { ask, asked } from "../../tools/ask.ts";

/** An app whose handler tells the id that it sees. */
const appWith = (faulty: (string | undefined)[] = []): App =>
  router(
    { filters: [nameRequests()], onFault: (_, request) => faulty.push(request?.attribute(requestId)) },
    GET("/id", (request) => text(request.attribute(requestId) ?? "none")),
    GET("/later", async (request) => text(request.attribute(requestId) ?? "none")),
    GET("/foreign", () => new Response("", { headers: { "X-Request-Id": "of elsewhere" } })),
    GET("/broken", () => {
      throw new Error("secret");
    }),
    GET("/broken-later", async () => {
      throw new Error("secret");
    }),
  );

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const trace = "0af7651916cd43dd8448eb211c80319c";
const parent = `00-${trace}-b7ad6b7169203331-01`;

for (const [transport, run] of Object.entries(transports)) {
  describe(`nameRequests (${transport})`, () => {
    for (const line of ["GET /id", "HEAD /id", "GET /nowhere", "DELETE /id", "GET /foreign", "GET /broken"]) {
      it(`gives ${line} a UUID of its own`, () =>
        run(appWith(), async (ask) => {
          const ids = new Set<string | undefined>();
          for (let i = 0; i < 3; i++) ids.add((await ask(line)).headers["x-request-id"]);
          assert.equal(ids.size, 3);
          for (const id of ids) assert.match(id ?? "", uuid);
        }));
    }

    it("shows handlers the id that the response has", () =>
      run(appWith(), async (ask) => {
        for (const line of ["GET /id", "GET /later"]) {
          const answer = await ask(line);
          assert.equal(answer.text, answer.headers["x-request-id"]);
        }
      }));

    it("shows onFault the id that the response has", async () => {
      const faulty: (string | undefined)[] = [];
      await run(appWith(faulty), async (ask) => {
        const sent = [await ask("GET /broken"), await ask("GET /broken-later")];
        assert.deepEqual(
          faulty,
          sent.map(({ headers }) => headers["x-request-id"]),
        );
      });
    });

    const accepted: readonly (readonly [headers: Readonly<Record<string, string>>, id: string])[] = [
      [{ "X-Request-Id": "7" }, "7"],
      [{ "X-Request-Id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" }, "01ARZ3NDEKTSV4RRFFQ69G5FAV"],
      [{ "X-Request-Id": "Root=1-67891233-abcdef012345678912345678" }, "Root=1-67891233-abcdef012345678912345678"],
      [{ "X-Request-Id": "a".repeat(128) }, "a".repeat(128)],
      [{ traceparent: parent }, trace],
      [{ traceparent: `cc-${trace}-b7ad6b7169203331-01-what-the-future-has` }, trace],
      [{ "X-Request-Id": "7", traceparent: parent }, "7"],
      [{ "X-Request-Id": "not one", traceparent: parent }, trace],
    ];
    for (const [headers, id] of accepted) {
      it(`takes ${JSON.stringify(headers).slice(0, 80)}`, () =>
        run(appWith(), async (ask) => {
          const answer = await ask("GET /id", headers);
          assert.deepEqual([answer.text, answer.headers["x-request-id"]], [id, id]);
        }));
    }

    const refused: readonly Readonly<Record<string, string>>[] = [
      { "X-Request-Id": "" },
      { "X-Request-Id": "a".repeat(129) },
      { "X-Request-Id": "two words" },
      { "X-Request-Id": "a,b" },
      { "X-Request-Id": "<script>" },
      { "X-Request-Id": '"quoted"' },
      { "X-Request-Id": "$(reboot)" },
      { "X-Request-Id": "\u00e9" },
      { traceparent: trace },
      { traceparent: parent.toUpperCase() },
      { traceparent: `${parent}-more` },
      { traceparent: parent.replace(trace, "0".repeat(32)) },
      { traceparent: parent.replace("b7ad6b7169203331", "0".repeat(16)) },
      { traceparent: parent.replace("00-", "ff-") },
      { traceparent: `${parent}, ${parent}` },
    ];
    for (const headers of refused) {
      it(`does not repeat ${JSON.stringify(headers).slice(0, 80)}`, () =>
        run(appWith(), async (ask) => assert.match((await ask("GET /id", headers)).text, uuid)));
    }
  });
}

describe("nameRequests", () => {
  it("repeats what a client sends only if it is harmless and short", async () => {
    const app = appWith();
    const sent = fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)) });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("X-Request-Id", "traceparent"), sent, async (name, value) => {
        fc.pre(!/[\x7f]/.test(value));
        const id = (await ask(app, "GET /id", { [name]: value })).header("X-Request-Id") ?? "";
        assert.match(id, /^[A-Za-z0-9._~:/+=@-]{1,128}$/);
        assert.ok(id === value || uuid.test(id));
      }),
    );
  });

  it("leaves the client's fields as they are", async () => {
    const app = router(
      { filters: [nameRequests()] },
      GET((request) => text(request.header("X-Request-Id") ?? "none")),
    );
    assert.equal((await app.handle(asked("GET /", { "X-Request-Id": "two words" }))).body, "two words");
  });

  it("stays synchronous", () => {
    assert.ok(!(appWith().handle(asked("GET /id")) instanceof Promise));
  });

  it("gives each of many thousand requests another id", async () => {
    const app = appWith();
    const ids = new Set<unknown>();
    for (let i = 0; i < 5000; i++) ids.add((await ask(app, "GET /id")).body);
    assert.equal(ids.size, 5000);
  });

  it("gives no request an id that can be guessed from another one", async () => {
    const app = appWith();
    const halves = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      const id = String((await ask(app, "GET /id")).body).replaceAll("-", "");
      halves.add(id.slice(0, 16)).add(id.slice(16));
    }
    assert.equal(halves.size, 2000);
  });

  it("draws nothing at random before there is a request, which some runtimes forbid", async (t) => {
    const draw = t.mock.method(crypto, "randomUUID");
    const fill = t.mock.method(crypto, "getRandomValues");
    const app = appWith();
    assert.equal(draw.mock.callCount() + fill.mock.callCount(), 0);
    await ask(app, "GET /id");
    assert.equal(draw.mock.callCount() + fill.mock.callCount(), 1);
  });
});
