import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  accept,
  after as afterFilter,
  and,
  GET,
  group,
  type Handler,
  type HttpRequest,
  type HttpResponse,
  header,
  not,
  ok,
  onError,
  or,
  path,
  query,
  type Route,
  route,
  router,
  text,
} from "waymark";
import type { Condition } from "waymark/routing";
import type { PathVariables } from "../../src/path/pattern.ts";
import type { AnyRoute } from "../../src/route.ts";
import { openFolder } from "../tools/folder.ts";
import { builtTypes } from "./packed.ts";

// Most of these tests are passed when this file compiles: a wrong type, or an expected error that no longer occurs, is an error.

/** True when the types are the same. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles only when the statement is true. */
const assertType = <Truth extends true>(truth: Truth): void => assert.equal(truth, true);

/** A handler that needs the variables V. */
const needs =
  <V>(): Handler<V> =>
  () =>
    ok();

interface Id {
  readonly id: string;
}

describe("the variables of a template", () => {
  it("have the names in its braces, and are text", () => {
    // biome-ignore lint/complexity/noBannedTypes: no variables are an object without members
    type None = {};
    assertType<Equal<PathVariables<"">, None>>(true);
    assertType<Equal<PathVariables<"/person">, None>>(true);
    assertType<Equal<PathVariables<"/a/*/b?/**">, None>>(true);
    assertType<Equal<PathVariables<"/{id}">, Id>>(true);
    assertType<Equal<PathVariables<"/person/{id}/">, Id>>(true);
    assertType<Equal<PathVariables<"/{a}/x/{b}">, { readonly a: string; readonly b: string }>>(true);
    assertType<Equal<PathVariables<"/{name}.{ext}">, { readonly name: string; readonly ext: string }>>(true);
  });

  it("leave out the expressions, also those with braces", () => {
    assertType<Equal<PathVariables<"/{id:[0-9]+}">, Id>>(true);
    assertType<Equal<PathVariables<"/{id:a:b/c}">, Id>>(true);
    assertType<Equal<PathVariables<"/{id:[0-9]{2}}/{b}">, { readonly id: string; readonly b: string }>>(true);
    assertType<Equal<PathVariables<"/{id:[0-9]{1,2}x{3}}{b}">, { readonly id: string; readonly b: string }>>(true);
    assertType<Equal<PathVariables<"/{id:\\p{L}+}">, Id>>(true);
    assertType<Equal<PathVariables<"/v{id:\\{x\\}}">, Id>>(true);
  });

  it("are a list of texts for what is left", () => {
    assertType<Equal<PathVariables<"/{*rest}">, { readonly rest: readonly string[] }>>(true);
    assertType<Equal<PathVariables<"/{id}/{*rest}">, { readonly id: string; readonly rest: readonly string[] }>>(true);
    assertType<Equal<PathVariables<"/{*before}/x">, { readonly before: readonly string[] }>>(true);
  });

  it("may be any when the template is not known", () => {
    assertType<Equal<PathVariables<string>, HttpRequest["variables"]>>(true);
  });
});

describe("the request of a handler", () => {
  it("has the variables of its route", () => {
    GET("/{id}", (request) => {
      assertType<Equal<typeof request.variables.id, string>>(true);
      return text(request.variables.id);
    });
    GET("/{id}/{*rest}", accept("text/plain"), ({ variables }) => {
      assertType<Equal<typeof variables.rest, readonly string[]>>(true);
      return text(variables.id);
    });
    route(path("/{a}"), query("q"), path("/{b}"), ({ variables }) => text(variables.a + variables.b));
    GET(and(header("X-A"), path("/{id}")), async ({ variables }) => text(variables.id));
  });

  it("has no others", () => {
    // @ts-expect-error: the template has no {name}
    GET("/{id}", (request) => text(request.variables.name));
    // @ts-expect-error: there is no template
    GET((request) => text(request.variables.id));
    // @ts-expect-error: a list of texts is not text
    GET("/{*rest}", (request) => text(request.variables.rest));
    // @ts-expect-error: not binds nothing
    GET(not(path("/{id}")), (request) => text(request.variables.id));
    // @ts-expect-error: a header field is no variable
    GET(header("id"), (request) => text(request.variables.id));
  });

  it("has of an or the variables that every branch has", () => {
    GET(or(path("/a/{id}/{x}"), path("/b/{id}/{y}")), ({ variables }) => {
      assertType<Equal<keyof typeof variables, "id">>(true);
      return text(variables.id);
    });
    // @ts-expect-error: the second branch has no {x}
    GET(or(path("/a/{id}/{x}"), path("/b/{id}")), ({ variables }) => text(variables.x));
    // @ts-expect-error: the second branch is no path
    GET(or(path("/{id}"), query("id")), ({ variables }) => text(variables.id));
    // @ts-expect-error: text in one branch, a list of texts in the other
    GET(or(path("/{id}"), path("/{*id}")), ({ variables }): Response => new Response(variables.id));
  });

  it("cannot be changed", () => {
    GET("/{id}", (request) => {
      // @ts-expect-error: variables are read only
      request.variables.id = "2";
      // @ts-expect-error: requests are values
      request.method = "POST";
      return ok();
    });
  });
});

