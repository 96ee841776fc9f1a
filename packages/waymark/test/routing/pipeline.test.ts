import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  after,
  around,
  before,
  type Filter,
  GET,
  group,
  HttpError,
  type HttpRequest,
  HttpResponse,
  ok,
  onError,
  problem,
  problemTypes,
  type Route,
  router,
  text,
} from "waymark";
import type { Member } from "../../src/route.ts";
import { ask, asked } from "../tools/ask.ts";
import { trail } from "../tools/trail.ts";

class Broken extends Error {}
class VeryBroken extends Broken {}

const fails = (error: unknown) => (): never => {
  throw error;
};
const rejects = (error: unknown) => async (): Promise<never> => {
  throw error;
};
const ways = { thrown: fails, rejected: rejects };

/** Each place in which a program can throw this: the filters, and the route inside them. */
const placesOf = (error: unknown): Readonly<Record<string, readonly [filters: readonly Filter[], route: Route]>> => ({
  "a handler": [[], GET(fails(error))],
  "an async handler": [[], GET(rejects(error))],
  "a before": [[before(fails(error))], GET(ok)],
  "an async before": [[before(rejects(error))], GET(ok)],
  "an after": [[after(fails(error))], GET(ok)],
  "an async after": [[after(rejects(error))], GET(ok)],
  "an after of an async handler": [[after(fails(error))], GET(async () => ok())],
  "an around": [[around(fails(error))], GET(ok)],
  "an async around": [[around(rejects(error))], GET(ok)],
  "an around after its next step": [
    [
      around(async (request, next) => {
        await next(request);
        throw error;
      }),
    ],
    GET(ok),
  ],
  "an onError clause": [[onError(Broken, fails(error))], GET(fails(new Broken()))],
  "an async onError clause": [[onError(Broken, rejects(error))], GET(rejects(new Broken()))],
});

