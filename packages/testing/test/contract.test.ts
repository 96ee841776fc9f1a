import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after as afterTests, describe, it } from "node:test";
import { promisify } from "node:util";
import { serve } from "@waymark/node";
import {
  type App,
  accept,
  after,
  answers,
  around,
  content,
  created,
  DELETE,
  empty,
  found,
  GET,
  group,
  HttpResponse,
  host,
  integer,
  json,
  method,
  noContent,
  none,
  notFound,
  ok,
  POST,
  problem,
  problemTypes,
  provide,
  type Route,
  route,
  router,
  string,
  takes,
  text,
} from "waymark";
import { docs } from "waymark/openapi";
import { z } from "zod";
import { ContractError, contract } from "../src/index.ts";

const Note = z.strictObject({
  title: z.string().min(1).max(40),
  tags: z.array(z.string().regex(/^[a-z]{2,4}-\d+$/)).optional(),
  due: z.iso.date().optional(),
  place: z.object({ floor: z.int().min(-3).max(60) }).optional(),
});
type Note = z.infer<typeof Note>;

/** Every place of a declaration, in an app that keeps to it. */
function notesApp(): App {
  const notes = new Map<number, Note>();
  const signedIn = provide("caller", (request) =>
    request.header("Authorization") === "Bearer sesame" ? "Ada" : problem(problemTypes.forbidden),
  );
  const one = takes({ variables: { id: integer({ least: 1 }) } });
  return router(
    { checkAnswers: true },
    group(
      "/notes",
      signedIn,
      GET(
        accept("application/json", "text/plain"),
        takes({
          query: { page: integer({ least: 1, default: 1 }), tag: z.array(z.string()).max(3).default([]) },
          strict: true,
        }),
        answers({ 200: z.unknown() }),
        (request, { query }) =>
          request.negotiatedType === "text/plain" ? text(`page ${query.page}`) : json([...notes.values()]),
      ),
      GET("/{id}", one, answers({ 200: Note, 404: none }), (_, { variables }) => found(notes.get(variables.id))),
      POST(
        takes({ body: Note, fields: { "X-Trace": z.string().max(8).optional() } }),
        answers({ 201: Note }),
        async (_, { body }) => {
          const note = await body();
          notes.set(notes.size + 1, note);
          return created(`/notes/${notes.size}`, note);
        },
      ),
      route(
        method("QUERY"),
        takes({ body: z.object({ title: z.string() }) }),
        answers({ 200: z.array(Note) }),
        async (_, { body }) => {
          const { title } = await body();
          return json([...notes.values()].filter((note) => note.title === title));
        },
      ),
      DELETE("/{id}", one, answers({ 204: none, 404: none }), (_, { variables }) =>
        notes.delete(variables.id) ? noContent() : notFound(),
      ),
    ),
    GET(
      "/floors/{floor}",
      takes({ variables: { floor: integer({ least: 0, most: 9 }) }, invalidPath: 404 }),
      answers({ 200: integer() }),
      (_, { variables }) => json(variables.floor),
    ),
  );
}

const headers = { Authorization: "Bearer sesame" };