describe("a route that needs a variable", () => {
  const one = GET(needs<Id>());

  it("says so in its type", () => {
    assertType<Equal<typeof one extends Route<Id> ? true : false, true>>(true);
    assertType<Equal<typeof one extends Route ? true : false, false>>(true);
    assertType<Equal<Route extends Route<Id> ? true : false, true>>(true);
    assertType<Equal<typeof one extends AnyRoute ? true : false, true>>(true);
  });

  it("gets it from its own template, or from any group around it, wherever written", () => {
    const ready: readonly Route[] = [
      GET("/{id}", needs<Id>()),
      group("/{id}", one),
      group(one, "/{id}"),
      group("/{id}", accept("text/plain"), group("/a", group(one))),
      group(path("/{id}"), one),
      group(and(path("/{id}"), query("q")), one),
      group(or(path("/a/{id}"), path("/b/{id}")), one),
      group("/{id}", group(one, one)),
      group("/{a}", GET("/{id}", needs<Id & { readonly a: string }>())),
      group("/{id}/{more}", one),
      group("/{*id}", GET(needs<{ readonly id: readonly string[] }>())),
    ];
    assert.equal(router(...ready).routes.length, ready.length + 2);
  });

  it("gets nothing from its neighbours, from not, or of another type", () => {
    // @ts-expect-error: the template stands in the other group
    router(group("/{id}"), one);
    // @ts-expect-error: the group around has another variable
    router(group("/{name}", one));
    // @ts-expect-error: not binds nothing
    router(group(not(path("/{id}")), one));
    // @ts-expect-error: a list of texts is not text
    router(group("/{*id}", one));
    // @ts-expect-error: the second branch has no {id}
    router(group(or(path("/{id}"), path("/b")), one));
    // @ts-expect-error: deep in groups and sets
    router(group(group(group("/a", one))));
    // @ts-expect-error: after options, and after routes that need nothing
    router({ strict: true }, GET("/b", ok), one);
  });

  it("is not one whose handler takes variables of any name", () => {
    const conditions: Condition[] = [query("q"), header("X-A")];
    const template: string = "/{id}";
    const any = (request: HttpRequest): HttpResponse => text(request.path);
    const ready: readonly Route[] = [
      route(...conditions, any),
      route(...conditions, (request: HttpRequest) => text(request.path)),
      route(...conditions, (request) => text(request.path)),
      GET("/a/{id}", ...conditions, any),
      GET(template, any),
      GET(any),
      group(...conditions, GET(any)),
      group("/{id}", route(...conditions, any)),
    ];
    assert.equal(router(route(...conditions, any), ...ready).routes.length, ready.length + 1);
    // @ts-expect-error: nothing says that one of the conditions binds {id}
    router(route(...conditions, needs<Id>()));
  });

  it("does not pass for one that needs nothing", () => {
    // @ts-expect-error: it needs {id}
    const declared: Route = one;
    // @ts-expect-error: it needs {id}
    const list: readonly Route[] = [one];
    // @ts-expect-error: it needs {id}
    const make = (): Route => group("/a", one);
    // @ts-expect-error: it needs {id}, not {name}
    const other: Route<{ readonly name: string }> = one;
    assert.ok(declared && list && make() && other);
  });
});

