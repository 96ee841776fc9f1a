import assert from "node:assert/strict";
import { connect as connectHttp2, type SecureClientSessionOptions } from "node:http2";
import { describe, it } from "node:test";
import { type RunningServer, serve } from "@waymark/node";
import fc from "fast-check";
import { before, GET, type HttpRequest, json, repeatable, router } from "waymark";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { tls } from "../http2/http2-frames.ts";
import { RawConnection } from "../tools/raw-connection.ts";

/** The ways to ask something of a head; each returns what it has seen. */
const questions: readonly ((request: HttpRequest) => unknown)[] = [
  ({ headers }) => headers.get("a"),
  ({ headers }) => headers.has("A"),
  ({ headers }) => headers.getAll("a"),
  ({ headers }) => headers.get("b"),
  ({ headers }) => headers.getAll("B"),
  ({ headers }) => headers.with("c", "new").get("a"),
  ({ headers }) => headers.withAdded("a", "new").getAll("a"),
  ({ headers }) => headers.without("a").get("b"),
  ({ headers }) => [...headers].filter(([name]) => /^[ab]$/i.test(name)),
  ({ headers }) => headers.flat.filter((text) => text.length === 1),
  ({ headers }) => headers.without("a").flat.length,
  (request) => request.withHeader("x", "y").header("b"),
  (request) => request.withoutHeader("b").headers.has("a"),
  ({ cookies }) => [...cookies],
  ({ client }) => client.address,
  ({ client }) => client.host,
  ({ client }) => client.scheme,
];

/** Answers with all that a request is asked, where what is asked next depends on what came before. */
function answer(request: HttpRequest): unknown {
  const seen: unknown[] = [];
  for (const number of request.path.slice(1).split("-")) {
    seen.push(questions[Number(number)]?.(request));
    if (seen.at(-1) === "stop") break;
  }
  return seen;
}

let calls = 0;
const app = router(
  // What is derived of a request is asked for like the request.
  { filters: [before((request) => request.withHeader("Z", "1"), { repeatable: true })] },
  GET("/{program}", (request) => {
    repeatable(request);
    calls++;
    return json(answer(request));
  }),
);

const line = fc.constantFrom(
  "A: ",
  "a: 1",
  "a: 1, 2",
  "a: 2",
  "B: stop",
  "b: 1",
  "Cookie: a=1",
  "X-Forwarded-For: 192.0.2.1",
);
const others = fc.constantFrom(
  "User-Agent: x",
  "C: 1",
  "X-Forwarded-For: 192.0.2.2",
  "X-Forwarded-Host: example.org",
  "D: a",
);
const head = fc.record({
  program: fc.constantFrom("0-3", "1-3", "2-5", "3-0", "4", "6-7", "8", "9-3", "10", "11-12", "13", "14", "15", "16-3"),
  fields: fc.tuple(fc.array(line, { maxLength: 3 }), fc.array(others, { maxLength: 2 })).map((lists) => lists.flat()),
});

describe("an answer from memory", () => {
  for (const trustProxy of [[], ["127.0.0.1"]]) {
    it(`is the one that the app would make${trustProxy.length > 0 ? ", behind a proxy" : ""}`, async () => {
      const options = { warn: () => undefined, trustProxy };
      const [remembering, plain] = await Promise.all([
        serve(app, { ...options, answerMemory: 2 ** 22 }),
        serve(app, options),
      ]);
      // Clients with two addresses, the second of which no proxy has; macOS has only the first.
      const addresses = process.platform === "linux" ? ["127.0.0.1", "127.0.0.2"] : ["127.0.0.1"];
      const clients = addresses.map((address) =>
        [remembering, plain].map(({ port }) => new RawConnection(port, address)),
      );
      const before = calls;
      let count = 0;
      try {
        await fc.assert(
          fc.asyncProperty(fc.array(head, { minLength: 10, maxLength: 40 }), async (heads) => {
            for (const { program, fields } of heads) {
              const client = clients[count++ % clients.length] ?? [];
              const [kept, made] = await Promise.all(
                client.map((connection) => connection.request(`GET /${program}`, ...fields).response()),
              );
              assert.equal(kept?.body, made?.body, `${program} ${fields}`);
            }
          }),
          { numRuns: runs(100) },
        );
        assert.ok(calls - before < 1.7 * count, "some came from memory");
      } finally {
        for (const connection of clients.flat()) connection.destroy();
        for (const server of [remembering, plain]) await server.close({ grace: 0 });
      }
    });
  }

  it("is the one that the app would make over HTTP/2", async () => {
    const options = { warn: () => undefined, tls };
    // Node's types lack the second, by which a client may repeat a field.
    const clientOptions = { ca: tls.cert, strictSingleValueFields: false } as SecureClientSessionOptions;
    const servers = await Promise.all([serve(app, { ...options, answerMemory: 2 ** 22 }), serve(app, options)]);
    const sessions = servers.map(({ url }) => connectHttp2(url, clientOptions));
    const bodyOf = async (session: (typeof sessions)[number], program: string, fields: readonly string[]) => {
      const pairs = fields.flatMap((text) => {
        const [name = "", ...value] = text.split(": ");
        return [name.toLowerCase(), value.join(": ")];
      });
      const stream = session.request([
        ":method",
        "GET",
        ":path",
        `/${program}`,
        ":authority",
        "a",
        ":scheme",
        "https",
        ...pairs,
      ]);
      return Buffer.concat(await stream.toArray()).toString();
    };
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(head, { minLength: 10, maxLength: 40 }), async (heads) => {
          for (const { program, fields } of heads) {
            const [kept, made] = await Promise.all(sessions.map((session) => bodyOf(session, program, fields)));
            assert.equal(kept, made, `${program} ${fields}`);
          }
        }),
        { numRuns: runs(30) },
      );
    } finally {
      for (const session of sessions) session.destroy();
      for (const server of servers as readonly RunningServer[]) await server.close({ grace: 0 });
    }
  });
});
