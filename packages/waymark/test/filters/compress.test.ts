import assert from "node:assert/strict";
import { request as sendOverHttp } from "node:http";
import { Duplex } from "node:stream";
import { describe, it } from "node:test";
import {
  brotliDecompressSync,
  constants,
  createGunzip,
  createZstdCompress,
  gunzipSync,
  zstdDecompressSync,
} from "node:zlib";
import { nodeCodings, serve } from "@waymark/node";
import fc from "fast-check";
import { type App, content, empty, GET, group, HttpResponse, POST, PUT, router, text } from "waymark";
import type { ContentCoding } from "waymark/content";
import { compress } from "waymark/filters";
import type { Answer } from "../../../node/test/tools/transports.ts";
import type { CompressOptions } from "../../src/filters/compress.ts";
import type { ResponseBody } from "../../src/response.ts";
import { anyText } from "../tools/any-text.ts";
import { ask, asked, fetched } from "../tools/ask.ts";
import { runs } from "../tools/runs.ts";

const long = "The same again, and a ß. ".repeat(80);
const words = { "Content-Type": "text/plain" };

const decoders: Readonly<Record<string, (bytes: Uint8Array) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** The content of an answer, decoded by Node's own functions. */
function contentOf({ headers, bytes }: Answer): string {
  const coding = headers["content-encoding"];
  return (coding === undefined ? bytes : (decoders[coding]?.(bytes) ?? assert.fail(coding))).toString();
}

async function* slowly<T>(...pieces: readonly T[]): AsyncGenerator<T> {
  for (const piece of pieces) {
    await null;
    yield piece;
  }
}

const bodies: Readonly<Record<string, () => ResponseBody>> = {
  text: () => long,
  bytes: () => Buffer.from(long),
  list: () => [long.slice(0, 700), "", Buffer.from(long.slice(700))],
  pieces: () => slowly<string | Uint8Array>(long.slice(0, 1), Buffer.from(long.slice(1))),
  web: () => new Blob([long]).stream(),
};

/** An app that gives these responses, compressed. */
function appWith(responses: Readonly<Record<string, () => HttpResponse>>, options: Partial<CompressOptions> = {}): App {
  const give = (request: { readonly variables: { readonly name: string } }) =>
    responses[request.variables.name]?.() ?? empty(404);
  return router(
    { filters: [compress({ codings: nodeCodings, ...options })] },
    GET("/{name}", give),
    POST("/{name}", give),
  );
}

const plain = appWith({
  ...Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [name, () => new HttpResponse(200, words, body())]),
  ),
  short: () => text("x".repeat(1023)),
  enough: () => text("x".repeat(1024)),
  "short-in-units": () => text("ß".repeat(1023)),
  "in-units": () => text("ß".repeat(1024)),
  "short-stream": () => new HttpResponse(200, { ...words, "Content-Length": "3" }, ["abc"]),
  "declared-stream": () => new HttpResponse(200, { ...words, "Content-Length": "2000" }, ["x".repeat(2000)]),
  "unknown-stream": () => new HttpResponse(200, words, ["abc"]),
  "empty-stream": () => new HttpResponse(200, words, []),
  empty: () => empty(200),
  error: () => new HttpResponse(404, words, long),
  problem: () => content("application/problem+json", JSON.stringify({ detail: long }), 400),
  picture: () => content("image/png", long),
  untyped: () => new HttpResponse(200, {}, long),
  mistyped: () => new HttpResponse(200, { "Content-Type": "text" }, long),
  "no-transform": () => text(long).withHeader("Cache-Control", "private, No-Transform"),
  "coded-already": () => text(long).withHeader("Content-Encoding", "compress"),
  part: () => new HttpResponse(206, { ...words, "Content-Range": "bytes 0-1999/9999" }, long),
  parts: () => new HttpResponse(206, { "Content-Type": "multipart/byteranges; boundary=x" }, long),
  digest: () => text(long).withHeader("Repr-Digest", "sha-256=:AAAA:"),
  "no-content": () => empty(204),
  "not-modified": () => new HttpResponse(304, { ETag: '"1"' }),
  ranges: () => text(long).withHeader("Accept-Ranges", "bytes"),
  varying: () => text(long).withHeader("Vary", "Accept, accept-encoding"),
});