describe("a group", () => {
  it("takes paths, conditions, filters, clauses and routes", () => {
    const condition: Condition = query("q");
    const filter = afterFilter((_, response) => response);
    const made: Route = group("/a", condition, filter, onError(TypeError, ok), GET(ok), group("/b"), group());
    assert.ok(made);
    // @ts-expect-error: a handler is no member
    assert.throws(() => group(ok));
    // @ts-expect-error: undefined is no member
    assert.throws(() => group("/a", undefined));
    // @ts-expect-error: a route takes no filters
    assert.throws(() => GET(filter, ok));
  });

  it("gives an onError clause errors of its type", () => {
    class Taken extends Error {
      readonly by: string = "Ada";
    }
    onError(Taken, (error, request) => {
      assertType<Equal<typeof error, Taken>>(true);
      assertType<Equal<typeof request, HttpRequest>>(true);
      return text(error.by);
    });
    onError((thrown, request) => {
      assertType<Equal<typeof thrown, unknown>>(true);
      assertType<Equal<typeof request, HttpRequest>>(true);
      return text(String(thrown));
    });
    // @ts-expect-error: a class of errors needs a function beside it
    onError(Taken);
    // @ts-expect-error: what it gives is no response
    onError(TypeError);
    // @ts-expect-error: a function that makes no errors is no class of them
    assert.ok(onError(() => new Taken(), ok));
  });
});

describe("the compiler", () => {
  const root = fileURLToPath(new URL("../../../..", import.meta.url));
  const fixtures = fileURLToPath(new URL("../fixtures", import.meta.url));
  const mistakes = join(fixtures, "mistakes.ts");
  const folder = openFolder("waymark-types");

  /** Returns what a compiler prints of a project with mistakes. */
  const compile = (compiler: string, ...parameters: readonly string[]): Promise<string> =>
    promisify(execFile)(process.execPath, [join(root, compiler), "--pretty", "false", ...parameters], {
      cwd: fixtures,
    }).then(
      () => assert.fail("The mistakes compiled"),
      (error: { readonly stdout: string }) => error.stdout,
    );

  /** Compares the errors in the file of mistakes with its comments. */
  function assertSaid(output: string, isOld: boolean): void {
    const lines = readFileSync(mistakes, "utf8").split("\n");
    const expected = lines.flatMap((line, i) => {
      const [, before, message, old] = /^(\s*\/\/ *)\^ (.*?)(?: \(5\.9: at column (\d+)\))?$/.exec(line) ?? [];
      if (message === undefined) return [];
      const column = isOld && old !== undefined ? Number(old) : (before?.length ?? 0) + 1;
      return [{ at: `${i},${column}`, message }];
    });
    // An error begins at the margin; what follows it is indented.
    // The order of a union's members depends on which of them a file names first.
    const found = output
      .replaceAll("Response | HttpResponse", "HttpResponse | Response")
      .split(/^(?=\S)/m)
      .flatMap((error) => {
        const [, file = "", at] = /^(\S+)\((\d+,\d+)\)/.exec(error) ?? [];
        // TypeScript 5.9 lacks declarations that the source of the packages uses.
        if (isOld && !file.endsWith("mistakes.ts")) return [];
        const message = expected.find((each) => each.at === at && error.includes(each.message))?.message ?? error;
        return [file.endsWith("mistakes.ts") ? { at, message } : { at: error, message: "" }];
      });
    assert.deepEqual(found, expected);
  }

  let output = "";

  before(async () => {
    output = await compile("node_modules/typescript/bin/tsc", "--outDir", folder.root);
  });

  it("says in words what is wrong, at the argument that is", () => assertSaid(output, false));

  it("says the same in TypeScript 5.9", async () => {
    const { compilerOptions } = JSON.parse(readFileSync(join(root, "tsconfig.base.json"), "utf8"));
    const typeRoots = [join(root, "node_modules/@types")];
    const options = { ...compilerOptions, ...builtTypes(), lib: ["esnext"], typeRoots, noEmit: true };
    const project = folder.write("tsconfig.json", { compilerOptions: options, files: [mistakes] });
    assertSaid(await compile("scripts/node_modules/typescript/bin/tsc", "--project", project), true);
  });

  it("shows types in a few words", () => {
    const text = readFileSync(folder.path("test/fixtures/shown.d.ts"), "utf8");
    const shown = [...text.matchAll(/export declare const (\w+): (.*?);\n(?=export|$)/gs)].map(
      ([, name, type = ""]) => [name, type.replace(/import\(".*?"\)\./g, "").replace(/\s+/g, " ")],
    );
    assert.deepEqual(Object.fromEntries(shown), {
      plainRoute: "Route<NoVariables>",
      completeRoute: "Route<NoVariables>",
      incompleteRoute: "Route<{ readonly id: string; }>",
      completeGroup: "Route<NoVariables>",
      incompleteGroup: "Route<{ readonly id: string; }>",
      condition: "Condition<NoVariables>",
      conditionOnPath: "Condition<{ readonly a: string; readonly rest: readonly string[]; }>",
      alternatives: "Condition<{ readonly id: string; }>",
      app: "App",
      variables: "(given: HttpRequest) => Variables",
    });
  });
});
