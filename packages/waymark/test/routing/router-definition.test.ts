import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  type App,
  accept,
  and,
  before,
  contentType,
  type Filter,
  GET,
  group,
  HttpRequest,
  header,
  host,
  json,
  method,
  not,
  or,
  POST,
  path,
  query,
  type Route,
  route,
  router,
  when,
} from "waymark";
import { type Condition, RoutingError } from "waymark/routing";
import type { AnyRoute, Member, RouteData } from "../../src/route.ts";
import { runs } from "../tools/runs.ts";
import { interpret, isAllowed } from "./definition.ts";

// Small alphabets, so that what is generated overlaps: the same segments, types and names in routes and in requests.

type Plan =
  | { readonly kind: "route"; readonly verb: number; readonly conditions: readonly ConditionPlan[] }
  | {
      readonly kind: "group";
      readonly conditions: readonly ConditionPlan[];
      readonly filters: number;
      readonly members: readonly Plan[];
    };

type ConditionPlan =
  | { readonly kind: "leaf"; readonly make: (name: () => string) => Condition }
  | { readonly kind: "and" | "or"; readonly members: readonly ConditionPlan[] }
  | { readonly kind: "not"; readonly member: ConditionPlan };

const segment = fc.constantFrom("a", "b", "{v}", "{v}", "{v:[ab]+}", "*", "a*", "?", "x{v}");
const template = (rests: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 2 }), fc.constantFrom("", "", "", ...rests))
    .map(([segments, rest]) => `/${segments.join("/")}${rest}`);

const leafOf = (make: (name: () => string) => Condition): ConditionPlan => ({ kind: "leaf", make });

/** Each variable gets a name of its own, as templates on one path must not share any. */
const withNames = (text: string, name: () => string): string => text.replaceAll("v", () => name());

const headerLeaf = fc
  .constantFrom<readonly [string, (string | RegExp)?]>(["X-A"], ["X-A", "1"], ["x-b", /^[12]$/])
  .map(([name, value]) => leafOf(() => header(name, value)));

const plainLeaf = fc.oneof(
  fc.subarray(["GET", "POST", "HEAD", "OPTIONS"], { minLength: 1 }).map((methods) => leafOf(() => method(...methods))),
  fc
    .shuffledSubarray(["application/json", "application/xml", "text/plain"], { minLength: 1 })
    .map((types) => leafOf(() => accept(...types))),
  fc.constantFrom("application/json", "text/*", "*/*").map((range) => leafOf(() => contentType(range))),
  headerLeaf,
  fc.constantFrom(undefined, "1").map((value) => leafOf(() => query("q", value))),
  fc.constantFrom(["a.example"], ["*.example", "b.c.example"]).map((names) => leafOf(() => host(...names))),
  fc.constant(
    leafOf(() => when("X-A is even", (request) => Number(request.header("X-A")) % 2 === 0, { consults: ["X-A"] })),
  ),
);

const pathLeaf = (rests: readonly string[]): fc.Arbitrary<ConditionPlan> =>
  template(rests).map((text) => leafOf((name) => path(withNames(text, name))));

