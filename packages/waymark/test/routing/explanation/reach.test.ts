import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type App,
  around,
  before,
  empty,
  GET,
  group,
  method,
  mount,
  ok,
  onError,
  open,
  or,
  POST,
  path,
  problem,
  problemTypes,
  provide,
  type Route,
  type RouterOptions,
  route,
  router,
} from "waymark";
import { access, refuseCrossSite } from "waymark/filters";
import { docs } from "waymark/openapi";
import { listRoutes } from "waymark/routing";

const guard = (status: 401 | 403 | 404 = 401, exceptMethods: readonly string[] = []) =>
  around((_request, _next) => empty(status), {
    describes: { responses: { [status]: { description: "Refused." } } },
    exceptMethods: new Set(exceptMethods),
  });

/** The statuses of each row, `?` for a filter that says nothing. */
const refusals = ({ routes }: App) =>
  routes.map(({ path, refuses, open }) =>
    `${path} ${refuses.map(({ status = "?" }) => status).join(" ")} ${open ?? ""}`.trim(),
  );

const messages = ({ findings }: App) =>
  findings.map(({ kind, message }) => `${kind}: ${message.replaceAll(/ \([^()]*:\d+:\d+\)/g, "")}`);

const pass = before((request) => request);

describe("the refusals of a route", () => {
  it("are those of the filters around it, the outermost first", () => {
    const inner = group("/inner", guard(403), pass, GET(ok));
    const app = router(
      { filters: [access(() => ({ kind: "allowed" }))] },
      group("/a", guard(404), inner),
      POST("/b", ok),
    );
    assert.deepEqual(refusals(app), ["/a/inner 401 400 403 429 503 404 403 ?", "/b 401 400 403 429 503"]);
    const [first] = app.routes;
    assert.deepEqual(first?.refuses.at(-2), {
      filter: first?.filters[1],
      status: 403,
      code: undefined,
      methods: undefined,
    });
    assert.deepEqual(app.routes[1]?.refuses.map(({ code }) => code).slice(0, 3), [
      undefined,
      "ambiguous-credentials",
      "forbidden",
    ]);
  });

  it("are said by method where a filter lets some by, HEAD among them", () => {
    const app = router(group(guard(401, ["GET"]), route("/a", method("GET", "POST"), ok)));
    assert.deepEqual(
      app.routes[0]?.refuses.map(({ methods }) => methods),
      [["POST", "HEAD"]],
    );
    assert.deepEqual(messages(app), [
      'unguarded: GET|POST /a is open to everybody by GET: no filter around it refuses by 401 or 403, and no open("why") says that it is meant',
    ]);
  });

  it("are those of the sample of each way to a handler, and of the app that is mounted", () => {
    const byPath = around((request, next) => (request.path === "/b" ? next(request) : empty(401)), {
      describes: ({ path }) => (path === "/b" ? { open: "b is for all" } : { responses: { 401: { description: "" } } }),
    });
    const app = router(
      mount("/m", router({ filters: [guard(403)] }, GET("/x", ok))),
      group(byPath, GET(or(path("/a/{id}"), path("/b")), ok)),
    );
    assert.deepEqual(refusals(app), ["/m/x 403", "/a/{id} 401", "/b  b is for all"]);
    assert.deepEqual(messages(app), []);
  });

  it("are not those of onError, which answers what was thrown", () => {
    const app = router(
      group(
        "/a",
        onError(() => problem(problemTypes.forbidden)),
        guard(),
        GET(ok),
      ),
    );
    assert.deepEqual(refusals(app), ["/a 401"]);
  });
});

describe("open", () => {
  const shown = (...routes: readonly Route[]) => refusals(router({}, ...routes));

  it("is shown with its reason, and ends where a guard is within it", () => {
    const app = router(
      group("/shop", open("the window"), GET(ok), group(guard(), POST("/order", ok))),
      GET("/live", open("monitors"), ok),
    );
    assert.deepEqual(refusals(app), ["/shop  the window", "/shop/order 401", "/live  monitors"]);
    assert.deepEqual(messages(app), []);
    assert.equal(
      listRoutes(app).replaceAll(/\(.*\)/g, "(…)"),
      "GET   /shop        open  ok\nPOST  /shop/order  401   ok\n        filters around (…)\nGET   /live        open  ok",
    );
  });

  it("needs a reason", () => {
    for (const [given, said] of [
      ["", "open(…) takes a reason that is not empty"],
      [" ", "open(…) takes a reason that is not empty"],
      [undefined, "open(…) takes the reason, a text, not undefined"],
    ] as const) {
      assert.throws(() => open(given as string), { name: "TypeError", message: said }); // as JavaScript callers do
    }
    assert.throws(() => docs({ open: "x" } as object), /docs\(\{ … \}\) has no option "open"/);
  });

  it("is refused below a guard, and twice, with the place of it", () => {
    const below = group("/a", guard(), GET(open("all"), ok));
    assert.throws(
      () => shown(below),
      /- GET \/a is not open: around \(.*\) around it refuses by 401 \(.*reach\.test\.ts:/,
    );
    assert.throws(() => shown(group("/a", open("all"), guard(403), GET(ok))), /GET \/a is not open/);
    assert.throws(() => shown(GET("/a", open("x"), open("y"), ok)), /GET \/a has two open\(…\), "x" and "y" \(/);
    assert.throws(() => shown(group(open("x"), GET("/a", open("y"), ok))), /GET \/a has two open\(…\), "x" and "y" \(/);
  });
});

describe("an unguarded route", () => {
  const found = (options: RouterOptions, ...routes: readonly Route[]) => messages(router(options, ...routes));

  it("is found in an app that guards another one, and is an error where findings are", () => {
    const routes = [group(guard(), GET("/a", ok)), GET("/b", ok)];
    const said =
      'GET /b is open to everybody: no filter around it refuses by 401 or 403, and no open("why") says that it is meant';
    assert.deepEqual(found({}, ...routes), [`unguarded: ${said}`]);
    assert.throws(() => router({ strict: true }, ...routes), /GET \/b is open to everybody/);
    assert.deepEqual(found({}, GET("/a", ok), GET("/b", ok)), []);
  });

  it("is none where only other sites are refused", () => {
    assert.deepEqual(found({ filters: [refuseCrossSite()] }, GET("/a", ok), POST("/b", ok)), []);
  });

  it("is named once for all ways to it, with the filter that does not say how it refuses", () => {
    const routes = group(
      provide("caller", () => empty(401)),
      GET(or(path("/b"), path("/c")), ok),
    );
    assert.deepEqual(found({}, group(guard(), GET("/a", ok)), routes), [
      'unguarded: GET /b is open to everybody: no filter around it refuses by 401 or 403 (provide does not say how it refuses), and no open("why") says that it is meant',
    ]);
  });
});
