import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { z } from "zod";
import type { ProblemDocument } from "../../src/common/problem-document.ts";
import {
  answers,
  around,
  contentType,
  created,
  empty,
  GET,
  group,
  HttpRequest,
  integer,
  json,
  ok,
  POST,
  provide,
  type Route,
  router,
  string,
  takes,
  text,
} from "../../src/index.ts";
import { openApi } from "../../src/openapi/index.ts";
import { RoutingError } from "../../src/routing/index.ts";
import { trail } from "../tools/trail.ts";

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Asks the routes: `GET /a?b=c`. */
async function ask(routes: Route, line: string, { headers = {}, body }: Sent = {}) {
  const [method = "", target = ""] = line.split(" ");
  const init = { method, target, headers: { "Content-Type": "application/json", ...headers } };
  return router({ onFault: (error) => assert.fail(String(error)) }, routes).handle(
    HttpRequest.of({ ...init, ...(body !== undefined && { body }) }),
  );
}

async function answerOf(routes: Route, line: string, sent?: Sent): Promise<unknown> {
  const { status, body } = await ask(routes, line, sent);
  assert.equal(status, 200, String(body));
  return JSON.parse(String(body));
}

/** The faults that a request is refused for: `query page: is missing`. */
async function faultsOf(routes: Route, line: string, sent?: Sent): Promise<readonly string[]> {
  const { status, problem } = await ask(routes, line, sent);
  assert.equal(status, 400);
  const { type, errors = [] } = problem as ProblemDocument; // of a 400
  assert.equal(type, "/problems/invalid-parameters");
  return errors.map(({ in: place, parameter, detail }) => `${place} ${parameter}: ${detail}`);
}