const condition = (paths: fc.Arbitrary<ConditionPlan>): fc.Arbitrary<ConditionPlan> =>
  fc.letrec<{ any: ConditionPlan; deep: ConditionPlan }>((tie) => ({
    any: fc.oneof({ depthSize: "small" }, plainLeaf, paths, tie("deep")),
    deep: fc.oneof(
      fc.record({
        kind: fc.constantFrom("and" as const, "or" as const),
        members: fc.array(tie("any"), { maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant("not" as const), member: tie("any") }),
    ),
  })).any;

const routePlan: fc.Arbitrary<Plan> = fc.record({
  kind: fc.constant("route" as const),
  verb: fc.nat(3),
  conditions: fc.array(condition(pathLeaf(["/{*v}", "/**"])), { maxLength: 2 }),
});

const plan: fc.Arbitrary<Plan> = fc.letrec<{ any: Plan; group: Plan }>((tie) => ({
  any: fc.oneof({ depthSize: "small" }, routePlan, tie("group")),
  group: fc.record({
    kind: fc.constant("group" as const),
    conditions: fc.array(condition(pathLeaf([])), { maxLength: 2 }),
    filters: fc.nat(2),
    members: fc.array(tie("any"), { minLength: 1, maxLength: 3 }),
  }),
})).any;

const request = fc
  .record({
    method: fc.constantFrom("GET", "GET", "POST", "HEAD", "OPTIONS", "PUT"),
    target: fc.tuple(
      fc.array(fc.constantFrom("a", "b", "ab", "xa", "%2F", ""), { minLength: 1, maxLength: 4 }),
      fc.constantFrom("", "", "?q", "?q=1"),
    ),
    accept: fc.constantFrom(
      undefined,
      "*/*",
      "application/xml",
      "text/*, application/json;q=0.5",
      "application/json;q=0, */*;q=0.1",
      "image/png",
      "image/png, nonsense",
      "application/xml, */json",
      "image/png;x=1, *;q=.2",
      "text/plain;x=1",
    ),
    contentType: fc.constantFrom(undefined, "application/json; charset=utf-8", "text/plain", "nonsense"),
    a: fc.constantFrom(undefined, "1", "2"),
    host: fc.constantFrom(undefined, "a.example", "b.c.example", "example"),
    b: fc.constantFrom(undefined, "2", "3"),
  })
  .map(({ method, target: [segments, search], accept, contentType, a, b, host }) => {
    const fields: Readonly<Record<string, string | undefined>> = {
      Accept: accept,
      "Content-Type": contentType,
      "X-A": a,
      Host: host,
      "X-B": b,
    };
    const sent = Object.entries(fields).filter((field): field is [string, string] => field[1] !== undefined);
    const headers = Object.fromEntries(sent);
    return HttpRequest.of({ method, target: `/${segments.join("/")}${search}`, headers });
  });

/** The routes of the plans; what answers says which route it is, what was bound, and which filters it came through. */
function build(plans: readonly Plan[]): {
  readonly routes: readonly Route[];
  readonly names: Map<unknown, string>;
  readonly filters: Map<unknown, string>;
} {
  let count = 0;
  const next = (): string => `n${count++}`;
  const names = new Map<unknown, string>();
  const filters = new Map<unknown, string>();
  const toCondition = (from: ConditionPlan): Condition => {
    if (from.kind === "leaf") return from.make(next);
    if (from.kind === "not") return not(toCondition(from.member));
    return (from.kind === "and" ? and : or)(...from.members.map(toCondition));
  };
  const toFilter = (): Filter => {
    const name = next();
    const filter = before((passing) => passing.withHeader("Trace", `${passing.header("Trace") ?? ""} ${name}`));
    filters.set(filter, name);
    return filter;
  };
  const toRoute = (from: Plan): AnyRoute => {
    const conditions = from.conditions.map(toCondition);
    if (from.kind === "group") {
      const members: readonly Member[] = [
        ...from.members.map(toRoute),
        ...Array.from({ length: from.filters }, toFilter),
      ];
      return group(...conditions, ...members);
    }
    const name = next();
    const verb = [GET, POST, route, route][from.verb] ?? route;
    const methods = from.verb === 2 ? [method("OPTIONS")] : [];
    const made = verb(...methods, ...conditions, (found: HttpRequest) =>
      json({ name, variables: found.variables, type: found.negotiatedType, trace: found.header("Trace") ?? "" }),
    );
    names.set(made, name);
    return made;
  };
  return { routes: plans.map(toRoute) as readonly Route[], names, filters };
}

/** What the router reads of routes: all that they are, beside their types. */
const dataOf = (routes: readonly Route[]): readonly RouteData[] => routes as readonly RouteData[];

/** The router of the routes; sets of routes that have findings are passed over. */
function routerOf(routes: readonly Route[]): App {
  try {
    return router(...routes);
  } catch (error) {
    fc.pre(!(error instanceof RoutingError));
    throw error;
  }
}

describe("the compiled router", () => {
  it("does what the definition says", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 5 }),
        fc.array(request, { minLength: 5, maxLength: 20 }),
        async (plans, requests) => {
          const { routes, names, filters } = build(plans);
          const app = routerOf(routes);
          for (const sent of requests) {
            const expected = interpret(dataOf(routes), sent);
            const response = await app.handle(sent);
            if ("status" in expected) {
              assert.equal(response.status, expected.status, String(app.explain(sent)));
              assert.equal(app.explain(sent).status, expected.status);
              if (response.headers.has("Allow")) {
                const allow = response.headers.get("Allow")?.split(", ");
                for (const method of ["GET", "POST", "PUT"]) {
                  assert.equal(
                    allow?.includes(method),
                    isAllowed(dataOf(routes), sent, method),
                    `${method} in Allow: ${allow}`,
                  );
                }
              }
            } else {
              assert.equal(response.status, 200, String(app.explain(sent)));
              const trace = expected.groups
                .flatMap((around) => around.filters.map((filter) => ` ${filters.get(filter)}`))
                .join("");
              const { variables, type } = expected;
              assert.deepEqual(
                JSON.parse(String(response.body)),
                JSON.parse(JSON.stringify({ name: names.get(expected.route), variables, type, trace })),
              );
            }
          }
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("names in Vary every header field that the choice rests on", async () => {
    const fields = ["Accept", "Content-Type", "X-A", "X-B"];
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 5 }), request, request, async (plans, sent, other) => {
        const { routes } = build(plans);
        const app = routerOf(routes);
        const response = await app.handle(sent);
        const vary = (response.headers.get("Vary") ?? "").toLowerCase();
        let changed = sent;
        for (const field of fields.filter((name) => !vary.includes(name.toLowerCase()))) {
          const value = other.header(field);
          changed = value === undefined ? changed.withoutHeader(field) : changed.withHeader(field, value);
        }
        const again = await app.handle(changed);
        assert.deepEqual([again.status, again.body], [response.status, response.body]);
      }),
      { numRuns: runs(100) },
    );
  });

  it("never finds fault with a route that answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(plan, { minLength: 1, maxLength: 5 }),
        fc.array(request, { minLength: 10, maxLength: 20 }),
        async (plans, requests) => {
          const { routes } = build(plans);
          const app = routerOf(routes);
          const found = new Set<unknown>(app.findings.map(({ site }) => site));
          for (const sent of requests) {
            const outcome = interpret(dataOf(routes), sent);
            if ("route" in outcome) assert.ok(!found.has(outcome.route.site), app.findings.map(String).join());
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