describe("contract", () => {
  it("has a case for each operation, which an app passes that keeps to its declarations", async () => {
    const cases = await contract(notesApp(), { headers });
    const statuses: Record<string, readonly number[]> = {};
    for (const { name, run, statuses: met } of cases) {
      await run();
      statuses[name] = [...met.keys()].toSorted();
    }
    assert.deepEqual(statuses, {
      "POST /notes": [201, 400, 405, 413, 415],
      "GET /notes": [200, 400, 405, 406],
      "QUERY /notes": [200, 400, 405, 413, 415],
      "GET /notes/{id}": [200, 400, 404, 405],
      "GET /floors/{floor}": [200, 404, 405],
      "DELETE /notes/{id}": [204, 400, 404, 405],
      "what no operation is for": [404],
    });
  });

  it("sends over a socket", async () => {
    const app = notesApp();
    const server = await serve(app);
    afterTests(() => server.close({ grace: 0 }));
    for (const { run } of await contract(app, { base: server.url, headers, requests: 60 })) await run();
  });

  it("makes the same requests of the same seed, and at most as many as its option says", async () => {
    const sentWith = async (options: object): Promise<readonly string[]> => {
      const sent: string[] = [];
      const spy = around(async (request, next) => {
        sent.push(
          [request.method, request.path, request.search, ...(await request.bytes({ limit: 2 ** 21 }))].join(" "),
        );
        return next(request);
      });
      const app = router(
        { filters: [spy] },
        GET("/a", takes({ query: { q: string() } }), (_, { query }) => text(query.q)),
      );
      for (const { run } of await contract(app, options)) await run();
      return sent;
    };
    const first = await sentWith({ seed: 7, requests: 30 });
    assert.deepEqual(await sentWith({ seed: 7, requests: 30 }), first);
    assert.notDeepEqual(await sentWith({ seed: 8, requests: 30 }), first);
    // Six of them are for what no operation is for.
    assert.ok(first.length > 20 && first.length <= 36, String(first.length));
  });

  it("knows how a filter refuses that describes it, and what the filter takes", async () => {
    const tenant = provide(
      "tenant",
      takes({ fields: { "X-Tenant": integer({ least: 1 }) } }),
      (_, { fields }) => (fields["X-Tenant"] === 1 ? "Ada" : empty(401).withHeader("WWW-Authenticate", "Bearer")),
      { describes: { responses: { 401: { description: "There is no such tenant." } } } },
    );
    const app = router(
      { checkAnswers: true },
      group(
        tenant,
        GET(takes(tenant), answers({ 200: z.string() }), (_, { tenant: name }) => json(name)),
      ),
    );
    const [first] = await contract(app);
    await first?.run();
    assert.deepEqual([...(first?.statuses.keys() ?? [])].toSorted(), [200, 400, 401, 405]);
  });

  it("gives the app the host that its fields name", async () => {
    const app = router(
      group(
        host("a.example"),
        GET(takes({ query: { page: integer() } }), answers({ 200: none }), () => ok()),
      ),
    );
    const [first] = await contract(app, { headers: { Host: "a.example" } });
    await first?.run();
    assert.deepEqual([...(first?.statuses.keys() ?? [])].toSorted(), [200, 400, 405]);
  });

  it("knows that no route is for a path that breaks the expression of its template, or one of another template", async () => {
    const apps = [
      [router(GET("/{id:[0-9]+}", answers({ 200: none }), () => ok())), [200, 404, 405]],
      [
        router(
          GET("/{id:[0-9]+}", answers({ 200: none }), () => ok()),
          POST("/{id}", answers({ 201: none }), () => created("/1")),
        ),
        [200, 405],
      ],
    ] as const;
    for (const [app, statuses] of apps) {
      const cases = await contract(app);
      const read = cases.find(({ name }) => name === "GET /{id}") ?? assert.fail("There is no case");
      await read.run();
      assert.deepEqual([...read.statuses.keys()].toSorted(), statuses);
    }
  });

  it("takes the values that it is given, and asks for those that it cannot make", async () => {
    const even = { ...string(), "~standard": { ...string()["~standard"], validate: onlyEven } };
    const app = router(GET("/{id}", takes({ variables: { id: even } }), answers({ 200: none }), () => ok()));
    const firstOf = async (options: object) => (await contract(app, options))[0] ?? assert.fail("There is no case");
    await assert.rejects((await firstOf({})).run(), {
      name: "TypeError",
      message: 'No value is known for the path variable "id" of GET /{id}: name some, { examples: { "id": [ … ] } }',
    });
    // Once by GET, and once by HEAD.
    const first = await firstOf({ examples: { id: ["even"] } });
    await first.run();
    assert.equal(first.statuses.get(200), 2);
  });

  it("takes a query for valid only where each rule of its schema does, also one that no JSON Schema says", async () => {
    const Range = z.object({ from: z.int().optional(), to: z.int().optional() });
    const appOf = (rule: (range: z.infer<typeof Range>) => boolean): App =>
      router(GET("/a", takes({ query: Range.refine(rule) }), answers({ 200: none }), () => ok()));
    const [first] = await contract(appOf(({ from, to }) => from !== undefined && to !== undefined && from < to));
    await first?.run();
    assert.ok((first?.statuses.get(200) ?? 0) > 0);
    const [never] = await contract(appOf(() => false));
    await assert.rejects(never?.run() ?? Promise.resolve(), {
      name: "TypeError",
      message:
        "No query is known for GET /a that its schema allows: name values of its parameters, { examples: { … } }",
    });
  });

  it("refuses options that there are not", async () => {
    await assert.rejects(contract(notesApp(), { sead: 1 } as object), /has no option "sead"/);
    await assert.rejects(contract(notesApp(), { requests: 0 }), /requests must be a whole number, 1 or more, not 0/);
  });
});

