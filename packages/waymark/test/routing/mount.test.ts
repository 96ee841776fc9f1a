import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import {
  type App,
  accept,
  after,
  around,
  before,
  contentType,
  created,
  GET,
  group,
  type Handler,
  HttpRequest,
  header,
  json,
  method,
  mount,
  noContent,
  ok,
  onError,
  or,
  POST,
  PUT,
  path,
  type Route,
  route,
  router,
  text,
} from "waymark";
import { type Decoder, decodeUtf8 } from "waymark/content";
import { type Caller, caller, cors, describeProblems, publicUrl } from "waymark/filters";
import { listRoutes, RoutingError } from "waymark/routing";
import { codeAt } from "../package/declared-code.ts";
import { ask, asked } from "../tools/ask.ts";
import { trail } from "../tools/trail.ts";

/** Answers with the path that it sees. */
const echo: Handler<unknown> = (request) => text(`${request.method} ${request.path}`);

const notes = router(
  group(
    "/notes",
    GET(accept("application/json"), () => json([])),
    POST(contentType("application/json"), noContent),
    GET("/{id}", ({ variables }) => text(`note ${variables.id}`)),
  ),
  GET("/", () => text("the root")),
);

describe("a mounted app", () => {
  describe("has its routes below the path", () => {
    const everything = router(route("/**", echo));
    const seen = async (app: App, target: string): Promise<unknown> => {
      const { status, body } = await ask(app, `GET ${target}`);
      return status === 200 ? body : status;
    };
    type Paths = Readonly<Record<string, string | number>>;
    const escaped: Paths = {
      "/api/notes/1": "GET /api/notes/1",
      "/api": "GET /api",
      "/api/": "GET /api/",
      "/api//a/": "GET /api//a/",
      "/api/a%2Fb%25": "GET /api/a%2Fb%25",
      "/api/caf%C3%A9?q=1": "GET /api/café",
      "/apis": 404,
      "/": 404,
    };
    const slashes: Paths = { "/api": "GET /api", "/api/": 404, "/api/a/": "GET /api/a/", "/api/a": 404 };
    const cases: readonly (readonly [about: string, declared: Route, paths: Paths])[] = [
      ["at a path", mount("/api", everything), escaped],
      [
        "whose root has no slash at its end",
        mount("/api", router(GET("/", echo), group("/a", GET("/", echo)))),
        slashes,
      ],
      ["at the root", mount(everything), { "/": "GET /", "/a/": "GET /a/", "//a": "GET //a" }],
      ["at the empty path", mount("", everything), { "/": "GET /", "/a": "GET /a" }],
      ["at several segments", mount("/a/{b}", everything), { "/a/x/c": "GET /a/x/c", "/a": 404, "/a//c": 404 }],
      ["below a group", group("/a", mount("/b", everything)), { "/a/b/c": "GET /a/b/c", "/a/c": 404 }],
      ["in a group, at its path", group("/a", mount(everything)), { "/a/b": "GET /a/b", "/a": "GET /a" }],
      [
        "at one of several paths",
        mount(or(path("/a"), path("/b/c")), everything),
        { "/a/x": "GET /a/x", "/b/c/x": "GET /b/c/x", "/b/x": 404 },
      ],
      ["in a mounted app", mount("/a", router(mount("/b", everything))), { "/a/b/c": "GET /a/b/c", "/a/c": 404 }],
    ];
    for (const [about, declared, paths] of cases) {
      it(about, async () => {
        const app = router(declared);
        for (const [target, expected] of Object.entries(paths)) assert.equal(await seen(app, target), expected, target);
      });
    }

    it("and answers there as when it is not mounted", async () => {
      const app = router(mount("/api", notes));
      const targets = fc.constantFrom("/notes", "/notes/1", "/notes/", "/nothing", "/notes/a%2Fb?q=1");
      const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "OPTIONS", "PURGE");
      const fields = fc.dictionary(
        fc.constantFrom("Accept", "Content-Type"),
        fc.constantFrom("text/csv", "application/json"),
      );
      await fc.assert(
        fc.asyncProperty(methods, targets, fields, async (name, target, headers) => {
          const alone = await ask(notes, `${name} ${target}`, headers);
          const mounted = await ask(app, `${name} /api${target}`, headers);
          assert.deepEqual(
            [mounted.status, mounted.headers.flat, mounted.body],
            [alone.status, alone.headers.flat, alone.body],
          );
        }),
      );
    });

    it("which have the variables of the path", async () => {
      const app = router(group("/tenants/{tenant}", mount(router(GET("/{id}", (request) => json(request.variables))))));
      assert.equal((await ask(app, "GET /tenants/acme/7")).body, '{"tenant":"acme","id":"7"}');
    });
  });

  describe("reads content by its own settings", () => {
    const csv: Decoder = { mediaTypes: ["text/csv"], decode: (content) => decodeUtf8(content).split(",") };
    const readValue = POST("/", async (request) => json(await request.body((value) => ({ value }))));
    const inner = router({ decoders: [csv], codings: nodeCodings, contentLimit: 20 }, readValue);
    const sound = router({ decoders: [csv], codings: nodeCodings, contentLimit: 100 }, readValue);
    const app = router({ contentLimit: 4 }, mount("/strict", inner), mount("/wide", sound), readValue);
    const coded = new Uint8Array(gzipSync("a,b"));
    const cases: readonly (readonly [
      about: string,
      target: string,
      body: string | Uint8Array<ArrayBuffer>,
      answer: number | string,
      headers?: Readonly<Record<string, string>>,
    ])[] = [
      ["decoders", "/strict", "a,b", '["a","b"]'],
      ["not the outer decoders", "/strict", "[1]", 415, { "Content-Type": "application/json" }],
      ["the limit", "/strict", "a".repeat(21), 413],
      ["codings", "/wide", coded, '["a","b"]', { "Content-Encoding": "gzip" }],
      ["and the app around by its own decoders", "/", "a,b", 415],
      ["and the app around by its own limit", "/", "[1,2]", 413, { "Content-Type": "application/json" }],
    ];
    for (const [about, target, body, answer, headers] of cases) {
      it(about, async () => {
        const init = { method: "POST", headers: { "Content-Type": "text/csv", ...headers }, body };
        const response = await app.fetch(new Request(`http://localhost${target}`, init));
        const given = await response.text();
        assert.equal(response.status === 200 ? given : response.status, answer);
      });
    }

    it("for requests made by hand, once for itself and the filters around it", async () => {
      const lengths: number[] = [];
      const app = router(
        group(
          around(async (request, next) => {
            lengths.push((await request.bytes({ limit: 50 })).length);
            const response = await next(request);
            lengths.push((await request.bytes({ limit: 50 })).length);
            return response;
          }),
          mount("/wide", sound),
        ),
      );
      const headers = { "Content-Type": "text/csv" };
      const request = HttpRequest.of({ method: "POST", target: "/wide", headers, body: "a,b" });
      assert.equal((await app.handle(request)).body, '["a","b"]');
      assert.deepEqual(lengths, [3, 3]);
    });
  });

  it("has the filters of the outer app and of the groups around it around its own", async () => {
    const { steps, before: passed, after: passedBack, handler } = trail();
    const inner = router(
      { filters: [passed("inner web"), passedBack("inner web")] },
      group(passed("inner group"), passedBack("inner group"), GET("/", handler())),
    );
    const app = router(
      { filters: [passed("web"), passedBack("web")] },
      group("/api", passed("group"), passedBack("group"), mount(inner)),
    );
    await ask(app, "GET /api");
    const inOrder = steps.splice(0);
    await ask(app, "GET /api/nothing");
    assert.deepEqual(inOrder, [
      ...["web", "group", "inner web", "inner group", "handler"],
      ...["inner group", "inner web", "group", "web"],
    ]);
    // Filters of groups are for routes; those of routers are for refusals, too.
    assert.deepEqual(steps, ["web", "inner web", "inner web", "web"]);
  });

  describe("is tried in its turn", () => {
    const app = router(
      GET("/api/status", () => text("the outer app")),
      mount("/api", notes),
      GET("/api/later", () => text("a later route")),
    );
    const cases: readonly (readonly [
      line: string,
      fields: Readonly<Record<string, string>>,
      status: number,
      more?: object,
    ])[] = [
      ["GET /api/notes/7", {}, 200],
      ["GET /api/nothing", {}, 404],
      ["GET /api/status", {}, 200],
      ["GET /api/later", {}, 200],
      ["PUT /api/notes", {}, 405, { Allow: "GET, HEAD, POST, OPTIONS" }],
      ["GET /api/notes", { Accept: "image/png" }, 406, { Vary: "Accept" }],
      ["POST /api/notes", { "Content-Type": "text/csv" }, 415, { "Accept-Post": "application/json" }],
      ["PURGE /api/notes", {}, 501],
      ["OPTIONS /api/notes", {}, 204, { Allow: "GET, HEAD, POST, OPTIONS" }],
      ["HEAD /api/notes", {}, 200],
    ];
    for (const [line, fields, status, more = {}] of cases) {
      it(`and answers ${status} to ${line}`, async () => {
        const response = await ask(app, line, fields);
        assert.equal(response.status, status);
        for (const [name, value] of Object.entries(more)) assert.equal(response.headers.get(name), value, name);
      });
    }

    it("when the conditions at it and around it hold, and else the next is asked", async () => {
      const conditional = router(
        group(method("GET", "QUERY"), mount("/api", header("X-New"), router(route("/**", () => text("new"))))),
        mount("/api", notes),
      );
      assert.equal((await ask(conditional, "GET /api/notes/7", { "X-New": "1" })).body, "new");
      assert.equal((await ask(conditional, "GET /api/notes/7")).body, "note 7");
      assert.equal((await ask(conditional, "POST /api/notes", { "X-New": "1" })).status, 415);
    });

    it("and its filters see only the refusals for which its conditions hold", async () => {
      const seen: string[] = [];
      const note = (name: string) =>
        after((request, response) => {
          seen.push(`${name}: ${request.method} ${response.status}`);
          return response;
        });
      const inner = router({ filters: [note("inner")] }, GET("/a", ok));
      const app = router(
        mount("/x", header("X-New"), inner),
        mount("/y", router({ filters: [note("y")] }, mount("/x", inner))),
      );
      for (const target of ["/x/b", "/y/b", "/y/x/b", "/b"]) await ask(app, `GET ${target}`);
      await ask(app, "GET /x/b", { "X-New": "1" });
      await ask(app, "PUT /y/x/a");
      assert.deepEqual(seen, [
        "y: GET 404",
        ...["inner: GET 404", "y: GET 404"],
        "inner: GET 404",
        ...["inner: PUT 405", "y: PUT 405"],
      ]);
    });
  });

  describe("has faults", () => {
    const fail = GET("/", () => {
      throw new TypeError("secret");
    });

    it("that are 500 for its own web filters, and come to no clause around it", async () => {
      const inner = router(
        {
          onFault: () => {},
          filters: [after((_, response) => response.withHeader("X-Seen", String(response.status)))],
        },
        fail,
      );
      const app = router({ filters: [onError(ok)] }, group(onError(ok), mount("/api", inner)));
      const response = await ask(app, "GET /api");
      assert.deepEqual([response.status, response.headers.get("X-Seen")], [500, "500"]);
    });

    it("that its onFault logs, or else that of the app around, with the request as that one has it", async () => {
      const logged: string[] = [];
      const log = (name: string) => (error: unknown, request: HttpRequest | undefined) =>
        logged.push(`${name}: ${error} for ${request?.path}`);
      const app = router(
        { onFault: log("outer") },
        mount("/own", router({ onFault: log("inner") }, fail)),
        mount("/none", router(fail)),
        mount("/deep", router(mount("/er", router(fail)))),
      );
      for (const target of ["/own", "/none", "/deep/er"]) await ask(app, `GET ${target}`);
      assert.deepEqual(logged, [
        "inner: TypeError: secret for /own",
        "outer: TypeError: secret for /none",
        "outer: TypeError: secret for /deep/er",
      ]);
    });
  });

  it("names its resources by URLs that have its path in front", async () => {
    const inner = router(
      { filters: [describeProblems()] },
      POST("/notes", (request) => created(publicUrl.of(request, "/notes/7"))),
    );
    const app = router(
      mount("/api", inner),
      mount("/t/{tenant}", inner),
      mount("/deep", router(mount("/er", inner))),
      mount("/elsewhere", router({ filters: [publicUrl("https://notes.example")] }, mount("/api", inner))),
    );
    const own = router(mount("/{tenant}", router(POST("/{*rest}", (request) => created(publicUrl.of(request))))));
    const below = POST("/**", (request) => created(`${publicUrl.of(request)}/7`));
    const roots = router(mount("/m", router(below)), mount("/n", router(mount(router(below)))), below);
    const behindProxy = router({ filters: [publicUrl("https://example.com/v1")] }, mount("/api", inner));
    const spelled = "/t/caf%C3%A9%20%3F%23%2F%25;a=1";
    for (const [of, target, location] of [
      [app, "/api/notes", "/api/notes/7"],
      [app, "/deep/er/notes", "/deep/er/notes/7"],
      [app, `${spelled.replace("%2F", "%2f")}/notes`, `${spelled}/notes/7`],
      [app, "/elsewhere/api/notes", "https://notes.example/api/notes/7"],
      [own, "/api/notes?page=2", "/api/notes"],
      [own, `${spelled}?page=2`, spelled],
      [own, "/t/?page=2", "/t/"],
      [roots, "/m", "/m/7"],
      [roots, "/m/", "/m//7"],
      [roots, "/m/a", "/m/a/7"],
      [roots, "/n", "/n/7"],
      [roots, "/", "/7"],
      [roots, "//evil.example", "/evil.example/7"],
      [behindProxy, "/api/notes", "https://example.com/v1/api/notes/7"],
    ] as const) {
      assert.equal((await ask(of, `POST ${target}`)).header("Location"), location);
    }
    const refusal = await ask(behindProxy, "GET /api/nothing");
    assert.equal(JSON.parse(String(refusal.body)).type, "https://example.com/v1/api/problems/not-found");
  });

  describe("with cors", () => {
    const page = "https://app.example.com";
    const fields = { Origin: page, "Access-Control-Request-Method": "PUT" };
    const allowOrigin = "Access-Control-Allow-Origin";
    const things = [GET("/things", () => json([])), PUT("/things/{id}", noContent)] as const;

    it("of its own shares its path by its policy, pre-flights and refusals included", async () => {
      const app = router(
        mount("/open", router({ filters: [cors({ origins: ["*"] })] }, ...things)),
        mount("/partners", router({ filters: [cors({ origins: [page] })] }, ...things)),
        ...things,
      );
      for (const [prefix, expected] of [
        ["/open", "*"],
        ["/partners", page],
        ["", undefined],
      ] as const) {
        const preflight = await ask(app, `OPTIONS ${prefix}/things/7`, fields);
        assert.equal(preflight.headers.get(allowOrigin), expected);
        assert.equal(preflight.headers.get("Access-Control-Allow-Methods"), expected && "PUT, OPTIONS");
        for (const target of ["/things", "/nothing"]) {
          assert.equal((await ask(app, `GET ${prefix}${target}`, fields)).headers.get(allowOrigin), expected);
        }
      }
    });

    it("around it has its pre-flights answered from its routes and those beside it", async () => {
      const app = router(
        { filters: [cors({ origins: [page] })] },
        route(method("QUERY"), "/api/things", noContent),
        group(method("GET", "PUT"), mount("/api", router(...things, mount("/deep", router(...things))))),
        mount("/api", router(POST("/things", noContent))),
      );
      const methodsOf = async (target: string) =>
        (await ask(app, `OPTIONS ${target}`, fields)).headers.get("Access-Control-Allow-Methods");
      assert.equal(await methodsOf("/api/things"), "QUERY, GET, HEAD, POST, OPTIONS");
      assert.equal(await methodsOf("/api/things/7"), "PUT, OPTIONS");
      assert.equal(await methodsOf("/api/deep/things/7"), "PUT, OPTIONS");
      assert.equal(await methodsOf("/api/nothing"), undefined);
      assert.deepEqual(
        ["/api/things/7", "/api/nothing", "/nothing"].map((target) => app.methodsOf(target)),
        [["PUT", "OPTIONS"], undefined, undefined],
      );
    });
  });

  it("is guarded by the filters around it", async () => {
    const ada: Caller = { id: "ada", scopes: [] };
    const app = router(
      group(
        "/admin",
        before((request) => request.withAttribute(caller, ada)),
        around((request, next) => (request.header("X-Key") ? next(request) : text("closed", 401))),
        mount(router(GET("/me", (request) => text(request.attribute(caller)?.id ?? "nobody")))),
      ),
    );
    assert.equal((await ask(app, "GET /admin/me")).status, 401);
    assert.equal((await ask(app, "GET /admin/me", { "X-Key": "1" })).body, "ada");
  });
});

