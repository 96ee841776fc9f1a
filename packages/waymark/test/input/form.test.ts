import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type App, ask, file, GET, HttpRequest, integer, json, POST, provide, router, takes } from "waymark";
import { type OpenApiDocument, openApi } from "waymark/openapi";
import { z } from "zod";

const image = file({ most: 1_000, types: ["image/png", "image/gif"] });

const covers = router(
  POST("/covers", takes({ form: { title: z.string().min(1), pages: integer(), image } }), async (_, { form }) => {
    const { title, pages, image } = await form();
    return json({ title, pages, name: image.name, type: image.type, text: await image.text() });
  }),
);

const png = (text: string, name = "emma.png", type = "image/png"): File => new File([text], name, { type });

function formOf(fields: Readonly<Record<string, string | File | readonly (string | File)[]>>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) {
    for (const value of [values].flat()) {
      if (typeof value === "string") form.append(name, value);
      else form.append(name, value as File);
    }
  }
  return form;
}

const send = (app: App, fields: Parameters<typeof formOf>[0], headers = {}) =>
  ask(app, "POST /covers", { form: formOf(fields), headers });

/** The places and words of a refusal. */
const errorsOf = (value: unknown): readonly string[] =>
  (value as { errors: { pointer: string; detail: string }[] }).errors.map(
    ({ pointer, detail }) => `${pointer} ${detail}`,
  );