/** The coding of what comes by GET, for a client that takes gzip or what is given. */
const codingOf = async (app: App, path: string, accepted = "gzip"): Promise<string | undefined> =>
  (await fetched(app, `GET ${path}`, { "Accept-Encoding": accepted })).headers["content-encoding"];

describe("compress", () => {
  for (const name of Object.keys(bodies)) {
    for (const coding of Object.keys(decoders)) {
      it(`sends ${name} in ${coding}`, async () => {
        const answer = await fetched(plain, `GET /${name}`, { "Accept-Encoding": coding });
        const length = ["text", "bytes"].includes(name) ? String(answer.bytes.length) : undefined;
        const { status, headers } = answer;
        assert.deepEqual(
          [status, headers["content-encoding"], headers["vary"], headers["content-type"], headers["content-length"]],
          [200, coding, "Accept-Encoding", "text/plain", length],
        );
        assert.ok(answer.bytes.length < 200, String(answer.bytes.length));
        assert.equal(contentOf(answer), long);
      });
    }

    it(`sends ${name} as it is to who does not ask for a coding, and says that it depends on that`, async () => {
      for (const accepted of [undefined, "", "identity, compress, gzip;q=0"]) {
        const asking = accepted === undefined ? {} : { "Accept-Encoding": accepted };
        const answer = await fetched(plain, `GET /${name}`, asking);
        const { headers } = answer;
        assert.deepEqual([headers["content-encoding"], headers["vary"]], [undefined, "Accept-Encoding"]);
        assert.equal(contentOf(answer), long);
      }
    });

    it(`answers HEAD for ${name} with the fields of GET, without the length`, async () => {
      const accepting = { "Accept-Encoding": "gzip" };
      const [get, head] = [await ask(plain, `GET /${name}`, accepting), await ask(plain, `HEAD /${name}`, accepting)];
      assert.deepEqual(head.headers.flat, get.headers.flat);
      const { bytes, headers } = await fetched(plain, `HEAD /${name}`, accepting);
      assert.deepEqual([bytes.length, headers["content-length"]], [0, undefined]);
    });
  }

  it("takes an answer to HEAD without content for that of GET, where it has a type", async () => {
    const app = appWith({ none: () => content("text/plain", null) });
    const codings = ["GET", "HEAD"].map(async (method) => {
      const { headers } = await ask(app, `${method} /none`, { "Accept-Encoding": "gzip" });
      return headers.get("Content-Encoding") ?? null;
    });
    assert.deepEqual(await Promise.all(codings), [null, "gzip"]);
  });

  it("prefers what the client prefers, and of equal ones its own first", async () => {
    for (const [field, coding] of [
      ["gzip, deflate, br, zstd", "zstd"],
      ["br;q=0.5, x-gzip", "gzip"],
      ["*", "gzip"],
    ] as const) {
      assert.equal(await codingOf(plain, "/text", field), coding);
    }
  });

  const coded = "enough in-units declared-stream unknown-stream empty-stream error problem".split(" ");
  const untouched =
    "short short-in-units short-stream empty picture untyped mistyped no-transform part digest no-content not-modified";
  for (const name of [...coded, ...untouched.split(" ")]) {
    const isCoded = coded.includes(name);
    it(`${isCoded ? "codes" : "does not touch"} what is ${name}`, async () => {
      const asIs = await fetched(plain, `GET /${name}`);
      const answer = await fetched(plain, `GET /${name}`, { "Accept-Encoding": "gzip" });
      assert.equal(answer.status, asIs.status);
      assert.equal(answer.headers["content-encoding"], isCoded ? "gzip" : undefined);
      // What goes out as it is would be coded, or refused, for a client that does not take it so.
      const vary = ["empty", "no-content"].includes(name) ? undefined : "Accept-Encoding";
      for (const { headers } of [asIs, answer]) assert.equal(headers["vary"], vary);
      assert.equal(contentOf(answer), contentOf(asIs));
      if (!isCoded) assert.equal(answer.headers["content-length"], asIs.headers["content-length"]);
    });
  }

  it("leaves what has a coding", async () => {
    const { headers, text } = await fetched(plain, "GET /coded-already", { "Accept-Encoding": "gzip" });
    assert.deepEqual([headers["content-encoding"], text], ["compress", long]);
  });

  it("offers no ranges of coded content, and names Vary's members once", async () => {
    const ranges = async (headers = {}) => (await ask(plain, "GET /ranges", headers)).header("Accept-Ranges");
    assert.deepEqual([await ranges(), await ranges({ "Accept-Encoding": "br" })], ["bytes", undefined]);
    const varying = await ask(plain, "GET /varying", { "Accept-Encoding": "br" });
    assert.equal(varying.header("Vary"), "Accept, accept-encoding");
  });

  it("codes everything for a client that takes nothing as it is", async () => {
    for (const name of ["short", "picture", "untyped"]) {
      const answer = await fetched(plain, `GET /${name}`, { "Accept-Encoding": "identity;q=0, gzip" });
      assert.equal(answer.headers["content-encoding"], "gzip", name);
      assert.equal(contentOf(answer), contentOf(await fetched(plain, `GET /${name}`)));
    }
    for (const name of ["empty", "no-content", "part", "parts"]) {
      assert.equal(await codingOf(plain, `/${name}`, "identity;q=0, gzip"), undefined, name);
    }
  });

  it("answers 406 to a client that takes nothing at all, and the handler does not run", async () => {
    const app = appWith({ text: () => assert.fail("the handler ran") });
    for (const field of ["identity;q=0, *;q=0", "*;q=0", "identity;q=0, deflate"]) {
      const { status, headers, problem } = await ask(app, "POST /text", { "Accept-Encoding": field });
      assert.deepEqual([status, headers.get("Vary")], [406, "Accept-Encoding"]);
      assert.deepEqual(problem?.["available"], ["zstd", "br", "gzip", "identity"]);
    }
  });

  it("takes a minimum and types of the program's own", async () => {
    const responses = {
      text: () => text("four"),
      nothing: () => text(""),
      picture: () => content("image/png", "four"),
    };
    const app = appWith(responses, { minimum: 0, compressible: ({ type }) => type === "image" });
    const codings = ["/text", "/nothing", "/picture"].map((path) => codingOf(app, path));
    assert.deepEqual(await Promise.all(codings), [undefined, undefined, "gzip"]);
  });

  it("makes a 500 of a body that fails at once, and cuts one that fails later", async () => {
    const faults: unknown[] = [];
    const fault = new Error("the disk is gone");
    const failing = (...pieces: readonly string[]) =>
      new HttpResponse(
        200,
        words,
        (async function* () {
          yield* pieces;
          throw fault;
        })(),
      );
    const app = router(
      { filters: [compress({ codings: nodeCodings })], onFault: (error) => faults.push(error) },
      GET("/at-once", () => failing()),
      GET("/later", () => failing("x".repeat(100_000), long)),
    );
    const { status, headers } = await fetched(app, "GET /at-once", { "Accept-Encoding": "gzip" });
    assert.deepEqual([status, headers["content-encoding"]], [500, undefined]);
    await assert.rejects(fetched(app, "GET /later", { "Accept-Encoding": "gzip" }));
    assert.deepEqual(faults, [fault, fault]);
  });

  it("gives back any body in any pieces", async () => {
    let body: ResponseBody = null;
    const app = appWith({ any: () => new HttpResponse(200, words, body) });
    const piece = fc.oneof(anyText({ maxLength: 50 }), fc.uint8Array({ maxLength: 5000 }));
    const codings = fc.constantFrom("gzip", "br", "zstd");
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), codings, fc.boolean(), async (pieces, coding, waits) => {
        body = waits ? slowly(...pieces) : pieces;
        const answer = await fetched(app, "GET /any", { "Accept-Encoding": coding });
        const decoded = answer.bytes.length === 0 ? answer.bytes : decoders[coding]?.(answer.bytes);
        assert.ok(decoded?.equals(Buffer.concat(pieces.map((part) => Buffer.from(part as string))))); // or bytes
      }),
      { numRuns: runs(30) },
    );
  });
});