describe("a parameter", () => {
  const scalars = GET(
    "/{id}",
    takes({
      variables: { id: integer() },
      query: {
        page: integer({ least: 1, default: 1 }),
        ratio: z.number().max(1).optional(),
        deep: z.boolean().default(false),
        order: z.enum(["oldest", "newest"]).default("newest"),
        q: string({ shortest: 2, longest: 3, default: "any" }),
        tag: z.array(z.string()).max(2).default([]),
        size: z.array(z.int()).default([]),
      },
      fields: {
        "X-Trace": z
          .string()
          .regex(/^[a-f]+$/)
          .optional(),
        "If-Depth": z.int().optional(),
      },
    }),
    (_, input) => json(input),
  );

  it("is converted and validated, and has its default where it is absent", async () => {
    assert.deepEqual(await answerOf(scalars, "GET /7"), {
      variables: { id: 7 },
      query: { page: 1, deep: false, order: "newest", q: "any", tag: [], size: [] },
      fields: {},
    });
    const query = "page=2&ratio=0.5&deep=true&order=oldest&q=%C3%A4%F0%9F%98%80&tag=a&tag=b%26&size=1&size=-2";
    const headers = { "x-trace": "abc", "If-Depth": "0" };
    assert.deepEqual(await answerOf(scalars, `GET /-7?${query}`, { headers }), {
      variables: { id: -7 },
      query: {
        page: 2,
        ratio: 0.5,
        deep: true,
        order: "oldest",
        q: "ä😀",
        tag: ["a", "b&"],
        size: [1, -2],
      },
      fields: { "X-Trace": "abc", "If-Depth": 0 },
    });
  });

  const cases: readonly (readonly [query: string, ...faults: string[]])[] = [
    ["page=0", "page: must be an integer from 1, not 0"],
    ["page=1.5", "page: must be an integer from 1, not 1.5"],
    ["page=01", 'page: must be an integer from 1, not "01"'],
    ["page=+1", 'page: must be an integer from 1, not " 1"'],
    ["page=", 'page: must be an integer from 1, not ""'],
    ["page=9007199254740993", "page: must be an integer from 1, not 9007199254740992"],
    ["page=1e999", 'page: must be an integer from 1, not "1e999"'],
    ["page=1&page=2", "page: is given more than once"],
    ["ratio=1.01", "ratio: Too big: expected number to be <=1"],
    ["ratio=Infinity", "ratio: Invalid input: expected number, received string"],
    ["deep=yes", "deep: Invalid input: expected boolean, received string"],
    ["order=up", 'order: Invalid option: expected one of "oldest"|"newest"'],
    ["q=a", 'q: must be text of 2 to 3 characters, not "a"'],
    ["q=%F0%9F%98%80", 'q: must be text of 2 to 3 characters, not "😀"'],
    ["tag=a&tag=b&tag=c", "tag: Too big: expected array to have <=2 items"],
    ["size=1&size=x", "size: value 2: Invalid input: expected number, received string"],
    [
      "page=a&deep=b",
      'page: must be an integer from 1, not "a"',
      "deep: Invalid input: expected boolean, received string",
    ],
  ];
  for (const [query, ...faults] of cases) {
    it(`is refused: ${query}`, async () => {
      const expected = faults.map((fault) => `query ${fault}`);
      assert.deepEqual(await faultsOf(scalars, `GET /1?${query}`), expected);
    });
  }

  it("is refused with all others that are wrong, wherever they are", async () => {
    const headers = { "X-Trace": "abcg" };
    assert.deepEqual(await faultsOf(scalars, "GET /01?page=0", { headers }), [
      'path id: must be an integer, not "01"',
      "query page: must be an integer from 1, not 0",
      "header X-Trace: Invalid string: must match pattern /^[a-f]+$/",
    ]);
    const { problem } = await ask(scalars, "GET /abc");
    assert.equal(problem?.detail, 'Path variable "id": must be an integer, not "abc".');
  });

  it("that is required is missing", async () => {
    const routes = GET(takes({ query: { q: string(), n: z.int() } }), ({ path }) => text(path));
    assert.deepEqual(await faultsOf(routes, "GET /"), ["query q: is missing", "query n: is missing"]);
  });

  it("of a path that does not exist is a 404", async () => {
    const routes = GET("/{id}", takes({ variables: { id: integer() }, invalidPath: 404 }), (_, { variables }) =>
      json(variables),
    );
    assert.deepEqual(await answerOf(routes, "GET /7"), { id: 7 });
    assert.equal((await ask(routes, "GET /seven")).status, 404);
  });

  it("has a schema with a name, also within a list, a choice or the schema of all", async () => {
    const Id = z.int().min(1).meta({ id: "Id" });
    const Search = z.strictObject({ author: Id.optional(), stars: z.array(Id).default([]) }).meta({ id: "Search" });
    const query = { n: z.array(Id), or: z.union([Id, z.literal("no")]) };
    const routes = group(
      GET("/{id}", takes({ variables: { id: Id }, query }), (_, input) => json(input)),
      GET(takes({ query: Search }), (_, { query }) => json(query)),
    );
    for (const [or, value] of [
      ["7", 7],
      ["no", "no"],
    ] as const) {
      const expected = { variables: { id: 7 }, query: { n: [1, 2], or: value } };
      assert.deepEqual(await answerOf(routes, `GET /7?n=1&n=2&or=${or}`), expected);
    }
    assert.deepEqual(await faultsOf(routes, "GET /7?n=1&or=yes"), ["query or: Invalid input"]);
    assert.deepEqual(await answerOf(routes, "GET /?author=3&stars=4"), { author: 3, stars: [4] });
    assert.deepEqual(await faultsOf(routes, "GET /?auther=3"), [
      "query auther: is not known here; did you mean author? Known: author, stars.",
    ]);
    const { paths, components } = await openApi(router(routes), { title: "Books", version: "1" });
    const inline = { type: "integer", minimum: 1, maximum: 9007199254740991 };
    assert.partialDeepStrictEqual(paths["/"]?.["get"], {
      parameters: [
        { name: "author", schema: inline },
        { name: "stars", schema: { default: [], type: "array", items: inline } },
      ],
    });
    assert.ok("Id" in components.schemas && !("Search" in components.schemas));
  });

  it("has a schema whose types stand only in what it validates", async () => {
    const validate = (value: unknown) =>
      Number(value) % 2 === 0 ? { value: Number(value) } : { issues: [{ message: "must be even" }] };
    const even = { "~standard": { version: 1, vendor: "a library", validate } } as const;
    const taking = takes({ variables: { id: even } });
    const half = GET("/{id}", taking, answers({ 200: even }), (_, { variables }) => json(variables.id / 2));
    assert.equal(await answerOf(half, "GET /4"), 2);
    assert.deepEqual(await faultsOf(half, "GET /3"), ["path id: must be even"]);
    // @ts-expect-error: it is a number
    GET("/{id}", taking, (_, { variables }) => text(variables.id));
  });

  it("is a list in a field or a path, with commas between its elements, and blanks around them", async () => {
    const fields = { "X-Tags": z.array(z.string()) };
    const lists = group(
      GET("/{ids}", takes({ variables: { ids: z.array(z.int()) }, fields }), (_, input) => json(input)),
      GET("/rest/{*rest}", takes({ variables: { rest: z.array(z.int()) } }), (_, input) => json(input)),
    );
    // The bytes of "à" in UTF-8, of which the last is no blank.
    const headers = { "X-Tags": "voil\xc3\xa0 ,\tb,, c" };
    assert.deepEqual(await answerOf(lists, "GET /1,%202", { headers }), {
      variables: { ids: [1, 2] },
      fields: { "X-Tags": ["voil\xc3\xa0", "b", "c"] },
    });
    assert.deepEqual(await answerOf(lists, "GET /rest/1/2"), { variables: { rest: [1, 2] } });
    assert.deepEqual(await faultsOf(lists, "GET /rest/1/b"), [
      "path rest: value 2: Invalid input: expected number, received string",
    ]);
  });

  it("may be validated by a promise", async () => {
    const known = z.string().refine(async (value) => value === "a", "is not known");
    const routes = GET(takes({ query: { a: known, n: integer() } }), (_, { query }) => json(query));
    assert.deepEqual(await answerOf(routes, "GET /?a=a&n=1"), { a: "a", n: 1 });
    assert.deepEqual(await faultsOf(routes, "GET /?a=b"), ["query a: is not known", "query n: is missing"]);
  });

  it("may be validated by a promise that fails where nobody waits for it", async (t) => {
    const unhandled = t.mock.fn();
    process.on("unhandledRejection", unhandled);
    t.after(() => process.off("unhandledRejection", unhandled));
    const { jsonSchema } = string()["~standard"];
    const validate = () => Promise.reject(new Error("The database is away"));
    const away = { "~standard": { version: 1, vendor: "test", validate, jsonSchema } } as const;
    GET(takes({ query: { a: away } }), () => empty(204));
    await setImmediate();
    assert.equal(unhandled.mock.callCount(), 0);
  });
});

