import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type App,
  and,
  around,
  before,
  type Filter,
  fallback,
  group,
  HttpError,
  HttpRequest,
  type HttpResponse,
  method,
  mount,
  onError,
  or,
  type ProblemType,
  path,
  problem,
  provide,
  type Route,
  route,
  router,
  text,
} from "waymark";
import { cors } from "waymark/filters";
import { isThorough, runs } from "../../tools/runs.ts";

// The table of who reaches what is made of what filters say. Here random trees of routes are asked whether it is so.

type Kind = "around" | "provide" | "before" | "thrown" | "passing";

interface Guard {
  readonly kind: Kind;
  readonly status: 401 | 403;
  readonly exceptMethods: readonly string[];
  /** It lets by what is below this path. */
  readonly exceptBelow: string | undefined;
}

type Tree =
  | { readonly kind: "route"; readonly methods: readonly string[]; readonly paths: readonly string[] }
  | { readonly kind: "fallback" }
  | {
      readonly kind: "group" | "mount";
      readonly path: string;
      readonly guards: readonly Guard[];
      readonly members: readonly Tree[];
    };

const methods = ["GET", "POST", "DELETE", "OPTIONS", "HEAD"];
const paths = fc.constantFrom("/a", "/b", "/{id}", "/a/{id}");
const guards = fc.array(
  fc.record<Guard>({
    kind: fc.constantFrom<Kind>("around", "provide", "before", "thrown", "passing"),
    status: fc.constantFrom(401, 403),
    exceptMethods: fc.oneof(fc.constant([]), fc.subarray(methods)),
    exceptBelow: fc.option(fc.constantFrom("/a", "/b"), { nil: undefined, freq: 3 }),
  }),
  { maxLength: 2 },
);
const { trees } = fc.letrec<{ trees: readonly Tree[]; tree: Tree; leaf: Tree; branch: Tree }>((tie) => ({
  leaf: fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant("route" as const),
        methods: fc.subarray(methods),
        paths: fc.uniqueArray(paths, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.constant({ kind: "fallback" as const }) },
  ),
  branch: fc.record({
    kind: fc.constantFrom("group" as const, "mount" as const),
    path: fc.constantFrom("/a", "/b", "/*"),
    guards,
    members: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
  }),
  tree: fc.oneof({ depthSize: "small", withCrossShrink: true }, tie("leaf"), tie("branch")),
  trees: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
}));

/**
 * Builds an app of a tree, in which each guard has a number.
 *
 * @param without the number of one that is left out
 */
function build(outer: readonly Guard[], members: readonly Tree[], without?: number): App {
  let guarded = 0;
  const toFilters = (own: readonly Guard[]): readonly Filter[] => [
    answerRefused,
    ...own.flatMap((guard) => (guarded++ === without ? [] : [toFilter(guard, `guard-${guarded - 1}`)])),
  ];
  const toRoute = (tree: Tree): Route => {
    switch (tree.kind) {
      case "fallback":
        return fallback(() => new Response("handled"));
      case "route":
        return route(or(...tree.paths.map(path)), tree.methods.length === 0 ? and() : method(...tree.methods), handle);
      case "group":
        return group(tree.path, ...toFilters(tree.guards), ...toRoutes(tree.members));
      case "mount":
        return mount(tree.path, router({ filters: toFilters(tree.guards) }, ...toRoutes(tree.members)));
    }
  };
  // A fallback is the last, and the only one.
  const toRoutes = (all: readonly Tree[]): readonly Route[] => {
    const [others, fallbacks] = [true, false].map((wanted) =>
      all.filter(({ kind }) => (kind !== "fallback") === wanted),
    );
    return [...(others ?? []), ...(fallbacks ?? []).slice(0, 1)].map(toRoute);
  };
  return router({ filters: [cors({ origins: ["https://example.org"] }), ...toFilters(outer)] }, ...toRoutes(members));
}

const handle = (): HttpResponse => text("handled");

class Refused extends Error {
  readonly response: HttpResponse;

  constructor(response: HttpResponse) {
    super("refused");
    this.response = response;
  }
}

const answerRefused = onError(Refused, ({ response }) => response);