for (const transport of ["in memory", "over a socket"] as const) {
  describe(`a streamed body that is compressed (${transport})`, () => {
    it("comes to the client as far as it is made, although it waits for more", async () => {
      // Each piece is made only when the client has decoded the one before it.
      const received = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
      async function* events(): AsyncGenerator<string> {
        yield "data: 1\n\n";
        await received[0].promise;
        yield "data: 2\n\n";
        await received[1].promise;
      }
      const app = appWith({ slow: () => new HttpResponse(200, { "Content-Type": "text/event-stream" }, events()) });
      const server = await serve(app);
      try {
        const pieces = transport === "in memory" ? webPieces(app, "/slow") : socketPieces(server.port, "/slow");
        let seen = "";
        for await (const piece of pieces) {
          seen += piece;
          if (seen === "data: 1\n\n") received[0].resolve();
          if (seen === "data: 1\n\ndata: 2\n\n") received[1].resolve();
        }
        assert.equal(seen, "data: 1\n\ndata: 2\n\n");
      } finally {
        await server.close({ grace: 0 });
      }
    });

    it("ends, and the encoder is freed, when the client goes away, even while the body waits", async () => {
      const ended = Promise.withResolvers<string>();
      const closed = Promise.withResolvers<string>();
      const noting: ContentCoding = {
        name: "noting",
        aliases: [],
        decode: () => assert.fail(),
        encode: () => {
          const encoder = createZstdCompress({ flush: constants.ZSTD_e_flush }).once("close", () =>
            closed.resolve("closed"),
          );
          return Duplex.toWeb(encoder) as ReturnType<ContentCoding["encode"]>;
        },
      };
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(Buffer.from("first")),
        pull: () => new Promise(() => undefined),
        cancel: () => ended.resolve("ended"),
      });
      const app = appWith({ endless: () => new HttpResponse(200, words, body) }, { codings: [noting] });
      // While nothing is sent to a client that goes, it takes this long to be sure that it has gone.
      const server = await serve(app, { writeTimeout: 500 });
      try {
        const gone = new AbortController();
        const init = { headers: { "Accept-Encoding": "noting" }, signal: gone.signal };
        const send = transport === "in memory" ? app.fetch : fetch;
        const response = await send(`${server.url}/endless`, init);
        await response.body?.getReader().read();
        gone.abort();
        assert.deepEqual(await Promise.all([ended.promise, closed.promise]), ["ended", "closed"]);
      } finally {
        await server.close({ grace: 0 });
      }
    });
  });
}