describe("what an app says of itself", () => {
  const inner = router(
    { filters: [after((_, response) => response)] },
    group(
      "/notes",
      after((_, response) => response),
      GET("/{id}", accept("text/plain"), echo),
      POST(contentType("text/csv"), echo),
    ),
    route("/", echo),
  );
  const app = router(
    GET("/status", echo),
    group(
      before((request) => request),
      header("X-A"),
      mount("/api/{v}", inner),
    ),
    group(method("GET"), accept("text/html"), mount("/pages", router(route("/any", echo), POST("/form", echo)))),
    mount(router(GET("/", echo), GET("/last", echo))),
  );

  it("has the routes of a mounted one, with the path and the conditions at it and around it", () => {
    assert.equal(
      listRoutes(app).replaceAll(/\([^() ]*mount\.test\.ts:[\d:]+\)/g, "(…)"),
      [
        "GET   /status              -  echo",
        "GET   /api/{v}/notes/{id}  ?  echo",
        "        answers text/plain",
        "        if header X-A",
        "        filters before (…), after (…), after (…)",
        "POST  /api/{v}/notes       ?  echo",
        "        reads text/csv",
        "        if header X-A",
        "        filters before (…), after (…), after (…)",
        "*     /api/{v}             ?  echo",
        "        if header X-A",
        "        filters before (…), after (…)",
        "GET   /pages/any           -  echo",
        "        answers text/html",
        "      /pages/form          -  echo",
        "        answers text/html",
        "GET   /                    -  echo",
        "GET   /last                -  echo",
        "(no method) /pages/form is never reached: its conditions exclude every method (…)",
      ].join("\n"),
    );
    const [, read] = app.routes;
    assert.deepEqual(
      read?.filters.map((filter) => filter.split(" ")[0]),
      ["before", "after", "after"],
    );
    assert.match(codeAt(read?.declaredAt ?? "", "mount.test.ts"), /^GET\("\/\{id\}"/);
  });

  it("explains a request by the whole path", () => {
    const { route: chosen, status } = app.explain(asked("DELETE /api/1/notes/7", { "X-A": "1" }));
    assert.deepEqual([chosen, status], [undefined, 405]);
    assert.match(String(app.explain(asked("GET /last"))), /^GET \/last → GET \/last\n/);
    assert.equal(app.explain(asked("GET /api/1/notes/7", { "X-A": "1" })).route?.path, "/api/{v}/notes/{id}");
  });

  it("has the findings of a mounted one, and those that it causes", () => {
    const shadowing = router(GET("/{id}", echo), GET("/me", echo));
    const declared = [mount("/a", shadowing), GET("/a/me", echo)] as const;
    assert.deepEqual(
      router(...declared).findings.map(({ message }) => message.replace(/\(.*?\)/, "(…)")),
      [
        "GET /a/me is never reached: GET /a/{id} (…) before it takes every request that it would take",
        "GET /a/me is never reached: GET /a/me (…) before it takes every request that it would take",
      ],
    );
    assert.throws(() => router({ strict: true }, mount("/a", shadowing)), /GET \/a\/me is never reached/);
    assert.deepEqual(
      router(mount("/a", router())).findings.map(({ kind }) => kind),
      ["empty"],
    );
  });
});

describe("mount", () => {
  it("refuses an argument that is not an app, and one before it that is not a path or a condition", () => {
    const last =
      "The last argument of mount(…) is an app, made by router(…), or a fetch function, such as hono.fetch, not";
    const before = "Before its app, mount(…) takes paths and conditions, not";
    const wrong: readonly (readonly [unknown[], string])[] = [
      [[], `${last} undefined`],
      [["/a"], `${last} string`],
      [["/a", GET(ok)], `${last} route(…)`],
      [["/a", null], `${last} null`],
      [["/a", ok, notes], `${before} function`],
      [[notes, notes], `${before} an app, which stands behind its path: mount("/path", app)`],
    ];
    for (const [given, message] of wrong) {
      assert.throws(() => (mount as (...args: unknown[]) => unknown)(...given), { name: "TypeError", message });
    }
  });

  it("has what is wrong with its path and conditions reported at its place", () => {
    const declare = (): App => router(mount("/api/", notes), mount("{a}", notes), mount("/a", "/b", notes));
    assert.throws(declare, (error: unknown) => {
      assert.ok(error instanceof RoutingError);
      assert.deepEqual(
        error.findings.map(({ message }) => message),
        [
          'The path "{a}" must begin with a slash',
          'The path "/api/" of a group ends in a slash; the paths of its routes begin with one',
          "A group has two paths; for a path below a path, put a group in a group",
        ],
      );
      for (const { site } of error.findings) assert.match(codeAt(String(site), "mount.test.ts"), /^mount\(/);
      return true;
    });
  });
});