describe("a form", () => {
  it("gives its fields as their schemas say, and its files", async () => {
    const { status, value } = await send(covers, { title: "Emma", pages: "474", image: png("\r\n--PNG\r\n") });
    const expected = { title: "Emma", pages: 474, name: "emma.png", type: "image/png", text: "\r\n--PNG\r\n" };
    assert.deepEqual([status, value], [200, expected]);
  });

  it("names each field that breaks a rule, in one refusal", async () => {
    const wrong = await send(covers, { title: "", pages: "many", image: png("x", "x.svg", "image/svg+xml") });
    assert.equal(wrong.status, 400);
    assert.deepEqual(errorsOf(wrong.value), [
      '#/image must be a file of the type image/png or image/gif, not "image/svg+xml"',
      "#/title Too small: expected string to have >=1 characters",
      '#/pages must be an integer, not "many"',
    ]);
    const other = await send(covers, { title: png("x"), pages: ["1", "2"], image: "no file" });
    assert.deepEqual(errorsOf(other.value).slice(0, 3), [
      "#/title must be text, not a file",
      "#/image must be a file, not text",
      "#/pages is given more than once",
    ]);
  });

  it("lacks what browsers send for fields that nobody filled", async () => {
    const { status, value } = await send(covers, {
      title: "Emma",
      pages: "",
      image: png("", "", "application/octet-stream"),
    });
    assert.equal(status, 400);
    assert.equal(errorsOf(value).filter((each) => each.startsWith("#/image is missing")).length, 1);
    const optional = router(
      POST(
        "/covers",
        takes({ form: { pages: z.int().optional(), image: file({ most: 1, optional: true }) } }),
        async (_, { form }) => json(await form()),
      ),
    );
    assert.deepEqual((await send(optional, { pages: "", image: png("", "") })).value, {});
  });

  it("keeps repeated fields and files, up to their count", async () => {
    const app = router(
      POST(
        "/covers",
        takes({ form: { tag: z.array(z.string()), scan: file({ most: 10, count: 2 }) } }),
        async (_, { form }) => {
          const { tag, scan } = await form();
          return json({ tag, scans: scan.map(({ name }) => name) });
        },
      ),
    );
    const two = await send(app, { tag: ["a", "b"], scan: [png("1", "1"), png("2", "2")], other: "passed over" });
    assert.deepEqual(two.value, { tag: ["a", "b"], scans: ["1", "2"] });
    assert.deepEqual((await send(app, { scan: png("1", "1") })).value, { tag: [], scans: ["1"] });
    const three = await send(app, { scan: [png("1"), png("2"), png("3")] });
    assert.deepEqual(errorsOf(three.value), ["#/scan must be at most 2 files"]);
  });

  it("gives a file to the handler piece by piece, while it arrives", async () => {
    const app = router(
      POST("/covers", takes({ form: { image: file({ most: "5MB" }), title: z.string() } }), async (_, { form }) => {
        const lengths: number[] = [];
        const { image, title } = await form({
          async image({ name, content }) {
            for await (const piece of content) lengths.push(piece.length);
            return name;
          },
        });
        const stored: string = image;
        return json({
          stored,
          title,
          pieces: lengths.length > 1,
          length: lengths.reduce((sum, each) => sum + each, 0),
        });
      }),
    );
    const body = await new Response(formOf({ image: png("x".repeat(200_000), "../up/a.png"), title: "Emma" })).blob();
    const response = await app.fetch(
      new Request("http://localhost/covers", {
        method: "POST",
        headers: { "Content-Type": body.type },
        body: inPieces(new Uint8Array(await body.arrayBuffer()), 10_000),
        duplex: "half",
      } as RequestInit),
    );
    assert.deepEqual(await response.json(), { stored: "a.png", title: "Emma", pieces: true, length: 200_000 });
  });

  it("passes over what a handler does not read of a file", async () => {
    const app = router(
      POST("/covers", takes({ form: { image: file({ most: 100_000 }), title: z.string() } }), async (_, { form }) =>
        json(await form({ image: ({ type }) => type })),
      ),
    );
    const { value } = await send(app, { image: png("x".repeat(90_000)), title: "Emma" });
    assert.deepEqual(value, { image: "image/png", title: "Emma" });
  });

  it("has a file that is stored by a function which returns nothing", async () => {
    const images = file({ most: 100, count: 2, optional: true });
    const app = router(
      POST("/covers", takes({ form: { image: file({ most: 100 }), images } }), async (_, { form }) => {
        const stored: string[] = [];
        const store = ({ name }: { readonly name: string }): void => void stored.push(name);
        const { image, images } = await form({ image: store, images: store });
        return json({ stored, image: image ?? null, count: images.length });
      }),
    );
    const { value } = await send(app, { image: png("1", "1"), images: [png("2", "2"), png("3", "3")] });
    assert.deepEqual(value, { stored: ["1", "2", "3"], image: null, count: 2 });
    assert.deepEqual(errorsOf((await send(app, { images: png("2") })).value), ["#/image is missing"]);
  });

  it("is read in pieces of any size", async () => {
    const { headers, bytes } = await encoded({ title: 'Zoë "x"', pages: "7", image: png("-".repeat(50), 'a"b.png') });
    for (const size of [1, 2, 3, 7, 64]) {
      const request = new Request("http://localhost/covers", {
        method: "POST",
        headers,
        body: inPieces(bytes, size),
        duplex: "half",
      } as RequestInit);
      const answer = JSON.parse(await (await covers.fetch(request)).text());
      assert.deepEqual([answer.title, answer.pages, answer.name, answer.text.length], ['Zoë "x"', 7, 'a"b.png', 50]);
    }
  });

  it("is refused above its bounds", async () => {
    const { status, value } = await send(covers, { title: "Emma", pages: "1", image: png("x".repeat(1_001)) });
    assert.deepEqual([status, (value as { limit: number }).limit], [413, 1_000]);
    const long = await send(covers, { title: "x".repeat(1_050_000), pages: "1", image: png("x") });
    assert.ok([400, 413].includes(long.status));
    const many = await send(covers, { other: Array.from({ length: 1_001 }, () => "x") });
    assert.match((many.value as { detail: string }).detail, /more than 1000 parts/);
  });

  it("is refused where it is malformed or something else", async () => {
    const { headers, bytes } = await encoded({ title: "Emma", pages: "1", image: png("x") });
    const post = (body: string | Uint8Array, type = headers["Content-Type"]) =>
      covers.handle(HttpRequest.of({ method: "POST", target: "/covers", headers: { "Content-Type": type }, body }));
    for (const cut of [0, 1, 40, bytes.length - 8])
      assert.equal((await post(bytes.subarray(0, cut))).status, 400, `${cut}`);
    assert.equal((await post("--x\r\n\r\nno head\r\n--x--", "multipart/form-data; boundary=x")).status, 400);
    assert.equal((await post("--x!\r\n", "multipart/form-data; boundary=x")).status, 400);
    const other = await post("{}", "application/json");
    assert.deepEqual([other.status, other.headers.get("Accept")], [415, "multipart/form-data"]);
    assert.equal((await post("title=a", "application/x-www-form-urlencoded")).status, 415);
  });

  it("without files is read as browsers send it by default, too", async () => {
    const app = router(
      POST("/covers", takes({ form: { title: z.string() } }), async (_, { form }) => json(await form())),
    );
    const { value } = await ask(app, "POST /covers", { form: { title: "Zoë & co" } });
    assert.deepEqual(value, { title: "Zoë & co" });
    assert.deepEqual((await send(app, { title: "Emma" })).value, { title: "Emma" });
  });

  it("is refused from a page of another site, unless its route takes those", async () => {
    const foreign = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
    const fields = { title: "Emma", pages: "1", image: png("x") };
    assert.equal((await send(covers, fields, foreign)).status, 403);
    assert.equal((await send(covers, fields, { "Sec-Fetch-Site": "same-origin" })).status, 200);
    const open = router(
      POST("/covers", takes({ form: { title: z.string() }, anySite: true }), async (_, { form }) => json(await form())),
    );
    assert.equal((await send(open, fields, foreign)).status, 200);
  });

  it("is in the OpenAPI document", async () => {
    const { paths } = await openApi(covers, { title: "Covers", version: "1" });
    const operation: unknown = paths["/covers"]?.["post"];
    const { requestBody, responses } = operation as OpenApiDocument.Operation; // of a method
    const { schema } = requestBody?.content["multipart/form-data"] ?? {};
    assert.deepEqual(Object.keys(requestBody?.content ?? {}), ["multipart/form-data"]);
    assert.deepEqual(schema, {
      type: "object",
      properties: {
        title: { type: "string", minLength: 1 },
        pages: { type: "integer" },
        image: { type: "string", format: "binary" },
      },
      required: ["title", "pages", "image"],
    });
    assert.deepEqual(Object.keys(responses), ["400", "403", "413", "415", "500", "2XX"]);
  });

  it("is refused at its declaration where it cannot be", () => {
    const both = POST("/a", takes({ form: { a: z.string() }, body: z.string() }), () => json(1));
    assert.throws(() => router(both), /A route takes a form or a body: two routes with a contentType each take both/);
    const noSchema = POST("/a", takes({ form: { a: "text" as never } }), () => json(1));
    assert.throws(() => router(noSchema), /The form field "a" has no schema that keeps to Standard Schema/);
    const inGet = GET("/a", takes({ form: { a: z.string() } }), () => json(1));
    assert.throws(() => router(inGet), /A form is content, which a GET has not: take its fields by query/);
    const any = file as (options: unknown) => unknown;
    assert.throws(
      () => any({ most: "big" }),
      /file\(\{ most \}\) is a number of bytes or a text such as "5MB", not big/,
    );
    assert.throws(() => any({ most: 1, types: ["png"] }), /file\(\{ types \}\) takes media types/);
    assert.throws(() => any({ most: 1, types: "image/png" }), /file\(\{ types \}\) is of the type array, not string/);
    assert.throws(() => any({ most: 1, count: 0 }), /file\(\{ count \}\)/);
    assert.throws(() => provide("form", () => 1), /needs another name/);
  });
});

async function encoded(fields: Parameters<typeof formOf>[0]) {
  const response = new Response(formOf(fields));
  const headers = { "Content-Type": response.headers.get("Content-Type") ?? "" };
  return { headers, bytes: new Uint8Array(await response.arrayBuffer()) };
}

function inPieces(bytes: Uint8Array, size: number): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}
