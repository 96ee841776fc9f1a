import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type App, GET, router, text } from "waymark";
import { nameRequests, requestId } from "waymark/filters";
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

describe("nameRequests", () => {
  const idOf = async (line: string, headers = {}): Promise<string> =>
    (await ask(appWith(), line, headers)).header("X-Request-Id") ?? "";

  for (const line of ["GET /id", "HEAD /id", "GET /nowhere", "DELETE /id", "GET /foreign", "GET /broken"]) {
    it(`gives ${line} a UUID of its own`, async () => {
      const ids = await Promise.all([1, 2, 3].map(() => idOf(line)));
      assert.equal(new Set(ids).size, 3);
      for (const id of ids) assert.match(id, uuid);
    });
  }

  it("shows handlers and onFault the id that the response has", async () => {
    for (const line of ["GET /id", "GET /later"]) {
      const { body, headers } = await ask(appWith(), line);
      assert.equal(body, headers.get("X-Request-Id"));
    }
    const faulty: (string | undefined)[] = [];
    const app = appWith(faulty);
    const sent = [await ask(app, "GET /broken"), await ask(app, "GET /broken-later")];
    assert.deepEqual(
      faulty,
      sent.map((response) => response.header("X-Request-Id")),
    );
  });

  const accepted: readonly (readonly [headers: Readonly<Record<string, string>>, id: string])[] = [
    [{ "X-Request-Id": "7" }, "7"],
    [{ "X-Request-Id": "Root=1-67891233-abcdef012345678912345678" }, "Root=1-67891233-abcdef012345678912345678"],
    [{ "X-Request-Id": "a".repeat(128) }, "a".repeat(128)],
    [{ traceparent: parent }, trace],
    [{ traceparent: `cc-${trace}-b7ad6b7169203331-01-what-the-future-has` }, trace],
    [{ "X-Request-Id": "7", traceparent: parent }, "7"],
    [{ "X-Request-Id": "not one", traceparent: parent }, trace],
  ];
  for (const [headers, id] of accepted) {
    it(`takes ${JSON.stringify(headers).slice(0, 80)}`, async () => {
      const answer = await ask(appWith(), "GET /id", headers);
      assert.deepEqual([answer.body, answer.header("X-Request-Id")], [id, id]);
    });
  }

  const refused: Readonly<Record<string, readonly string[]>> = {
    "X-Request-Id": ["", "a".repeat(129), "two words", "a,b", "<script>", '"quoted"', "$(reboot)", "\u00e9"],
    traceparent: [
      ...[trace, parent.toUpperCase(), `${parent}-more`, parent.replace(trace, "0".repeat(32))],
      ...[parent.replace("b7ad6b7169203331", "0".repeat(16)), parent.replace("00-", "ff-"), `${parent}, ${parent}`],
    ],
  };
  for (const [name, values] of Object.entries(refused)) {
    for (const value of values) {
      it(`does not repeat ${name}: ${JSON.stringify(value).slice(0, 60)}`, async () =>
        assert.match(await idOf("GET /id", { [name]: value }), uuid));
    }
  }

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
