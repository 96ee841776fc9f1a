import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { readPage } from "../../docs/page.ts";
import { openFolder } from "../../packages/waymark/test/tools/folder.ts";
import { compile, writeServiceTypes } from "../service-types.ts";
import { type Answer, codeOf, events, pages, RefusedError, successOf } from "./answers.ts";

const run = promisify(execFile);
const sourceOf = (file: string): string => readFileSync(join(import.meta.dirname, file), "utf8");

/** Each line below a `@ts-expect-error` is a mistake. */
const mistakes = `
import createClient from "openapi-fetch";
import { codeOf, pages } from "./answers.ts";
import type { components, paths } from "./api.d.ts";

const people = createClient<paths, "application/json" | "application/problem+json">({ baseUrl: "" });
// @ts-expect-error There is no such path.
people.GET("/persons");
// @ts-expect-error There is no such member.
({ nam: "Ada" }) satisfies components["schemas"]["Person"];
// @ts-expect-error A name is text.
people.POST("/person", { body: { name: 7 } });
// @ts-expect-error An id is a number.
people.GET("/person/{id}", { params: { path: { id: "1" } } });
// @ts-expect-error There is no such parameter.
people.GET("/person", { params: { query: { limits: 1 } } });
const { data, error } = await people.DELETE("/person/{id}", { params: { path: { id: 1 } } });
// @ts-expect-error A removal has no such problem.
if (codeOf(error) === "patch-conflict") data;
const read = await people.GET("/person/{id}", { params: { path: { id: 1 } } });
// @ts-expect-error Whether there is a person is not known yet.
read.data.name;
for await (const page of pages((query) => people.GET("/person", { params: { query } }), {})) {
  // @ts-expect-error A page is a list.
  page.name;
}
`;

describe("a client of the person-service", () => {
  const folder = openFolder("client");

  before(async () => {
    await writeServiceTypes(folder);
    for (const file of ["answers.ts", "people.ts"]) copyFileSync(join(import.meta.dirname, file), folder.path(file));
    folder.write("mistakes.ts", mistakes);
  });

  it("compiles, and does not where it is wrong", async () => {
    assert.equal(await compile(folder, "answers.ts", "people.ts", "mistakes.ts"), "");
  });

  it("talks with the service", async () => {
    const { app, database } = await openPersonService({ database: ":memory:" });
    const server = await serve(app);
    try {
      const { stdout } = await run(process.execPath, [folder.path("people.ts"), server.url]);
      const printed = stdout.trim().split("\n");
      assert.deepEqual(
        printed.map((line) => JSON.parse(line)),
        [
          ["Ada", true],
          [204],
          ["Somebody else was faster."],
          [["Ada Lovelace", "Grace"]],
          [["Mary"]],
          [{ id: 2, name: "Grace" }],
          [{ id: 3, name: "Mary" }],
          [{ id: 1, name: "Ada Lovelace" }],
          [5],
          ["404: without a problem document"],
        ],
      );
    } finally {
      await server.close({ grace: 0 });
      await database.close();
    }
  });

  it("is what the page about it shows", () => {
    const shown = readPage(join(import.meta.dirname, "../../docs/openapi.md")).blocks.filter(({ flags }) =>
      flags.includes("no-run"),
    );
    assert.ok(shown.length > 0);
    for (const { lines } of shown) assert.ok(sourceOf("people.ts").includes(lines.join("\n")), lines.join("\n"));
  });

  it("needs no more than 100 lines beside openapi-fetch", () => {
    assert.ok(sourceOf("answers.ts").split("\n").length <= 100);
  });
});

const answer = <T>(data: T, link?: string): Answer<T> => ({
  data,
  response: new Response(null, link === undefined ? {} : { headers: { Link: link } }),
});

describe("pages", () => {
  it("sends each parameter of the link, also one that is there twice, and stops where it leads to itself", async () => {
    const asked: unknown[] = [];
    const get = async (query: object) => {
      asked.push(query);
      return answer(asked.length, '</x?tag=a&tag=b&after=1>; rel="next", </x?tag=c>; rel="first"');
    };
    assert.deepEqual(await Array.fromAsync(pages(get, {})), [1, 2]);
    assert.deepEqual(asked, [{}, { tag: ["a", "b"], after: ["1"] }]);
  });

  it("throws what is refused", async () => {
    const refused = { error: { title: "Gone" }, response: new Response(null, { status: 410 }) };
    await assert.rejects(
      Array.fromAsync(pages(async () => refused, {})),
      new RefusedError(refused.error, refused.response),
    );
  });
});

describe("the code of a problem", () => {
  it("is the end of its type, and undefined of what is no problem", () => {
    for (const none of [undefined, "", "<p>Bad Gateway", { title: "x" }, { type: 7 }])
      assert.equal(codeOf(none), undefined);
    assert.equal(codeOf({ type: "https://x.example/problems/conflict" } as const), "conflict");
    assert.throws(() => successOf({ error: { detail: "why" }, response: new Response(null, { status: 409 }) }), {
      message: "409: why",
    });
  });
});

describe("events", () => {
  const seen: (string | undefined)[] = [];
  const answers: ((response: ServerResponse) => void)[] = [
    (response) =>
      response.writeHead(200).end("retry: 5\ndata: 1\n\n: still there\n\ndata: 2\ndata: 3\nid: b\n\ndata: 4"),
    (response) => response.writeHead(503).end(),
    (response) => response.destroy(),
    (response) => response.writeHead(200).end("data: 4\nid: c\n\n"),
    (response) => response.writeHead(410).end('{"title":"Cursor gone"}'),
  ];
  const server = createServer((request, response) => {
    seen.push(request.headersDistinct["last-event-id"]?.[0]);
    answers.shift()?.(response);
  });
  before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
  after(() => server.close());

  it("go on behind the last id when the stream ends, breaks or is away, until they are refused", async () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const open = async (headers: Record<string, string>): Promise<Answer<ReadableStream<Uint8Array> | null>> => {
      const response = await fetch(url, { headers });
      return response.ok
        ? { data: response.body, response }
        : { error: await response.json().catch(() => ""), response };
    };
    const got: unknown[] = [];
    const follow = async (): Promise<void> => {
      for await (const { data, id } of events(open, "a")) got.push([data, id]);
    };
    await assert.rejects(follow(), { message: "410: Cursor gone" });
    assert.deepEqual(got, [
      ["1", undefined],
      ["2\n3", "b"],
      ["4", "c"],
    ]);
    assert.deepEqual(seen, ["a", "b", "b", "b", "c"]);
  });
});
