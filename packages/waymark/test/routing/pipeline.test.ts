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
  router,
  text,
} from "waymark";
import type { Member } from "../../src/route.ts";
import { ask, asked } from "../tools/ask.ts";
import { trail } from "../tools/trail.ts";

class Broken extends Error {}
class VeryBroken extends Broken {}

describe("an HttpError", () => {
  const conflict = () => new HttpError(problem(problemTypes.invalidContent, { detail: "thrown" }));
  const thrower = (): never => {
    throw conflict();
  };
  const rejecter = async (): Promise<never> => {
    throw conflict();
  };
  const thrownBy: Readonly<Record<string, readonly Member[]>> = {
    "a handler": [GET(thrower)],
    "an async handler": [GET(rejecter)],
    "a before": [before(thrower), GET(ok)],
    "an async before": [before(rejecter), GET(ok)],
    "an after": [after(thrower), GET(ok)],
    "an async after": [after(rejecter), GET(ok)],
    "an after of an async handler": [after(thrower), GET(async () => ok())],
    "an around": [around(thrower), GET(ok)],
    "an async around": [around(rejecter), GET(ok)],
    "an around after its next step": [
      around(async (request, next) => {
        await next(request);
        throw conflict();
      }),
      GET(ok),
    ],
    "an onError clause": [
      onError(Broken, thrower),
      GET(() => {
        throw new Broken();
      }),
    ],
    "an async onError clause": [
      onError(Broken, rejecter),
      GET(async () => {
        throw new Broken();
      }),
    ],
  };
  for (const [thrownIn, members] of Object.entries(thrownBy)) {
    it(`thrown in ${thrownIn} is a response, which the filters around see`, async () => {
      const seen: number[] = [];
      const look = after((_, response) => {
        seen.push(response.status);
        return response.withAddedHeader("X-Seen", "1");
      });
      const faults: unknown[] = [];
      const app = router(
        { filters: [look], onFault: (error) => faults.push(error) },
        group(
          look,
          onError(Error, () => text("never")),
          group(...members),
        ),
      );
      const response = await ask(app, "GET /");
      assert.equal(response.status, 400);
      assert.equal(JSON.parse(String(response.body)).detail, "thrown");
      assert.deepEqual(seen, [400, 400]);
      assert.deepEqual(response.headers.getAll("X-Seen"), ["1", "1"]);
      assert.deepEqual(faults, []);
    });
  }

  it("is not seen by the filters further in", async () => {
    const { steps, before: passed, after: passedBack, handler } = trail();
    const app = router(group(before(thrower), passed("b"), passedBack("a"), GET(handler())));
    assert.equal((await ask(app, "GET /")).status, 400);
    assert.deepEqual(steps, []);
  });

  it("never reaches an around filter as an error", async () => {
    const caught: unknown[] = [];
    const app = router(
      group(
        around(async (request, next) => {
          try {
            return await next(request);
          } catch (error) {
            caught.push(error);
            throw error;
          }
        }),
        GET(rejecter),
      ),
    );
    assert.equal((await ask(app, "GET /")).status, 400);
    assert.deepEqual(caught, []);
  });

  it("is needed around a response, and a response around it: else the fault says so", async () => {
    assert.throws(() => new HttpError(404 as never), {
      name: "TypeError",
      message: "new HttpError(…) takes a response, such as notFound() or problem(…), not number",
    });
    for (const thrown of [ok(), new Response()]) {
      const faults: unknown[] = [];
      const app = router(
        { onFault: (error) => faults.push(error) },
        GET(() => {
          throw thrown;
        }),
      );
      assert.equal((await ask(app, "GET /")).status, 500);
      assert.match(
        String(faults[0]),
        /^TypeError: A response was thrown as it is: return it, or throw new HttpError\(/,
      );
    }
  });

  it("thrown in a web filter is a response, too", async () => {
    for (const filter of [before(thrower), before(rejecter), around(thrower), after(rejecter)]) {
      assert.equal((await ask(router({ filters: [filter] }, GET(ok)), "GET /")).status, 400);
    }
  });
});

describe("a fault", () => {
  const secret = new Error("password=hunter2");
  const thrower = (): never => {
    throw secret;
  };
  const rejecter = async (): Promise<never> => {
    throw secret;
  };
  const thrownBy: Readonly<Record<string, readonly Member[]>> = {
    "a handler": [GET(thrower)],
    "an async handler": [GET(rejecter)],
    "a before": [before(thrower), GET(ok)],
    "an async before": [before(rejecter), GET(ok)],
    "an after": [after(thrower), GET(ok)],
    "an async after": [after(rejecter), GET(ok)],
    "an around": [around(thrower), GET(ok)],
    "an async around": [around(rejecter), GET(ok)],
    "an onError clause": [
      onError(Broken, thrower),
      GET(() => {
        throw new Broken();
      }),
    ],
  };
  for (const [thrownIn, members] of Object.entries(thrownBy)) {
    it(`in ${thrownIn} is passed to onFault, and answered with a constant 500`, async () => {
      const told: (readonly [unknown, HttpRequest | undefined])[] = [];
      const app = router({ onFault: (error, request) => told.push([error, request]) }, group(...members));
      const request = asked("GET /");
      const response = await app.handle(request);
      assert.deepEqual(told, [[secret, request]]);
      assert.equal(response.status, 500);
      assert.deepEqual(response.headers.flat, [
        "Content-Type",
        "application/problem+json",
        "Cache-Control",
        "no-store",
        ...["X-Content-Type-Options", "nosniff"],
        ...["Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"],
        ...["Referrer-Policy", "no-referrer"],
      ]);
      assert.deepEqual(JSON.parse(String(response.body)), {
        type: "/problems/internal-error",
        title: "Internal Server Error",
        status: 500,
      });
    });
  }

  it("need not be an Error", async () => {
    for (const thrown of [undefined, null, "text", 0, { status: 404 }]) {
      const told: unknown[] = [];
      const fail = () => {
        throw thrown;
      };
      const app = router({ onFault: (error) => told.push(error) }, group(onError(Error, ok), GET(fail)));
      assert.equal((await ask(app, "GET /")).status, 500);
      assert.deepEqual(told, [thrown]);
    }
  });

  for (const [kind, handler] of Object.entries({ thrown: thrower, rejected: rejecter })) {
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
        group(look("outer"), passedBack("after"), group(look("inner"), GET(handler))),
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
    const app = router(
      group(
        around(async (request, next) => {
          try {
            return await next(request);
          } catch {
            return new HttpResponse(503);
          }
        }),
        GET(rejecter),
      ),
    );
    assert.equal((await ask(app, "GET /")).status, 503);
  });
});