function onlyEven(value: unknown): { readonly value: string } | { readonly issues: readonly [{ message: string }] } {
  return value === "even" ? { value } : { issues: [{ message: "must be even" }] };
}

/** As JavaScript, whose types do not hold it back. */
const untyped = (response: HttpResponse) => response as ReturnType<typeof json<Note>>;

/** Changes what is sent, as a proxy or a filter with a fault would. */
const sending = (change: (response: HttpResponse) => HttpResponse) => after((_, response) => change(response));
const withStatus = (status: number, response: HttpResponse): HttpResponse =>
  new HttpResponse(status, response.headers, response.body);

describe("a contract that is broken", () => {
  const read = (answer: () => HttpResponse): Route =>
    GET("/a", answers({ 200: Note, 404: none }), () => untyped(answer()));
  const taking = GET(
    "/{id}",
    takes({ variables: { id: integer() }, query: { q: integer() } }),
    answers({ 200: none }),
    () => ok(),
  );
  const storing = POST("/a", takes({ body: Note }), answers({ 201: none }), async (_, { body }) => {
    await body();
    return empty(201);
  });
  const is = (status: number, other: number) =>
    sending((response) =>
      response.status === status ? withStatus(other, response.withBody(null).withoutHeader("Content-Type")) : response,
    );

  const sends = (value: object) =>
    sending((response) => (response.status === 200 ? response.withBody(JSON.stringify(value)) : response));

  const cases: readonly (readonly [name: string, app: App, kind: string, expected: string, came: string])[] = [
    [
      "another status",
      router(read(() => empty(202))),
      "a valid request",
      "a status that is declared: 200, 404, 500",
      "202 without content",
    ],
    [
      "another shape",
      router(
        { filters: [sends({ title: 7 })] },
        read(() => json({ title: "a" })),
      ),
      "a valid request",
      "content as its schema: #/title must be string",
      '200 application/json {"title":7}',
    ],
    [
      "a member too many",
      router(
        { filters: [sends({ title: "a", key: 1 })] },
        read(() => json({ title: "a" })),
      ),
      "a valid request",
      "# must NOT have additional properties",
      "200",
    ],
    [
      "another media type",
      router(read(() => content("text/csv", "a"))),
      "a valid request",
      "content of the type application/json",
      "200 text/csv a",
    ],
    [
      "content where none is declared",
      router(read(() => json(1, 404))),
      "a valid request",
      "no content",
      "404 application/json 1",
    ],
    [
      "no content where some is declared",
      router(read(() => ok())),
      "a valid request",
      "content of the type application/json",
      "200 without content",
    ],
    [
      "text that is not JSON",
      router(read(() => content("application/json", "{"))),
      "a valid request",
      "content that is JSON",
      "200 application/json {",
    ],
    [
      "a fault",
      router(
        { onFault: () => undefined },
        read(() => {
          throw new Error("no");
        }),
      ),
      "a valid request",
      "no fault",
      "500",
    ],
    [
      "a wrong variable that is taken",
      router({ filters: [is(400, 200)] }, taking),
      'the path variable "id" is "x"',
      "400",
      "200",
    ],
    [
      "a missing parameter that is taken",
      router({ filters: [is(400, 200)] }, taking),
      'the query parameter "q" is missing',
      "400",
      "200",
    ],
    [
      "a refusal without the name of the parameter",
      router(
        {
          filters: [
            sending((response) => (response.status === 400 ? problem(problemTypes.invalidParameters) : response)),
          ],
        },
        taking,
      ),
      'the query parameter "q" is missing',
      'an error for the query parameter "q"',
      "400",
    ],
    [
      "a valid request that is refused",
      router(
        { filters: [is(200, 400)] },
        GET("/a", docs({ problems: [problemTypes.invalidParameters] }), answers({ 200: none }), () =>
          problem(problemTypes.invalidParameters),
        ),
      ),
      "a valid request",
      "no refusal of what is valid as it is declared",
      "400",
    ],
    [
      "invalid content that is taken",
      router({ filters: [is(400, 201)] }, storing),
      'content that breaks its schema at #/title: the member "title" is left out',
      "400 or",
      "201",
    ],
    [
      "malformed content that is taken",
      router({ filters: [is(400, 201)] }, storing),
      "malformed content",
      "400 or",
      "201",
    ],
    [
      "content of another type that is taken",
      router({ filters: [is(415, 201)] }, storing),
      "content of a type that is not read",
      "415 or",
      "201",
    ],
    [
      "content that is too long and taken",
      router({ filters: [is(413, 201)], contentLimit: 100_000 }, storing),
      "content that is too long",
      "413 or",
      "201",
    ],
    [
      "a refusal without a pointer",
      router(
        {
          filters: [sending((response) => (response.status === 400 ? problem(problemTypes.invalidContent) : response))],
        },
        storing,
      ),
      'content that breaks its schema at #/title: the member "title" is left out',
      "an error at #/title",
      "400",
    ],
    [
      "a 415 without Accept",
      router({ filters: [sending((response) => response.withoutHeader("Accept"))] }, storing),
      "content of a type that is not read",
      "Accept: application/json",
      "Accept: (none)",
    ],
    [
      "a 405 without Allow",
      router(
        { filters: [sending((response) => response.withoutHeader("Allow"))] },
        read(() => json({ title: "a" })),
      ),
      "another method",
      "Allow: GET, HEAD, OPTIONS",
      "Allow: (none)",
    ],
    [
      "a 405 without Allow, at a path that is sent with escapes",
      router(
        { filters: [sending((response) => response.withoutHeader("Allow"))] },
        GET("/{name:@[a-z]{2}}", () => ok()),
      ),
      "another method",
      "Allow: GET, HEAD, OPTIONS",
      "Allow: (none)",
    ],
    [
      "an answer without Vary",
      router(
        { filters: [sending((response) => response.withoutHeader("Vary"))] },
        GET("/a", accept("text/plain"), answers({ 200: string() }), () => text("a")),
      ),
      "a valid request",
      "Vary: Accept",
      "Vary: (none)",
    ],
    [
      "an Accept that is not minded",
      router(
        GET(
          "/a",
          accept("text/plain", "text/csv"),
          docs({ responses: { 200: { description: "It.", schema: {} } } }),
          () => text("a"),
        ),
      ),
      "a valid request",
      "content of the type text/csv, which Accept asks for",
      "200 text/plain",
    ],
    [
      "a 406 that does not come",
      router(
        { filters: [is(406, 200)] },
        GET("/a", accept("text/plain"), answers({ 200: string() }), () => text("a")),
      ),
      "an Accept that is not met",
      "406",
      "200",
    ],
    [
      "an unknown parameter that is taken",
      router(
        { filters: [is(400, 200)] },
        GET("/a", takes({ query: {}, strict: true }), answers({ 200: none }), () => ok()),
      ),
      "a query parameter that is not declared",
      "400",
      "200",
    ],
    [
      "a path that there is not",
      router(
        { filters: [is(404, 200)] },
        GET("/a", () => ok()),
      ),
      "a path that there is not",
      "404",
      "200",
    ],
  ];
  for (const [name, app, kind, expected, came] of cases) {
    it(`names the request and the place: ${name}`, async () => {
      const errors: unknown[] = [];
      for (const { run } of await contract(app)) await run().catch((error) => errors.push(error));
      const failures = errors.flatMap((error) =>
        error instanceof ContractError ? error.failures : assert.fail(String(error)),
      );
      const found = failures.filter((failure) => failure.kind === kind && failure.expected.includes(expected));
      assert.ok(found.length > 0, failures.map((failure) => `${failure.kind}: ${failure.expected}`).join("\n"));
      assert.ok(
        found.some((failure) => failure.came.startsWith(came)),
        String(found[0]?.came),
      );
    });
  }

  it("says what was sent, what was expected and what came", async () => {
    const [first] = await contract(router(read(() => empty(202))));
    await assert.rejects(first?.run() ?? assert.fail("There is no case"), (error: unknown) => {
      assert.ok(error instanceof ContractError);
      const place = /declared at (\S*contract\.test\.ts):\d+:\d+/;
      assert.match(error.message, place);
      assert.equal(
        error.message.replace(place, "declared at $1"),
        `GET /a: 2 of 3 requests are not answered as declared (seed 1), declared at ${import.meta.filename}

a valid request
  curl -i 'http://localhost/a'
  expected: a status that is declared: 200, 404, 500
  came:     202 without content

HEAD in place of GET
  curl -I 'http://localhost/a'
  expected: a status that is declared: 200, 404, 500
  came:     202 without content`,
      );
      return true;
    });
  });

  it("is seen again by the command of a failure", async () => {
    const app = router({ filters: [is(400, 299), is(415, 298), is(413, 297)], contentLimit: 100_000 }, storing, taking);
    const server = await serve(app);
    afterTests(() => server.close({ grace: 0 }));
    const failures = (
      await Promise.all(
        (
          await contract(app, { base: server.url, requests: 40 })
        ).map(({ run }) =>
          run().then(
            () => [],
            (error: ContractError) => error.failures,
          ),
        ),
      )
    ).flat();
    assert.ok(failures.length > 20);
    for (const { curl, came } of failures.slice(0, 30)) {
      const { stdout } = await promisify(execFile)("sh", ["-c", curl.replaceAll("curl -i", "curl -si")]);
      const status = /^HTTP\/1\.1 (?!100)(\d{3})/m.exec(stdout)?.[1];
      assert.equal(status, came.slice(0, 3), curl);
    }
  });
});