describe("an HttpError", () => {
  const conflict = new HttpError(problem(problemTypes.invalidContent, { detail: "thrown" }));

  for (const [place, [filters, route]] of Object.entries(placesOf(conflict))) {
    it(`thrown in ${place} is a response, which the filters around see`, async () => {
      const look = after((_, response) => response.withAddedHeader("X-Seen", `${response.status}`));
      const faults: unknown[] = [];
      const never = onError(Error, () => text("never"));
      const apps = [
        router(
          { filters: [look], onFault: (error) => faults.push(error) },
          group(look, never, group(...filters, route)),
        ),
        router({ filters: [look, look, ...filters] }, route),
      ];
      for (const app of apps) {
        const { status, headers, problem } = await ask(app, "GET /");
        assert.deepEqual([status, problem?.detail, headers.getAll("X-Seen")], [400, "thrown", ["400", "400"]]);
      }
      assert.deepEqual(faults, []);
    });
  }

  it("is not seen by the filters further in, and by an around filter never as an error", async () => {
    const { steps, before: passed, after: passedBack, handler } = trail();
    const watching = around(async (request, next) => {
      try {
        return await next(request);
      } catch (error) {
        steps.push("caught");
        throw error;
      }
    });
    const refuses = group(before(fails(conflict)), passed("b"), passedBack("a"), GET("/a", handler()));
    const app = router(refuses, group(watching, GET("/b", rejects(conflict))));
    for (const target of ["/a", "/b"]) assert.equal((await ask(app, `GET ${target}`)).status, 400);
    assert.deepEqual(steps, []);
  });

  it("is needed around a response, and a response around it: else the fault says so", async () => {
    assert.throws(() => new HttpError(404 as never), {
      name: "TypeError",
      message: "new HttpError(…) takes a response, such as notFound() or problem(…), not number",
    });
    for (const thrown of [ok(), new Response()]) {
      const faults: unknown[] = [];
      const app = router({ onFault: (error) => faults.push(error) }, GET(fails(thrown)));
      assert.equal((await ask(app, "GET /")).status, 500);
      assert.match(
        String(faults[0]),
        /^TypeError: A response was thrown as it is: return it, or throw new HttpError\(/,
      );
    }
  });
});

describe("a fault", () => {
  const secret = new Error("password=hunter2");

  for (const [place, [filters, route]] of Object.entries(placesOf(secret))) {
    it(`in ${place} is passed to onFault, and answered with a constant 500`, async () => {
      const told: (readonly [unknown, HttpRequest | undefined])[] = [];
      const app = router({ onFault: (error, request) => told.push([error, request]) }, group(...filters, route));
      const request = asked("GET /");
      const { status, headers, body } = await app.handle(request);
      assert.deepEqual(told, [[secret, request]]);
      assert.equal(status, 500);
      assert.deepEqual(headers.flat, [
        ...["Content-Type", "application/problem+json"],
        ...["Cache-Control", "no-store"],
        ...["X-Content-Type-Options", "nosniff"],
        ...["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
        ...["Referrer-Policy", "no-referrer"],
      ]);
      assert.equal(body, '{"type":"/problems/internal-error","title":"Internal Server Error","status":500}');
    });

    it(`in ${place} within a web filter is a response for it, that of a clause or a 500`, async () => {
      const clause = onError(Error, () => new HttpResponse(503));
      for (const clauses of [[], [clause]]) {
        const { steps, around } = trail();
        const faults: unknown[] = [];
        const mark = after((_, response) => response.withHeader("X-Seen", String(response.status)));
        const web = [mark, around("web"), ...filters, ...clauses];
        const response = await ask(router({ filters: web, onFault: (error) => faults.push(error) }, route), "GET /");
        // What a clause throws is not offered to the clauses beside it.
        const isTaken = clauses.includes(clause) && !place.includes("onError");
        const expected = isTaken ? 503 : 500;
        assert.deepEqual([response.status, response.header("X-Seen")], [expected, String(expected)]);
        assert.deepEqual(steps, ["web in", "web out"]);
        assert.deepEqual(faults, isTaken ? [] : [secret]);
      }
    });
  }

  it("need not be an Error", async () => {
    for (const thrown of [undefined, null, "text", 0, { status: 404 }]) {
      const told: unknown[] = [];
      const app = router({ onFault: (error) => told.push(error) }, group(onError(Error, ok), GET(fails(thrown))));
      assert.equal((await ask(app, "GET /")).status, 500);
      assert.deepEqual(told, [thrown]);
    }
  });

  for (const [kind, fail] of Object.entries(ways)) {
    it(`that is ${kind} unwinds through the around filters of groups, and past their after filters`, async () => {
      const { steps, after: passedBack } = trail();
      const look = (name: string): Filter =>
        around(async (request, next) => {
          try {
            return await next(request);
          } catch (error) {
            steps.push(`${name}: ${(error as Error).message}`);
            throw error;
          } finally {
            steps.push(`${name} is done`);
          }
        });
      const app = router(
        { onFault: () => steps.push("fault") },
        group(look("outer"), passedBack("after"), group(look("inner"), GET(fail(secret)))),
      );
      assert.equal((await ask(app, "GET /")).status, 500);
      assert.deepEqual(steps, [
        ...["inner: password=hunter2", "inner is done"],
        ...["outer: password=hunter2", "outer is done"],
        "fault",
      ]);
    });
  }

  it("may be answered by an around filter that catches it", async () => {
    const catching = around(async (request, next) => {
      try {
        return await next(request);
      } catch {
        return new HttpResponse(503);
      }
    });
    assert.equal((await ask(router(group(catching, GET(rejects(secret)))), "GET /")).status, 503);
  });
});

describe("onError", () => {
  const named = (name: string) => () => text(name);
  const quiet = { onFault: () => {} };
  /** What is answered, or the status of what is not 200. */
  const answerOf = async (members: readonly Member[], target = "/"): Promise<unknown> => {
    const { status, body } = await ask(router(quiet, group(...members)), `GET ${target}`);
    return status === 500 ? 500 : body;
  };

  for (const [kind, fail] of Object.entries(ways)) {
    it(`answers for what is ${kind}, of its type and those below`, async () => {
      const clauses = [onError(Broken, named("broken")), onError(TypeError, named("type"))];
      for (const [error, expected] of [
        [new Broken(), "broken"],
        [new VeryBroken(), "broken"],
        [new TypeError(), "type"],
        [new Error(), 500],
        ["text", 500],
      ] as const) {
        assert.equal(await answerOf([...clauses, GET(fail(error))]), expected);
      }
    });

    it(`without a type answers for everything that is ${kind}, an error or not`, async () => {
      for (const thrown of [new Broken(), "text", undefined, null, 0, { status: 404 }]) {
        const taken: unknown[] = [];
        const take = onError((caught, request) => {
          taken.push(caught, request.path);
          return text("taken");
        });
        assert.equal(await answerOf([take, GET(fail(thrown))]), "taken");
        assert.deepEqual(taken, [thrown, "/"]);
        assert.equal((await ask(router({ filters: [take] }, GET(fail(thrown))), "GET /")).body, "taken");
      }
    });

    it(`without a type leaves what is ${kind} to the clauses before it, and HttpErrors be`, async () => {
      for (const [error, expected] of [
        [new VeryBroken(), "broken"],
        [new TypeError(), "all"],
        ["text", "all"],
        [new HttpError(text("an answer", 409)), "an answer"],
      ] as const) {
        assert.equal(
          await answerOf([onError(Broken, named("broken")), onError(named("all")), GET(fail(error))]),
          expected,
        );
      }
    });
  }

  it("is tried in declared order", async () => {
    const [wide, narrow] = [onError(Broken, named("wide")), onError(VeryBroken, named("narrow"))];
    assert.equal(await answerOf([wide, narrow, GET(fails(new VeryBroken()))]), "wide");
    assert.equal(await answerOf([narrow, wide, GET(fails(new VeryBroken()))]), "narrow");
  });

  it("gets the error, and the request as it came to the group", async () => {
    const app = router(
      group(
        onError(Broken, (caught, request) => text(`${caught.message} ${request.header("X-A")} ${request.path}`)),
        before((request) => request.withHeader("X-A", "changed")),
        GET("/a", fails(new Broken("the error"))),
      ),
    );
    assert.equal((await ask(app, "GET /a", { "X-A": "sent" })).body, "the error sent /a");
  });

  it("stands around the filters of its group, wherever it is written, and inside those of the groups around", async () => {
    const add = (name: string): Filter => after((_, response) => response.withAddedHeader("X-Filter", name));
    const inner = group(add("inner"), GET(fails(new Broken())), onError(Broken, named("caught")));
    assert.deepEqual((await ask(router(group(add("outer"), inner)), "GET /")).headers.getAll("X-Filter"), ["outer"]);
    const fail = fails(new Broken());
    for (const filter of [before(fail), after(fail), around(fail)]) {
      assert.equal(await answerOf([filter, GET(ok), onError(Broken, named("caught"))]), "caught");
    }
  });

  it("leaves what it does not take, and what it throws on, to the group around", async () => {
    const wrap = async (error: Error) => {
      throw new Error(`wrapped ${error.message}`);
    };
    const again = (error: Error) => {
      throw error;
    };
    const members = [
      onError(TypeError, named("never")),
      onError(Error, (error) => text(`outer: ${error.message}`)),
      group("/other", onError(TypeError, named("never")), GET(fails(new Broken("not of the type")))),
      group(
        "/again",
        onError(Broken, again),
        onError(Error, named("never: one clause of a group is tried")),
        GET(fails(new Broken("thrown on"))),
      ),
      group("/async", onError(Broken, wrap), GET(fails(new Broken("later")))),
    ];
    assert.equal(await answerOf(members, "/other"), "outer: not of the type");
    assert.equal(await answerOf(members, "/again"), "outer: thrown on");
    assert.equal(await answerOf(members, "/async"), "outer: wrapped later");
  });

  it("does not answer for the groups beside it", async () => {
    const beside = group("/b", GET(fails(new Broken())));
    assert.equal(await answerOf([group("/a", onError(Broken, named("caught")), GET(ok)), beside], "/b"), 500);
  });

  it("takes abstract classes", async () => {
    abstract class Refusal extends Error {
      abstract readonly reason: string;
    }
    class Closed extends Refusal {
      readonly reason = "closed";
    }
    assert.equal(await answerOf([onError(Refusal, ({ reason }) => text(reason)), GET(fails(new Closed()))]), "closed");
  });
});

describe("a wrong return value", () => {
  const nothing = (): never => undefined as never; // What a function without a return gives, whatever the types say.
  const later = async (): Promise<never> => undefined as never; // As above.
  const wrong = (value: unknown) => (): never => value as never; // As above.
  const noResponse = "gave undefined, not a response";
  const steps: Readonly<Record<string, readonly [members: readonly Member[], step: string, gave: string]>> = {
    "a handler that returns nothing": [[GET(nothing)], "handler", noResponse],
    "a handler that promises nothing": [[GET(later)], "handler", noResponse],
    "a handler that returns null": [[GET(wrong(null))], "handler", "gave null, not a response"],
    "a handler that returns text": [[GET(wrong("text"))], "handler", "gave string, not a response"],
    "a before that returns nothing": [[before(nothing), GET(ok)], "filter", "gave undefined, not a request"],
    "a before that promises nothing": [[before(later), GET(ok)], "filter", "gave undefined, not a request"],
    "a before that returns a response": [[before(wrong(ok())), GET(ok)], "filter", "gave object, not a request"],
    "an after that returns nothing": [[after(nothing), GET(ok)], "after filter", noResponse],
    "an after that promises nothing": [[after(later), GET(ok)], "after filter", noResponse],
    "an around that returns nothing": [[around(nothing), GET(ok)], "around filter", noResponse],
    "an around that calls its next step without the request": [
      [around((_, next) => next(undefined as never)), GET(ok)], // As above.
      "filter",
      "called its next step with undefined, not a request",
    ],
    "an onError clause that returns nothing": [
      [onError(Broken, nothing), GET(fails(new Broken()))],
      "onError clause",
      noResponse,
    ],
  };
  for (const [name, [members, step, gave]] of Object.entries(steps)) {
    it(`of ${name} is a fault that names the place, and a 500 that names nothing`, async () => {
      const told: unknown[] = [];
      const response = await ask(router({ onFault: (error) => told.push(error) }, group(...members)), "GET /");
      assert.equal(response.status, 500);
      assert.doesNotMatch(String(response.body), /declared|undefined|\.ts/);
      assert.equal(told.length, 1);
      const message = `^The ${step} declared at .*pipeline\\.test\\.ts:\\d+:\\d+ ${gave}$`;
      assert.match((told[0] as Error).message, new RegExp(message));
    });
  }
});