describe("entity tags beside compress", () => {
  const noted: (string | undefined)[] = [];
  /** A handler that knows nothing of codings: the tag of its state is "7". */
  const app = router(
    { filters: [compress({ codings: nodeCodings })] },
    GET("/note", ({ headers }) => {
      noted.push(headers.get("If-None-Match"));
      const known = headers.get("If-None-Match")?.split(", ") ?? [];
      if (known.includes("*") || known.some((tag) => tag.replace("W/", "") === '"7"')) {
        return new HttpResponse(304, { ETag: '"7"' });
      }
      return text(long).withHeader("ETag", '"7"');
    }),
    GET("/weak", () => text(long).withHeader("ETag", 'W/"7"')),
    PUT("/note", ({ headers }) => {
      const match = headers.get("If-Match")?.split(", ");
      if (match !== undefined && !match.includes('"7"')) return empty(412);
      if (headers.get("If-None-Match")?.split(", ").includes('"7"')) return empty(412);
      return empty(204).withHeader("ETag", '"8"');
    }),
  );

  for (const [path, coding, tag] of [
    ["/note", "identity", '"7"'],
    ["/note", "gzip", '"7;gzip"'],
    ["/note", "x-gzip", '"7;gzip"'],
    ["/note", "br", '"7;br"'],
    ["/weak", "br", 'W/"7"'],
  ] as const) {
    it(`are ${tag} of ${path} in ${coding}`, async () =>
      assert.equal((await ask(app, `GET ${path}`, { "Accept-Encoding": coding })).header("ETag"), tag));
  }

  const reads: readonly (readonly [field: string, coding: string, status: number, tag: string])[] = [
    ['"7;gzip"', "gzip", 304, '"7;gzip"'],
    ['W/"7;gzip"', "gzip", 304, '"7;gzip"'],
    ['"6;gzip", "7;gzip"', "gzip", 304, '"7;gzip"'],
    ['"7;gzip", "7;br"', "br", 304, '"7;br"'],
    ['"7"', "identity", 304, '"7"'],
    // A copy as it is that was stored when the content was short, say, is current whatever is accepted now.
    ['"7"', "gzip", 304, '"7"'],
    ["*", "gzip", 304, '"7"'],
    ['"6;gzip"', "gzip", 200, '"7;gzip"'],
    // Copies that this client could not use now.
    ['"7;gzip"', "br", 200, '"7;br"'],
    ['"7;gzip"', "identity", 200, '"7"'],
    ['"7;deflate"', "gzip", 200, '"7;gzip"'],
  ];
  for (const [field, coding, status, tag] of reads) {
    it(`make ${status} of If-None-Match: ${field} where the coding is ${coding}`, async () => {
      for (const method of ["GET", "HEAD"]) {
        const answer = await ask(app, `${method} /note`, { "If-None-Match": field, "Accept-Encoding": coding });
        const { status: given, headers } = answer;
        assert.deepEqual([given, headers.get("ETag"), headers.get("Vary")], [status, tag, "Accept-Encoding"]);
      }
    });
  }

  const writes: readonly (readonly [headers: Readonly<Record<string, string>>, status: number])[] = [
    [{ "If-Match": '"7;gzip"' }, 204],
    [{ "If-Match": '"6", "7;br"', "Accept-Encoding": "gzip" }, 204],
    [{ "If-Match": '"7"' }, 204],
    [{ "If-Match": '"6;gzip"' }, 412],
    [{ "If-Match": '"7;deflate"' }, 412],
    [{ "If-None-Match": '"7;zstd"' }, 412],
    [{ "If-None-Match": '"6;zstd"' }, 204],
  ];
  for (const [headers, status] of writes) {
    it(`make ${status} of a write with ${JSON.stringify(headers)}`, async () =>
      assert.equal((await ask(app, "PUT /note", headers)).status, status));
  }

  it("are the handler's own for the handler", async () => {
    noted.length = 0;
    const known = '"a;gzip", W/"b;gzip", "c", "d;br"';
    await ask(app, "GET /note", { "If-None-Match": known, "Accept-Encoding": "gzip" });
    assert.deepEqual(noted, ['"a", W/"b", "c", "d;br"']);
  });
});