describe("a form", () => {
  const Upload = z.strictObject({
    title: z.string().min(1).max(10),
    size: z.int().min(1).optional(),
    tags: z.array(z.enum(["a", "b"])).optional(),
  });
  const type = "application/x-www-form-urlencoded";
  const seen: string[] = [];
  /** Reads a form as its schema has it, but for what is taken out. */
  const formApp = (isStrict: boolean): App => {
    const decode = (bytes: Uint8Array): unknown => {
      const text = new TextDecoder().decode(bytes);
      seen.push(text);
      const all = Map.groupBy(new URLSearchParams(text), ([name]) => name);
      const members = [...all].map(([name, fields]) => {
        const values = fields.map(([, value]) => (name === "size" && /^\d+$/.test(value) ? Number(value) : value));
        return [name, name === "tags" ? values : values[0]];
      });
      return isStrict ? Object.fromEntries(members) : { title: "x" };
    };
    return router(
      { decoders: [{ mediaTypes: [type], decode }] },
      POST("/uploads", takes({ body: Upload }), answers({ 204: none }), async (_, { body }) => {
        await body();
        return noContent();
      }),
    );
  };

  it("is sent as one, right and wrong", async () => {
    const [first] = await contract(formApp(true), { requests: 60 });
    await first?.run();
    assert.deepEqual([...(first?.statuses.keys() ?? [])].toSorted(), [204, 400, 405, 413, 415]);
    assert.ok(seen.some((text) => /^title=[^&]+&size=\d+/.test(text)));
    assert.ok(seen.some((text) => /tags=[ab]&tags=[ab]/.test(text)));
    assert.ok(seen.some((text) => text.includes("x-unknown-member=1")));
  });

  it("fails where a server takes what breaks its schema", async () => {
    const [first] = await contract(formApp(false), { requests: 60 });
    await assert.rejects(first?.run() ?? assert.fail("There is no case"), (error: unknown) => {
      assert.ok(error instanceof ContractError);
      const kinds = error.failures.map(({ kind }) => kind);
      assert.ok(
        kinds.includes('content that breaks its schema at #/title: the member "title" is left out'),
        kinds.join(),
      );
      assert.ok(kinds.some((kind) => kind.startsWith("content that breaks its schema at #/size: ")));
      // A number is a text like any other in a form.
      assert.ok(!kinds.some((kind) => kind.startsWith("content that breaks its schema at #/title: 7 ")));
      return true;
    });
  });

  it("is sent with files", async () => {
    const posted: FormData[] = [];
    const app = router(
      POST(
        "/files",
        docs({
          content: {
            types: {
              "multipart/form-data": {
                schema: {
                  type: "object",
                  required: ["name", "file"],
                  properties: { name: { type: "string" }, file: { type: "string", contentMediaType: "image/png" } },
                },
              },
            },
          },
          responses: { 204: { description: "It is stored." } },
        }),
        async (request) => {
          const bytes = await request.bytes();
          const headers = { "Content-Type": request.header("Content-Type") ?? "" };
          await new Response(bytes, { headers }).formData().then(
            (form) => posted.push(form),
            () => undefined,
          );
          return noContent();
        },
      ),
    );
    const [first] = await contract(app, { requests: 10 });
    await first?.run().catch(() => undefined); // its handler reads what is of another type as well
    const file = posted.find((form) => form.has("file"))?.get("file");
    assert.ok(file instanceof File);
    assert.deepEqual([file.name, file.type], ["file", "image/png"]);
  });
});