describe("onError", () => {
  const throws = (error: unknown, target = ""): Member =>
    GET(target, () => {
      throw error;
    });
  const rejects = (error: unknown): Member =>
    GET(async () => {
      throw error;
    });
  const named = (name: string) => () => text(name);

  for (const [kind, fail] of Object.entries({ thrown: throws, rejected: rejects })) {
    it(`answers for what is ${kind}, of its type and those below`, async () => {
      const clauses = [onError(Broken, named("broken")), onError(TypeError, named("type"))];
      const bodyFor = async (error: unknown): Promise<unknown> => {
        const app = router({ onFault: () => {} }, group(...clauses, fail(error)));
        const response = await ask(app, "GET /");
        return response.status === 200 ? response.body : response.status;
      };
      assert.equal(await bodyFor(new Broken()), "broken");
      assert.equal(await bodyFor(new VeryBroken()), "broken");
      assert.equal(await bodyFor(new TypeError()), "type");
      assert.equal(await bodyFor(new Error()), 500);
      assert.equal(await bodyFor("text"), 500);
    });
  }

  for (const [kind, fail] of Object.entries({ thrown: throws, rejected: rejects })) {
    it(`without a type answers for everything that is ${kind}, an error or not`, async () => {
      for (const thrown of [new Broken(), "text", undefined, null, 0, { status: 404 }]) {
        const taken: unknown[] = [];
        const take = onError((caught, request) => {
          taken.push(caught, request.path);
          return text("taken");
        });
        const app = router(group(take, fail(thrown)));
        assert.equal((await ask(app, "GET /")).body, "taken");
        assert.deepEqual(taken, [thrown, "/"]);
        const web = router({ filters: [take] }, group(fail(thrown)));
        assert.equal((await ask(web, "GET /")).body, "taken");
      }
    });

    it(`without a type leaves what is ${kind} to the clauses before it, and HttpErrors be`, async () => {
      const bodyFor = async (error: unknown): Promise<unknown> =>
        (await ask(router(group(onError(Broken, named("broken")), onError(named("all")), fail(error))), "GET /")).body;
      assert.equal(await bodyFor(new VeryBroken()), "broken");
      assert.equal(await bodyFor(new TypeError()), "all");
      assert.equal(await bodyFor("text"), "all");
      assert.equal(await bodyFor(new HttpError(text("an answer", 409))), "an answer");
    });
  }

  it("is tried in declared order", async () => {
    const wide = router(
      group(onError(Broken, named("wide")), onError(VeryBroken, named("narrow")), throws(new VeryBroken())),
    );
    assert.equal((await ask(wide, "GET /")).body, "wide");
    const narrow = router(
      group(onError(VeryBroken, named("narrow")), onError(Broken, named("wide")), throws(new VeryBroken())),
    );
    assert.equal((await ask(narrow, "GET /")).body, "narrow");
  });

  it("gets the error, and the request as it came to the group", async () => {
    const error = new Broken("the error");
    const app = router(
      group(
        onError(Broken, (caught, request) => text(`${caught.message} ${request.header("X-A")} ${request.path}`)),
        before((request) => request.withHeader("X-A", "changed")),
        throws(error, "/a"),
      ),
    );
    assert.equal((await ask(app, "GET /a", { "X-A": "sent" })).body, "the error sent /a");
  });

  it("stands around the filters of its group, wherever it is written, and inside those of the groups around", async () => {
    const add = (name: string): Filter => after((_, response) => response.withAddedHeader("X-Filter", name));
    const app = router(
      group(add("outer"), group(add("inner"), throws(new Broken()), onError(Broken, named("caught")))),
    );
    assert.deepEqual((await ask(app, "GET /")).headers.getAll("X-Filter"), ["outer"]);
  });

  it("answers for the filters of its group", async () => {
    const fail = () => {
      throw new Broken();
    };
    for (const filter of [before(fail), after(fail), around(fail)]) {
      assert.equal(
        (await ask(router(group(filter, GET(ok), onError(Broken, named("caught")))), "GET /")).body,
        "caught",
      );
    }
  });

  it("leaves what it does not take, and what it throws on, to the group around", async () => {
    const app = router(
      group(
        onError(TypeError, named("never")),
        onError(Error, (error) => text(`outer: ${error.message}`)),
        group("/other", onError(TypeError, named("never")), throws(new Broken("not of the type"))),
        group(
          "/again",
          onError(Broken, (error) => {
            throw error;
          }),
          onError(Error, named("never: one clause of a group is tried")),
          throws(new Broken("thrown on")),
        ),
        group(
          "/async",
          onError(Broken, async (error) => {
            throw new Error(`wrapped ${error.message}`);
          }),
          throws(new Broken("later")),
        ),
      ),
    );
    assert.equal((await ask(app, "GET /other")).body, "outer: not of the type");
    assert.equal((await ask(app, "GET /again")).body, "outer: thrown on");
    assert.equal((await ask(app, "GET /async")).body, "outer: wrapped later");
  });

  it("does not answer for the groups beside it", async () => {
    const app = router(
      { onFault: () => {} },
      group("/a", onError(Broken, named("caught")), GET(ok)),
      group("/b", throws(new Broken())),
    );
    assert.equal((await ask(app, "GET /b")).status, 500);
  });

  it("among the web filters answers for everything", async () => {
    const app = router(
      {
        filters: [
          onError(Broken, named("caught")),
          before((request) => {
            if (request.path === "/filter") throw new Broken();
            return request;
          }),
        ],
      },
      group(throws(new Broken())),
    );
    assert.equal((await ask(app, "GET /")).body, "caught");
    assert.equal((await ask(app, "GET /filter")).body, "caught");
  });

  it("takes abstract classes", async () => {
    abstract class Refusal extends Error {
      abstract readonly reason: string;
    }
    class Closed extends Refusal {
      readonly reason = "closed";
    }
    const app = router(
      group(
        onError(Refusal, ({ reason }) => text(reason)),
        throws(new Closed()),
      ),
    );
    assert.equal((await ask(app, "GET /")).body, "closed");
  });
});