describe("a query", () => {
  it("may have other parameters, unless it is strict", async () => {
    const loose = GET(takes({ query: { page: z.int().optional() } }), (_, { query }) => json(query));
    assert.deepEqual(await answerOf(loose, "GET /?page=1&other=2"), { page: 1 });
    const strict = GET(
      takes({ query: { page: z.int().optional(), sort: z.string().optional() }, strict: true }),
      (_, { query }) => json(query),
    );
    assert.deepEqual(await faultsOf(strict, "GET /?pgae=1&x=2&x=3"), [
      "query pgae: is not known here; did you mean page? Known: page, sort.",
      "query x: is not known here.",
    ]);
  });

  it("may have one schema, which is closed or not", async () => {
    const open = GET(takes({ query: z.object({ a: z.array(z.int()).default([]), b: z.string() }) }), (_, { query }) =>
      json(query),
    );
    assert.deepEqual(await answerOf(open, "GET /?a=1&a=2&b=x&c=y"), { a: [1, 2], b: "x" });
    const closed = GET(takes({ query: z.strictObject({ a: z.int().optional() }) }), (_, { query }) => json(query));
    assert.deepEqual(await faultsOf(closed, "GET /?b=1"), ["query b: is not known here. Known: a."]);
    assert.deepEqual(await faultsOf(closed, "GET /?a=1&a=2"), ["query a: is given more than once"]);
  });

  it("of which nothing names the parameters is not strict", () => {
    const { validate } = z.object({ a: z.string() })["~standard"];
    const nameless = { "~standard": { version: 1, vendor: "test", validate } } as const;
    assert.throws(() => router(GET("/a", takes({ query: nameless, strict: true }), () => text(""))), {
      name: "RoutingError",
      message: /The query is strict, and its schema has no JSON Schema that names the parameters \(.*takes\.test\.ts:/,
    });
  });

  it("has each parameter for its schema, whatever its name", async () => {
    const { validate } = z.strictObject({})["~standard"];
    const nameless = { "~standard": { version: 1, vendor: "test", validate } } as const;
    const routes = GET(takes({ query: nameless }), () => empty(204));
    for (const parameter of ["a", "constructor", "__proto__"]) {
      const [fault] = await faultsOf(routes, `GET /?${parameter}=1`);
      assert.match(String(fault), new RegExp(`Unrecognized key: "${parameter}"`));
    }
  });

  it("of any names takes linear time", async () => {
    const any = GET(takes({ query: z.record(z.string(), z.string()) }), (_, { query }) =>
      json(Object.keys(query).length),
    );
    const names = Array.from({ length: 100_000 }, (_, i) => `a${i}`);
    assert.equal(await answerOf(any, `GET /?${names.join("&")}`), names.length);
  });

  it("with thousands of faults is refused in a short answer", async () => {
    const routes = GET(takes({ query: { a: integer() }, strict: true }), () => empty(204));
    const query = Array.from({ length: 2000 }, (_, i) => `p${i}=1`).join("&");
    const { problem, body } = await ask(routes, `GET /?${query}&${"n".repeat(9000)}=1`);
    assert.equal(problem?.errors?.length, 100);
    assert.ok(String(body).length < 12_000);
    assert.match(problem?.detail ?? "", /^The request has \d+ errors in its parameters; the first 100 are listed\.$/);
  });
});

describe("content", () => {
  const Note = z.strictObject({ title: z.string().min(1), tags: z.array(z.string()).default([]) });
  const note = '{"title":"Buy milk"}';

  it("is validated where it is asked for", async () => {
    const routes = POST(takes({ body: Note }), async (_, { body }) => created(`/${(await body()).title.length}`));
    assert.equal((await ask(routes, "POST /", { body: note })).header("Location"), "/8");
    const { problem } = await ask(routes, "POST /", { body: "{}" });
    assert.equal(problem?.errors?.[0]?.pointer, "#/title");
  });

  it("is not read where a guard, another input or the handler refuses", async () => {
    let reads = 0;
    const counted = z.unknown().refine(() => ++reads > 0);
    const routes = group(
      "/{id}",
      around((request, next) => (request.header("X-Key") === undefined ? empty(401) : next(request))),
      POST(takes({ variables: { id: integer() }, body: counted }), async (request, { body }) =>
        request.header("If-Match") === undefined ? empty(428) : json(await body()),
      ),
    );
    const headers = { "X-Key": "1" };
    assert.equal((await ask(routes, "POST /x", { body: note })).status, 401);
    assert.equal((await ask(routes, "POST /x", { body: note, headers })).status, 400);
    assert.equal((await ask(routes, "POST /1", { body: note, headers })).status, 428);
    assert.equal(reads, 0);
    assert.equal((await ask(routes, "POST /1", { body: note, headers: { ...headers, "If-Match": "*" } })).status, 200);
    assert.equal(reads, 1);
  });

  it("of a type with the suffix +json is read as JSON where the route names it", async () => {
    const echo = async (_: unknown, { body }: { readonly body: () => Promise<unknown> }) => json(await body());
    const taking = takes({ body: Note });
    const routes = group(
      POST("/one", contentType("application/vnd.note+json"), taking, echo),
      POST("/all", contentType("application/*+json"), taking, echo),
      POST("/none", taking, echo),
    );
    for (const [path, type, status] of [
      ["one", "note", 200],
      ["all", "note", 200],
      ["none", "note", 415],
      ["one", "other", 415],
    ] as const) {
      const headers = { "Content-Type": `application/vnd.${type}+json` };
      assert.equal((await ask(routes, `POST /${path}`, { body: note, headers })).status, status, path);
    }
  });

  it("is let go with its request", async () => {
    const program = `
      import { getHeapSpaceStatistics } from "node:v8";
      import { HttpRequest, POST, takes, text, router } from "waymark";
      import { object, string } from "zod";
      const app = router(POST(takes({ body: object({ title: string() }) }), async (_, { body }) => text((await body()).title)));
      const sent = { method: "POST", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(note)} };
      const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
      let before;
      for (let n = 0; n < 20_000; n++) {
        if (n === 10_000) before = old();
        await app.handle(HttpRequest.of(sent));
      }
      console.log((old() - before) / 10_000);
    `;
    // What is referred to by something that is old lives on until the whole memory is searched, which these options put off.
    const options = ["--conditions=@waymark/source", "--no-incremental-marking", "--max-semi-space-size=8"];
    const run = promisify(execFile)(process.execPath, [...options, "--input-type=module", "--eval", program]);
    const bytesForEach = Number((await run).stdout);
    assert.ok(bytesForEach < 200, `${bytesForEach}`);
  });
});

describe("what a group takes", () => {
  let validated = 0;
  const limit = z
    .int()
    .default(20)
    .refine(() => ++validated > 0);
  const paging = takes({ query: { limit } });
  const routes = group(
    "/{user}",
    paging,
    GET("/plain", (_) => text("plain")),
    GET("/typed", takes(paging, { query: { q: z.string().optional() } }), (_, { query }) => json(query)),
  );

  it("holds for all its routes, and types those that take it", async () => {
    assert.deepEqual(await answerOf(routes, "GET /a/typed?limit=5&q=x"), { limit: 5, q: "x" });
    assert.deepEqual(await faultsOf(routes, "GET /a/plain?limit=x"), [
      "query limit: Invalid input: expected number, received string",
    ]);
  });

  it("is validated once", async () => {
    validated = 0;
    await answerOf(routes, "GET /a/typed?limit=5");
    assert.equal(validated, 1);
  });

  it("is read at its place among the filters", async () => {
    const { steps, before, handler } = trail();
    const placed = group(before("outer"), takes({ query: { n: integer() } }), before("inner"), GET(handler()));
    assert.deepEqual(await faultsOf(placed, "GET /"), ["query n: is missing"]);
    assert.deepEqual(steps, ["outer"]);
  });
});

describe("a filter that provides", () => {
  const callers = new Map([["Bearer ada", { id: 1, name: "Ada" }]]);
  const signedIn = provide("caller", (request) => callers.get(request.header("Authorization") ?? "") ?? empty(401));
  const headers = { Authorization: "Bearer ada" };

  it("hands its value to handlers and filters inside", async () => {
    const own = around(takes(signedIn, { variables: { id: integer() } }), (request, next, { caller, variables }) =>
      caller.id === variables.id ? next(request) : empty(403),
    );
    const route = GET(takes(signedIn), (_, { caller }) => json(caller.name));
    const routes = group("/users/{id}", signedIn, own, route);
    assert.equal(await answerOf(routes, "GET /users/1", { headers }), "Ada");
    assert.equal((await ask(routes, "GET /users/2", { headers })).status, 403);
    assert.equal((await ask(routes, "GET /users/1")).status, 401);
    assert.deepEqual(await faultsOf(routes, "GET /users/x", { headers }), ['path id: must be an integer, not "x"']);
  });

  it("may wait, take what others provide, and refuse with a web Response", async () => {
    const tenant = provide("tenant", takes(signedIn), async (_, { caller }) =>
      caller.id === 1 ? `tenant of ${caller.name}` : new Response(null, { status: 404 }),
    );
    const route = GET(takes(tenant, signedIn), (_, input) => json(input));
    assert.deepEqual(await answerOf(group(signedIn, tenant, route), "GET /", { headers }), {
      caller: { id: 1, name: "Ada" },
      tenant: "tenant of Ada",
    });
  });

  it("of an inner group has the last word", async () => {
    const who = (name: string) => provide("who", () => name);
    const outer = who("outer");
    const route = GET(takes(outer), (_, { who }) => json(who));
    const routes = group(outer, group("/a", who("inner"), route), group("/b", route));
    assert.equal(await answerOf(routes, "GET /a"), "inner");
    assert.equal(await answerOf(routes, "GET /b"), "outer");
  });

  it("has no name of an input, which would hide its value or be mixed with it", () => {
    for (const name of ["variables", "query", "fields", "body", "form"]) {
      const message = `(${JSON.stringify(name)}, …) needs another name: that is an input of the request`;
      assert.throws(() => provide(name, () => 1), { name: "TypeError", message: `provide${message}` });
    }
  });
});

describe("the router refuses", () => {
  const notSchema = { page: 7 } as unknown as { readonly page: ReturnType<typeof integer> };
  const signedIn = provide("caller", () => "Ada");
  /** As JavaScript, which has no types to hold it back. */
  const untyped = (route: unknown): Route => route as Route;
  const guard = around(takes(signedIn), (request, next) => next(request));
  const unprovided = 'No filter of a group around it provides "caller" before it is taken here';
  const wrong: readonly (readonly [name: string, route: unknown, ...messages: string[]])[] = [
    [
      "a value that is not a schema",
      GET(takes({ query: notSchema }), ok),
      'The query parameter "page" has no schema that keeps to Standard Schema',
    ],
    [
      "a variable that the path lacks",
      GET("/{key}", takes({ variables: { id: integer() } }), ok),
      'The path "/{key}" has no variable {id}, which is taken',
    ],
    ["a value that no group provides", group("/a", GET(takes(signedIn), ok)), unprovided],
    ["a value that is taken before it is provided", group(guard, signedIn, GET(ok)), unprovided],
    [
      "a parameter with two schemas",
      group(takes({ query: { a: integer() } }), GET(takes({ query: { a: string() } }), ok)),
      'The query parameter "a" has another schema where it is taken at ',
    ],
    [
      "a body with two schemas",
      POST(takes({ body: integer() }), takes({ body: string() }), ok),
      "The body has another schema where it is taken at ",
    ],
    [
      "all of it at once",
      GET("/{key}", takes(signedIn, { variables: { id: integer() }, query: notSchema }), ok),
      ...['provides "caller"', "no variable {id}", 'parameter "page" has no schema'],
    ],
  ];
  for (const [name, route, ...messages] of wrong) {
    it(name, () => {
      assert.throws(
        () => router(untyped(route)),
        (error) => {
          assert.ok(error instanceof RoutingError);
          assert.equal(error.findings.length, messages.length, error.message);
          for (const [i, message] of messages.entries()) assert.ok(error.message.includes(message), error.message + i);
          assert.ok(error.findings.every(({ site }) => String(site).includes("takes.test.ts")));
          return true;
        },
      );
    });
  }

  it("an input that there is not, at once", () => {
    const misspelt: object = { qurey: {} };
    assert.throws(() => takes(misspelt), /takes\(\{ … \}\) has no option "qurey"; did you mean query\?/);
    assert.throws(
      // @ts-expect-error: a text is no input
      () => takes("query"),
      /takes\(…\) takes inputs, such as \{ query: \{ … \} \}, and filters that provide, not string/,
    );
  });
});

describe("a schema of our own", () => {
  const noBound = Number(process.env["NO_SUCH_BOUND"]);
  const wrong: readonly (readonly [make: () => unknown, name: string, message: string | RegExp])[] = [
    [
      () => integer({ min: 1 } as object),
      "TypeError",
      /^integer\(\{ … \}\) has no option "min". Known: least, most, default$/,
    ],
    [() => string({ maxLength: 1 } as object), "TypeError", /^string\(\{ … \}\) has no option "maxLength"/],
    [() => integer({ least: 5, most: 1 }), "RangeError", "A schema takes no value from 5 to 1"],
    [() => integer({ most: noBound }), "RangeError", "A schema takes no value from anything to NaN"],
    [() => integer({ least: 1, default: 0 }), "TypeError", "The default of a schema must be an integer from 1, not 0"],
    [
      () => string({ longest: 1, default: "ab" }),
      "TypeError",
      'The default of a schema must be text of 0 to 1 characters, not "ab"',
    ],
  ];
  for (const [make, name, message] of wrong) {
    it(`is refused where it is made: ${message}`, () => assert.throws(make, { name, message }));
  }
});

describe("the OpenAPI document", () => {
  it("has what routes, groups and filters take", async () => {
    const paging = takes({ query: z.object({ limit: z.int().default(20), tag: z.array(z.string()) }) });
    const keyed = around(takes({ fields: { "X-Key": string() } }), (request, next) => next(request));
    const taking = takes({ variables: { user: integer({ least: 1 }) }, body: z.strictObject({ title: z.string() }) });
    const app = router(group("/{user}", paging, keyed, POST(taking, ok)));
    const { paths } = await openApi(app, { title: "Notes", version: "1" });
    const { post } = paths["/{user}"] as { readonly post: Record<string, unknown> }; // the only operation
    const limits = { type: "integer", minimum: -9007199254740991, maximum: 9007199254740991 };
    assert.deepEqual(post["parameters"], [
      { name: "user", in: "path", required: true, schema: { type: "integer", minimum: 1 } },
      { name: "limit", in: "query", schema: { ...limits, default: 20 } },
      { name: "tag", in: "query", required: true, schema: { type: "array", items: { type: "string" } } },
      { name: "X-Key", in: "header", required: true, schema: { type: "string" } },
    ]);
    const properties = { title: { type: "string" } };
    const schema = { type: "object", properties, required: ["title"], additionalProperties: false };
    assert.deepEqual(post["requestBody"], { required: true, content: { "application/json": { schema } } });
    assert.ok("400" in (post["responses"] as object));
  });
});