describe("the filter that compresses", () => {
  it("stays synchronous where nothing is coded", () => {
    const app = appWith({ short: () => text("short"), long: () => text(long) });
    const answer = (headers: Readonly<Record<string, string>>, path: string) =>
      app.handle(asked(`GET ${path}`, headers));
    assert.ok(answer({ "Accept-Encoding": "gzip" }, "/short") instanceof HttpResponse);
    assert.ok(answer({}, "/long") instanceof HttpResponse);
    assert.ok(answer({ "Accept-Encoding": "gzip" }, "/long") instanceof Promise);
  });

  it("can be the filter of a group", async () => {
    const app = router(
      group(
        "/big",
        compress({ codings: nodeCodings }),
        GET(() => text(long)),
      ),
      GET("/other", () => text(long)),
    );
    assert.deepEqual([await codingOf(app, "/big"), await codingOf(app, "/other")], ["gzip", undefined]);
  });

  it("refuses options that cannot be meant", () => {
    assert.throws(() => compress({ codings: [] }), RangeError);
    for (const minimum of [-1, Number.NaN]) {
      assert.throws(() => compress({ codings: nodeCodings, minimum }), RangeError);
    }
  });
});

describe("the content that compress codes by default", () => {
  const texts = "text/plain text/html application/json application/problem+json application/xhtml+xml image/svg+xml";
  const others = "application/javascript application/wasm font/ttf";
  const compressed = "image/png image/jpeg font/woff2 video/mp4 application/zip application/octet-stream";
  for (const name of `${texts} ${others} ${compressed} application/x-jsonish`.split(" ")) {
    const expected = `${texts} ${others}`.split(" ").includes(name);
    it(`has ${expected ? "" : "not "}${name}`, async () => {
      const said: boolean[] = [];
      const compressible = (_: unknown, byDefault: boolean): boolean => said.push(byDefault) > 0;
      await codingOf(appWith({ any: () => content(name, "a") }, { minimum: 0, compressible }), "/any");
      assert.deepEqual(said, [expected]);
    });
  }
});

async function* webPieces(app: App, path: string): AsyncGenerator<string> {
  const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { "Accept-Encoding": "gzip" } }));
  const decoded = (response.body ?? assert.fail()).pipeThrough(new DecompressionStream("gzip"));
  for await (const piece of decoded) yield Buffer.from(piece).toString();
}

async function* socketPieces(port: number, path: string): AsyncGenerator<string> {
  const message = sendOverHttp({ port, host: "127.0.0.1", path, headers: { "Accept-Encoding": "gzip" }, agent: false });
  const gunzip = createGunzip();
  message.once("error", (error) => gunzip.destroy(error));
  message.once("response", (response) => response.pipe(gunzip));
  message.end();
  for await (const piece of gunzip) yield String(piece);
}