describe("a wrong return value", () => {
  const nothing = (): never => undefined as never; // What a function without a return gives, whatever the types say.
  const later = async (): Promise<never> => undefined as never; // As above.
  const steps: Readonly<Record<string, readonly [members: readonly Member[], message: RegExp]>> = {
    "a handler that returns nothing": [
      [GET(nothing)],
      /^The handler declared at .*pipeline\.test\.ts:\d+:\d+ gave undefined, not a response$/,
    ],
    "a handler that promises nothing": [[GET(later)], /^The handler declared at .* gave undefined, not a response$/],
    "a handler that returns null": [
      [GET(() => null as never)], // As above.
      /^The handler declared at .* gave null, not a response$/,
    ],
    "a handler that returns text": [
      [GET(() => "text" as never)], // As above.
      /^The handler declared at .* gave string, not a response$/,
    ],
    "a before that returns nothing": [
      [before(nothing), GET(ok)],
      /^The filter declared at .*pipeline\.test\.ts:\d+:\d+ gave undefined, not a request$/,
    ],
    "a before that promises nothing": [[before(later), GET(ok)], /gave undefined, not a request$/],
    "a before that returns a response": [
      [before(() => ok() as never), GET(ok)], // As above.
      /gave object, not a request$/,
    ],
    "an after that returns nothing": [
      [after(nothing), GET(ok)],
      /^The after filter declared at .*pipeline\.test\.ts:\d+:\d+ gave undefined, not a response$/,
    ],
    "an after that promises nothing": [[after(later), GET(ok)], /^The after filter .* gave undefined, not a response$/],
    "an around that returns nothing": [
      [around(nothing), GET(ok)],
      /^The around filter declared at .*pipeline\.test\.ts:\d+:\d+ gave undefined, not a response$/,
    ],
    "an around that returns its next step": [
      [around((_, next) => next as never), GET(ok)], // As above.
      /^The around filter .* gave function, not a response$/,
    ],
    "an around that calls its next step without the request": [
      [around((_, next) => next(undefined as never)), GET(ok)], // As above.
      /^The filter declared at .*pipeline\.test\.ts:\d+:\d+ called its next step with undefined, not a request$/,
    ],
    "an onError clause that returns nothing": [
      [
        onError(Broken, nothing),
        GET(() => {
          throw new Broken();
        }),
      ],
      /^The onError clause declared at .*pipeline\.test\.ts:\d+:\d+ gave undefined, not a response$/,
    ],
  };
  for (const [step, [members, message]] of Object.entries(steps)) {
    it(`of ${step} is a fault that names the place, and a 500 that names nothing`, async () => {
      const told: unknown[] = [];
      const response = await ask(router({ onFault: (error) => told.push(error) }, group(...members)), "GET /");
      assert.equal(response.status, 500);
      assert.doesNotMatch(String(response.body), /declared|undefined|\.ts/);
      assert.equal(told.length, 1);
      assert.match((told[0] as Error).message, message);
    });
  }
});