function toFilter({ kind, status, exceptMethods, exceptBelow }: Guard, code: string): Filter {
  const isLet = ({ method: asked, path: found }: HttpRequest<unknown>): boolean =>
    exceptMethods.includes(asked) || (exceptBelow !== undefined && found.startsWith(exceptBelow));
  const type: ProblemType = { code, status, title: "Refused", explanation: "A guard refuses." };
  const refused = problem(type).withHeader("X-Guard", code);
  const describes = (sample: HttpRequest) => (isLet(sample) ? {} : { problems: [type] });
  switch (kind) {
    case "around":
      return around((request, next) => (isLet(request) ? next(request) : refused), { describes });
    case "provide":
      return provide(code, (request) => (isLet(request) ? code : refused), { describes });
    case "before":
      return before(
        (request) => {
          if (isLet(request)) return request as HttpRequest; // of any variables
          throw new HttpError(refused);
        },
        { describes },
      );
    case "thrown":
      return around(
        (request, next) => {
          if (isLet(request)) return next(request);
          throw new Refused(refused);
        },
        { describes },
      );
    case "passing":
      return around((request, next) => next(request));
  }
}

const send = async (app: App, requested: string, target: string, headers = {}): Promise<HttpResponse> =>
  app.handle(HttpRequest.of({ method: requested, target, headers }));

const samplePath = (template: string): string =>
  template
    .replaceAll("*", "1")
    .replaceAll(/\{[^}]*\}/g, "1")
    .replace("11", "1");

const preflight = { Origin: "https://example.org", "Access-Control-Request-Method": "GET" };

describe("the table of who reaches what", () => {
  it("says first what requests show, for each method of each route of random trees", async () => {
    const seen = { refused: 0, handled: 0, options: 0 };
    await fc.assert(
      fc.asyncProperty(guards, trees, async (outer, members) => {
        const app = build(outer, members);
        const { routes } = app;
        for (const { path: template, methods: own = methods } of routes) {
          const target = samplePath(template);
          assert.equal((await send(app, "OPTIONS", target, preflight)).status, 204);
          for (const asked of new Set([...own, ...(own.includes("GET") ? ["HEAD"] : []), "OPTIONS"])) {
            const { route: taking, steps } = app.explain(HttpRequest.of({ method: asked, target }));
            const response = await send(app, asked, target);
            const shown = response.headers.get("X-Guard");
            if (taking === undefined) {
              // The router's own answer to OPTIONS reaches no handler, and only web filters are around it.
              assert.equal(asked, "OPTIONS");
              assert.equal(response.status === 204, shown === undefined);
              seen.options++;
              continue;
            }
            // Of a route that is taken by another path than its sample, a filter may say something else.
            if (samplePath(taking.path) !== target) continue;
            const row = routes[steps.findIndex(({ route: tried }) => tried === taking)];
            const first = row?.refuses.find(
              ({ code, methods: of }) => code !== undefined && of?.includes(asked) !== false,
            );
            assert.deepEqual([shown, response.status], [first?.code, first?.status ?? 200], `${asked} ${target}`);
            seen[first === undefined ? "handled" : "refused"]++;
          }
        }
      }),
      { numRuns: isThorough ? 10_000 : 150 },
    );
    assert.ok(
      Object.values(seen).every((count) => count > 100),
      JSON.stringify(seen),
    );
  });

  it("changes with each guard that is taken out", () => {
    let changed = 0;
    fc.assert(
      fc.property(guards, trees, (outer, members) => {
        const all = build(outer, members).routes;
        for (const code of new Set(all.flatMap(({ refuses }) => refuses.flatMap((refusal) => refusal.code ?? [])))) {
          const without = build(outer, members, Number(code.slice("guard-".length))).routes;
          assert.notDeepEqual(refusalsIn(without), refusalsIn(all), code);
          changed++;
        }
      }),
      { numRuns: runs(50) },
    );
    assert.ok(changed > 50, `${changed}`);
  });
});

const refusalsIn = (routes: App["routes"]) =>
  routes.map(({ refuses }) => refuses.map(({ code, status, methods: of }) => [code, status, of]));
