import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventStream } from "../../src/content/index.ts";
import {
  type App,
  accept,
  created,
  GET,
  HttpRequest,
  header,
  host,
  method,
  ok,
  problem,
  query,
  type Route,
  redirect,
  route,
  router,
  string,
  takes,
} from "../../src/index.ts";
import { docs, openApi } from "../../src/openapi/index.ts";

/** A function as JavaScript calls it, without regard to its types. */
const any = (called: (...given: never[]) => unknown, ...given: readonly unknown[]): (() => unknown) => {
  return () => called(...(given as never[])); // That they are not of the types is the point.
};

describe("what plain JavaScript gives wrongly is named", () => {
  const app = router(GET(ok));
  const calls: Readonly<Record<string, readonly [call: () => unknown, message: string]>> = {
    "string(true)": [
      any(string, true),
      "string({ … }) takes an object of options, not boolean. Known: shortest, longest, default",
    ],
    "problem(404)": [
      any(problem, 404),
      "problem(…) takes a type of problems, such as problemTypes.notFound, not number",
    ],
    "created()": [any(created), "A location is a text, not undefined"],
    "redirect(url)": [any(redirect, new URL("http://a.example")), "A location is a text, not object"],
    "eventStream(events, request)": [
      any(eventStream, [], HttpRequest.of()),
      "eventStream(…) takes the request, and then the events, not array",
    ],
    'HttpRequest.of("/a")': [
      any(HttpRequest.of, "/a"),
      "HttpRequest.of({ … }) takes an object of options, not string. Known: method, target, headers, body, signal, draining, client, variables, turn",
    ],
    "HttpRequest.of({ url })": [
      any(HttpRequest.of, { url: "/a" }),
      'HttpRequest.of({ … }) has no option "url". Known: method, target, headers, body, signal, draining, client, variables, turn',
    ],
    'app.handle("/a")': [
      any(app.handle, "/a"),
      'app.handle(…) takes a request, such as HttpRequest.of({ target: "/" }), not string',
    ],
    "app.handle of a web Request": [
      any(app.handle, new Request("http://a.example")),
      'app.handle(…) takes a request, such as HttpRequest.of({ target: "/" }), not a web Request, which app.fetch(…) takes',
    ],
    "app.explain()": [
      any(app.explain),
      'app.explain(…) takes a request, such as HttpRequest.of({ target: "/" }), not undefined',
    ],
    "docs of a misspelt member": [
      any(docs, { sumary: "It." }),
      'docs({ … }) has no option "sumary"; did you mean summary? Known: summary, description, tags, deprecated, operationId, variables, query, headers, content, responses, problems, responseHeaders, problemTypes',
    ],
  };
  for (const [name, [call, message]] of Object.entries(calls)) {
    it(name, () => assert.throws(call, { message }));
  }

  it("openApi(app)", async () => {
    const message = "openApi(app, { … }) needs the title and the version of the API";
    for (const options of [undefined, {}, { title: "Books" }]) {
      await assert.rejects(any(openApi, app, options) as () => Promise<unknown>, { name: "TypeError", message });
    }
  });
});

describe("what plain JavaScript declares wrongly is an error of the routes", () => {
  const declare = (member: unknown): App => router(any(route, member, ok)() as Route);
  const members: Readonly<Record<string, readonly [member: () => unknown, message: string]>> = {
    "accept([…])": [any(accept, ["text/plain"]), "accept(…) takes texts, not array"],
    "host(80)": [any(host, 80), "host(…) takes texts, not number"],
    "header()": [any(header), '"undefined" is not a header field name'],
    'header("A", 5)': [any(header, "A", 5), "A value is wanted as a text or a regular expression, not as number"],
    "query()": [any(query), "query(…) takes the name of a parameter, not undefined"],
    'query("a", 5)': [any(query, "a", 5), "A value is wanted as a text or a regular expression, not as number"],
    'method("get")': [any(method, "get"), '"get" is in capitals as a method: methods are case-sensitive'],
    "takes({ invalidPath: 500 })": [any(takes, { invalidPath: 500 }), "invalidPath is 400 or 404"],
    'takes({ strict: "yes" })': [any(takes, { strict: "yes" }), "strict is true or false"],
  };
  for (const [name, [member, message]] of Object.entries(members)) {
    it(name, () => {
      assert.throws(() => declare(member()), {
        name: "RoutingError",
        message: new RegExp(`- ${RegExp.escape(message)} \\(`),
      });
    });
  }
});
