import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import { z } from "zod";
import type { ContentCoding } from "../../src/content/coding.ts";
import { bufferedSource, type ContentSource } from "../../src/content/content-source.ts";
import { ContentError, chooseDecoder, type Decoder, decodeUtf8 } from "../../src/content/decoder.ts";
import { jsonDecoder } from "../../src/content/json.ts";
import { contentTooLarge } from "../../src/content/refusals.ts";
import { defaultContentSettings, RequestContent, type Validator } from "../../src/content/request-content.ts";
import type { StandardSchemaV1 } from "../../src/content/standard-schema.ts";
import { HeaderList } from "../../src/fields/header-list.ts";
import { HttpError } from "../../src/problem.ts";
import { runs } from "../tools/runs.ts";

const none = HeaderList.empty;
const jsonType = HeaderList.of({ "Content-Type": "application/json" });
const anything: Validator<unknown> = (value) => ({ value });

/** Reads comma-separated values. */
const csvDecoder: Decoder = {
  mediaTypes: ["text/csv", "application/vnd.example+csv"],
  decode: (content, mediaType) => [decodeUtf8(content).split(","), mediaType.parameters.get("header")],
};

describe("RequestContent", () => {
  describe("reads", () => {
    it("bytes, text, JSON and pieces", async () => {
      assert.deepEqual(await contentOf("é").bytes(none), Uint8Array.of(0xc3, 0xa9));
      assert.equal(await contentOf("é").text(none), "é");
      assert.deepEqual(await contentOf('{"é":[1]}').json(none), { é: [1] });
      assert.deepEqual(await allOf(pieces("ab", "c").stream(none)), ["ab", "c"]);
      assert.deepEqual(await allOf(contentOf("abc").stream(none)), ["abc"]);
      assert.deepEqual(await allOf(contentOf("").stream(none)), []);
    });

    it("no content as no bytes and no text, which is not JSON", async () => {
      assert.equal((await contentOf(undefined).bytes(none)).length, 0);
      assert.equal(await contentOf(undefined).text(none), "");
      assert.equal((await problemOf(contentOf(undefined).json(none))).type, "/problems/malformed-content");
    });

    it("a byte order mark as a part of the text, and not as JSON", async () => {
      assert.equal(await contentOf("\ufeffa").text(none), "\ufeffa");
      assert.match((await problemOf(contentOf("\ufeff{}").json(none))).detail, /byte order mark/);
    });
  });

  describe("is read once", () => {
    it("for any number of readings, one after another or at a time", async () => {
      const source = counted("[1]");
      const content = new RequestContent(source);
      const all = [content.json(none), content.body(jsonType, anything), content.text(none), content.json(none)];
      assert.deepEqual(await Promise.all(all), [[1], [1], "[1]", [1]]);
      const bytes = await content.bytes(none);
      assert.deepEqual(await content.json(none), [1]);
      assert.equal(await content.bytes(none), bytes);
      assert.equal(source.readings, 1);
    });

    it("and gives each reading a JSON value of its own", async () => {
      const content = contentOf('{"a":1}');
      Object.assign((await content.json(none)) as object, { a: 2 }); // the text has an object
      assert.deepEqual(await content.json(none), { a: 1 });
    });

    it("and a fault of the connection meets every reading", async () => {
      const broken = new Error("the client went away");
      const content = new RequestContent({ ...pieceSource(), bytes: () => Promise.reject(broken) });
      for (const reading of [content.bytes(none), content.json(none)]) await assert.rejects(reading, broken);
      await assert.rejects(content.text(none), broken);
    });
  });

  describe("once streamed", () => {
    it("cannot be read or streamed again, even before a piece is asked for, which is the program's fault", async () => {
      const content = pieces("a", "b");
      const stream = content.stream(none);
      const fault = { name: "TypeError", message: /streamed already/ };
      await assert.rejects(content.bytes(none), fault);
      await allOf(stream);
      const [, ...others] = readings(100);
      for (const read of others) await assert.rejects(async () => read(content), fault);
    });

    it("cannot be streamed once it was read, or while it is", async () => {
      const content = pieces("a");
      const reading = content.bytes(none);
      assert.throws(() => content.stream(none), { name: "TypeError", message: /read already/ });
      await reading;
      assert.throws(() => content.stream(none), { name: "TypeError", message: /read already/ });
    });
  });

  describe("longer than the limit", () => {
    it("is refused with 413, by the declared length before a byte is read, or midway", async () => {
      for (const read of readings(4)) {
        const source = counted("12345");
        const { status, problem } = await refusalOf(read(new RequestContent(source)));
        assert.deepEqual([status, problem.type, problem["limit"]], [413, "/problems/content-too-large", 4]);
        assert.equal(problem.detail, "The content is longer than 4 bytes.");
        assert.equal(source.readings, 0);
        assert.equal((await refusalOf(read(pieces("[1,", "2]")))).status, 413);
      }
    });

    it("by no byte is read, and it is bytes that count", async () => {
      assert.equal(await contentOf("1234").text(none, { limit: 4 }), "1234");
      assert.equal(await pieces("12", "34").text(none, { limit: 4 }), "1234");
      assert.deepEqual(await allOf(pieces("12", "34").stream(none, { limit: 4 })), ["12", "34"]);
      assert.equal(await contentOf("").text(none, { limit: 0 }), "");
      assert.equal((await refusalOf(contentOf("ééé").text(none, { limit: 5 }))).status, 413);
    });

    it("is refused in a second reading with a smaller limit", async () => {
      for (const content of [contentOf("[1,2]"), pieces("[1,", "2]")]) {
        await content.bytes(none);
        assert.equal((await refusalOf(content.json(none, { limit: 4 }))).status, 413);
        assert.deepEqual(await content.json(none), [1, 2]);
      }
    });

    it("can be read with a larger limit after its declared length was refused, and not after it was midway", async () => {
      const declared = contentOf("12345");
      await refusalOf(declared.bytes(none, { limit: 4 }));
      assert.equal(await declared.text(none, { limit: 5 }), "12345");
      const content = pieces("123", "45");
      await refusalOf(content.bytes(none, { limit: 4 }));
      assert.equal((await problemOf(content.text(none, { limit: 100 })))["limit"], 4);
    });

    it("has the limit of the reading, else that of the app: 1 MiB by default", async () => {
      assert.equal((await refusalOf(contentOf("1234", { limit: 3 }).text(none))).status, 413);
      assert.equal(await contentOf("1234", { limit: 3 }).text(none, { limit: 4 }), "1234");
      assert.equal((await contentOf("x".repeat(2 ** 20)).bytes(none)).length, 2 ** 20);
      assert.equal((await problemOf(contentOf("x".repeat(2 ** 20 + 1)).bytes(none)))["limit"], 2 ** 20);
    });

    it("must not be taken for a limit that is not a number, nor for an expansion that is not one above 0", async () => {
      const wrong = [
        { limit: -1 },
        { limit: Number.NaN },
        ...[0, -1, Number.NaN].map((maxExpansion) => ({ maxExpansion })),
      ];
      for (const options of wrong) await assert.rejects(contentOf("").bytes(none, options), RangeError);
      assert.equal(await contentOf("a").text(none, { limit: Number.POSITIVE_INFINITY }), "a");
    });
  });

  describe("with a Content-Encoding", () => {
    const cases: readonly (readonly [codings: readonly ContentCoding[], names: readonly (string | string[])[]])[] = [
      [[], ["gzip", "GZIP", "identity, gzip", "gzip, identity", "x".repeat(1000), '"', ["identity", "gzip"]]],
      [nodeCodings, ["compress", "deflate", "gzip, gzip", "br, gzip", "gzip;q=1", "gzi"]],
    ];
    for (const [codings, names] of cases) {
      const known = codings.map(({ name }) => name).join(", ");
      for (const name of names) {
        it(`of ${String(name).slice(0, 20)} is refused with 415, unread, where there is ${known || "none"}`, async () => {
          for (const read of readings(100, jsonType.concat(HeaderList.of({ "Content-Encoding": name })))) {
            const source = counted("[]");
            const content = new RequestContent(source, { ...defaultContentSettings, codings });
            const { status, problem, headers } = await refusalOf(read(content));
            assert.deepEqual([status, problem.type], [415, "/problems/unsupported-content-coding"]);
            assert.deepEqual([headers.get("Accept-Encoding"), headers.has("Accept")], [known || "identity", false]);
            const remedy = known === "" ? "without one" : `in one of ${known}, or without one`;
            assert.ok(problem.detail.endsWith(`; send the content ${remedy}.`) && problem.detail.length < 150);
            assert.equal(source.readings, 0);
          }
        });
      }
    }

    it("that changes nothing is read", async () => {
      for (const coding of ["identity", "Identity", " identity , identity", ""]) {
        assert.equal(await contentOf("a").text(HeaderList.of({ "Content-Encoding": coding })), "a");
      }
    });

    it("can be read once a filter has taken the field away", async () => {
      const headers = HeaderList.of({ "Content-Encoding": "br" });
      const content = contentOf("a");
      await refusalOf(content.text(headers));
      assert.equal(await content.text(headers.without("Content-Encoding")), "a");
    });
  });

  describe("in a content coding that the settings know", () => {
    const codings = nodeCodings;
    const coders = { gzip: gzipSync, br: brotliCompressSync, zstd: zstdCompressSync };
    const gzipped = HeaderList.of({ "Content-Encoding": "gzip", "Content-Type": "application/json" });
    const codedContent = (body: Uint8Array, limit = 100) => contentOf(body, { codings, limit });

    for (const [name, code] of [
      ...Object.entries(coders),
      ["X-GZip", gzipSync],
      [" identity, , gzip ,identity", gzipSync],
    ] as const) {
      it(`is read, in all ways: ${name}`, async () => {
        const headers = gzipped.with("Content-Encoding", name);
        const content = codedContent(code("[1]"));
        const bytes = await content.bytes(headers);
        assert.deepEqual(await content.json(headers), [1]);
        assert.equal(await content.text(headers), "[1]");
        assert.deepEqual(await content.body(headers, anything), [1]);
        assert.equal(await content.bytes(headers), bytes);
        assert.deepEqual(await allOf(codedContent(code("[1]")).stream(headers)), ["[1]"]);
      });
    }

    it("is read as it came once a filter has taken the field away, and decoded once it is back", async () => {
      const coded = gzipSync("[1]");
      const content = codedContent(coded);
      assert.deepEqual(await content.bytes(none), coded);
      assert.equal(await content.text(gzipped), "[1]");
      assert.deepEqual(await content.bytes(none), coded);
    });

    it("is refused when it is malformed, with 400", async () => {
      for (const body of [Buffer.from("[1]"), gzipSync("[1]").subarray(0, -1), Buffer.alloc(0)]) {
        for (const read of readings(100, gzipped)) {
          const { status, problem } = await refusalOf(read(codedContent(body)));
          assert.deepEqual([status, problem.type], [400, "/problems/malformed-content"]);
          assert.match(problem.detail, /^The content is not gzip: [a-z ]+\.$/);
        }
      }
    });

    it("is refused with 413 when it is longer than the limit, before it is decoded or after", async () => {
      for (const read of readings(40, gzipped)) {
        assert.equal((await problemOf(read(codedContent(gzipSync("[".padEnd(40, " ").concat("]"))))))["limit"], 40);
      }
      for (const read of readings(20, gzipped)) {
        assert.equal((await problemOf(read(codedContent(gzipSync("[]"), 21))))["limit"], 20);
      }
      const fits = codedContent(gzipSync("[".padEnd(39, " ").concat("]")));
      assert.deepEqual(await fits.json(gzipped, { limit: 40 }), []);
      assert.equal((await refusalOf(fits.text(gzipped, { limit: 39 }))).status, 413);
    });

    describe("with a bound on how far it may expand", () => {
      const limit = 2 ** 28;
      for (const [name, code] of Object.entries(coders)) {
        const headers = gzipped.with("Content-Encoding", name);
        it(`is refused with 413 beyond it, after 64 KiB: ${name}`, async () => {
          const bomb = code(Buffer.alloc(2 ** 24, "1\n"));
          const options = { limit, maxExpansion: 100 };
          for (const read of [
            (content: RequestContent) => content.bytes(headers, options),
            (content: RequestContent) => allOf(content.stream(headers, options)),
          ]) {
            const { status, problem } = await refusalOf(read(codedContent(bomb, limit)));
            assert.deepEqual([status, problem.type, problem["limit"]], [413, "/problems/content-expands-too-far", 100]);
          }
        });

        it(`is read within it, and where it is short: ${name}`, async () => {
          const short = Buffer.alloc(65_536, "1\n");
          const long = Buffer.concat([randomBytes(100_000), Buffer.alloc(1_000_000)]);
          for (const [content, maxExpansion] of [
            [short, 2],
            [long, 12],
          ] as const) {
            const bytes = await codedContent(code(content), limit).bytes(headers, { limit, maxExpansion });
            assert.ok(content.equals(bytes));
          }
        });
      }
    });

    it("becomes no more than is looked at, however much it could: 10 GB of 10 MB", async () => {
      const limit = 2 ** 24;
      const member = gzipSync(Buffer.alloc(100_000_000));
      const bomb = Buffer.concat(Array.from({ length: 100 }, () => member));
      assert.ok(bomb.length < 2 ** 24);
      let made = 0;
      const gzip = codings.find(({ name }) => name === "gzip") ?? assert.fail();
      const counting: ContentCoding = {
        ...gzip,
        decode() {
          const { readable, writable } = gzip.decode();
          const counted = new TransformStream<Uint8Array, Uint8Array>({
            transform(piece, controller) {
              made += piece.length;
              controller.enqueue(piece);
            },
          });
          return { readable: readable.pipeThrough(counted), writable };
        },
      };
      for (const read of readings(limit, gzipped)) {
        made = 0;
        assert.equal((await refusalOf(read(contentOf(bomb, { codings: [counting] })))).status, 413);
        assert.ok(made > limit && made <= limit + 262_144, String(made));
      }
    });

    it("returns what was sent, in any pieces", async () => {
      const body = fc.uint8Array({ maxLength: 3000 });
      const coding = fc.constantFrom("gzip" as const, "br" as const, "zstd" as const);
      await fc.assert(
        fc.asyncProperty(body, coding, fc.integer({ min: 1, max: 99 }), async (body, coding, cut) => {
          const coded = coders[coding](body);
          const source: ContentSource = {
            ...bufferedSource(coded),
            async *stream() {
              for (let at = 0; at < coded.length; at += cut) yield coded.subarray(at, at + cut);
            },
          };
          const headers = HeaderList.of({ "Content-Encoding": coding });
          const settings = { ...defaultContentSettings, codings };
          assert.deepEqual(Buffer.from(await new RequestContent(source, settings).bytes(headers)), Buffer.from(body));
          const streamed = await Array.fromAsync(new RequestContent(source, settings).stream(headers));
          assert.deepEqual(Buffer.concat(streamed), Buffer.from(body));
        }),
        { numRuns: runs(20) },
      );
    });
  });

  describe("that is malformed", () => {
    it("is refused with 400, line and column", async () => {
      const content = contentOf('{\n  "é": 1,\n  "é": 2\n}');
      for (const reading of [content.json(none), content.body(jsonType, anything)]) {
        const { status, problem } = await refusalOf(reading);
        assert.deepEqual([status, problem.type], [400, "/problems/malformed-content"]);
        assert.equal(problem.detail, 'The member "é" occurs twice at line 3, column 3.');
        assert.deepEqual([problem["line"], problem["column"]], [3, 3]);
      }
    });

    it("as UTF-8 is refused with 400 and the offset", async () => {
      const content = contentOf(Uint8Array.of(0x22, 0xe9, 0x22));
      for (const reading of [content.text(none), content.json(none), content.body(jsonType, anything)]) {
        const { status, problem } = await refusalOf(reading);
        assert.deepEqual([status, "line" in problem], [400, false]);
        assert.match(problem.detail, /0xE9 at byte offset 1/);
      }
    });

    it("is always a refusal, for any bytes", async () => {
      await fc.assert(
        fc.asyncProperty(fc.uint8Array({ maxLength: 20 }), async (bytes) => {
          await contentOf(bytes)
            .json(none)
            .catch((error: unknown) => {
              assert.ok(error instanceof HttpError, String(error));
              assert.equal(error.response.status, 400);
            });
        }),
      );
    });
  });

  describe("is what a decoder makes of it, now or later", () => {
    const bodyBy = (decode: Decoder["decode"]) =>
      contentOf("a,b").body(jsonType, anything, { decoders: [{ mediaTypes: ["application/json"], decode }] });
    const split = (content: Uint8Array) => decodeUtf8(content).split(",");
    const fail = (error: Error) => () => {
      throw error;
    };

    it("or is malformed as it says; another error is a fault of the program", async () => {
      const malformed = new ContentError("The row is short", { line: 1, column: 4 });
      for (const [right, wrong, fault] of [
        [split, fail(malformed), fail(new RangeError("too deep"))],
        [
          async (content: Uint8Array) => split(content),
          () => Promise.reject(malformed),
          () => Promise.reject(new RangeError()),
        ],
      ] as const) {
        assert.deepEqual(await bodyBy(right), ["a", "b"]);
        const { status, problem } = await refusalOf(bodyBy(wrong));
        assert.equal(status, 400);
        assert.partialDeepStrictEqual(problem, { detail: "The row is short at line 1, column 4.", line: 1, column: 4 });
        await assert.rejects(bodyBy(fault), { name: "RangeError" });
      }
    });
  });

  describe("finds the decoder by Content-Type", () => {
    const options = { decoders: [jsonDecoder, csvDecoder] };
    const csv = [["a", "b"], undefined];
    for (const [type, value] of [
      ["application/json", 1],
      ['Application/JSON; charset="UTF-8"', 1],
      ["application/json; version=2", 1],
      ["text/csv;charset=iso-8859-1", csv],
      ["application/vnd.example+csv", csv],
      ["text/csv;header=present", [["a", "b"], "present"]],
    ] as const) {
      it(`and reads ${type}`, async () => {
        const content = contentOf(value === 1 ? "1" : "a,b");
        assert.deepEqual(await content.body(HeaderList.of({ "Content-Type": type }), anything, options), value);
      });
    }

    const addHeader = " If it is JSON, add the header Content-Type: application/json";
    const byCurl = "; for curl, -H 'Content-Type: application/json'.";
    const sendFile =
      " Send a file as the content itself, with its type; for curl, by --data-binary @FILE in the place of -F.";
    for (const [type, what, hint = ""] of [
      [undefined, "The content has no Content-Type", `${addHeader}.`],
      [["application/json", "application/json"], "The Content-Type is given 2 times"],
      ["", "is not a media type"],
      ["application/json, text/csv", "is not a media type"],
      ["application/*", "is not a media type"],
      ["x".repeat(1000), `The Content-Type "${"x".repeat(40)}…" is not a media type`],
      ["text/plain", "is not read here"],
      ["application/x-www-form-urlencoded", "is not read here", addHeader + byCurl],
      ["multipart/form-data; boundary=x", "is not read here", sendFile],
      ["application/vnd.example+json", "is not read here"],
      ["application/json;charset=utf-16", "is read in utf-8 only"],
    ] as const) {
      it(`and refuses ${String(type).slice(0, 40)} with 415 and Accept, unread`, async () => {
        const source = counted("1");
        const headers = type === undefined ? none : HeaderList.of({ "Content-Type": type });
        const refusal = await refusalOf(new RequestContent(source).body(headers, anything, options));
        assert.deepEqual([refusal.status, refusal.problem.type], [415, "/problems/unsupported-media-type"]);
        const supported = ["application/json", "text/csv", "application/vnd.example+csv"];
        const found = what.startsWith("The") ? what : `The Content-Type "${type}" ${what}`;
        assert.equal(refusal.problem.detail, `${found}; send ${supported.join(" or ")}.${hint}`);
        assert.deepEqual(refusal.problem["supported"], supported);
        assert.equal(refusal.headers.get("Accept"), supported.join(", "));
        // RFC 9110 §12.5.3: it would say that the coding is at fault.
        assert.equal(refusal.headers.has("Accept-Encoding"), false);
        assert.equal(source.readings, 0);
      });
    }

    it("among those of the reading, else those of the app", async () => {
      const headers = HeaderList.of({ "Content-Type": "text/csv" });
      const content = contentOf("a,b", { decoders: [csvDecoder] });
      assert.deepEqual(await content.body(headers, anything), csv);
      const { supported } = await problemOf(content.body(headers, anything, { decoders: [jsonDecoder] }));
      assert.deepEqual(supported, ["application/json"]);
    });

    it("and takes the first of several, and one that reads the charset before one that does not", async () => {
      const reading = (name: string, charsets?: readonly string[]): Decoder => ({
        mediaTypes: ["text/*"],
        decode: () => name,
        ...(charsets && { charsets }),
      });
      const decoders = [reading("utf-8", ["utf-8"]), reading("latin", ["iso-8859-1"]), reading("any")];
      for (const [type, name] of [
        ["text/plain", "utf-8"],
        ["text/plain;charset=ISO-8859-1", "latin"],
        ["text/x;charset=koi8-r", "any"],
      ] as const) {
        const headers = HeaderList.of({ "Content-Type": type });
        assert.equal(await contentOf("").body(headers, anything, { decoders }), name);
      }
    });

    it("and calls a decoder's malformed media type a fault of the program", async () => {
      const decoders = [{ ...csvDecoder, mediaTypes: ["csv"] }];
      const fault = { name: "TypeError", message: /"csv"/ };
      await assert.rejects(contentOf("").body(jsonType, anything, { decoders }), fault);
    });

    it("also for what is no decoder, by chooseDecoder", () => {
      // A handler that reads request.stream chooses so.
      const readers = [{ mediaTypes: ["text/*"], separator: "\n" }];
      const { decoder, mediaType } = chooseDecoder(HeaderList.of({ "Content-Type": "Text/Lines" }), readers);
      assert.deepEqual([decoder.separator, mediaType.type, mediaType.subtype], ["\n", "text", "lines"]);
    });

    it("before the limit, and the limit before the content", async () => {
      const headers = HeaderList.of({ "Content-Type": "text/plain", "Content-Encoding": "br" });
      const content = contentOf("12345");
      assert.equal((await refusalOf(content.body(headers, anything, { limit: 1 }))).headers.has("Accept"), true);
      const typed = headers.with("Content-Type", "application/json");
      const coded = await refusalOf(content.body(typed, anything, { limit: 1 }));
      assert.equal(coded.headers.has("Accept-Encoding"), true);
      const plain = typed.without("Content-Encoding");
      assert.equal((await refusalOf(content.body(plain, anything, { limit: 1 }))).status, 413);
    });
  });

  describe("is validated", () => {
    const Person = z.strictObject({
      name: z.string().min(1),
      age: z.int().optional(),
      address: z.strictObject({ "postal/code": z.string() }).optional(),
    });
    const errorsOf = async (text: string, validator: Validator<unknown>) =>
      (await problemOf(contentOf(text).body(jsonType, validator)))["errors"] as readonly { pointer: string }[]; // what is tested here

    it("by a zod schema, whose output it becomes", async () => {
      const length: number = await contentOf('"Ada"').body(
        jsonType,
        z.string().transform((text) => text.length),
      );
      assert.equal(length, 3);
    });

    it("and refused with 400 and every issue, each with a pointer", async () => {
      const body = contentOf('{"name":"","age":1.5,"address":{"postal/code":1}}').body(jsonType, Person);
      const { status, problem } = await refusalOf(body);
      assert.deepEqual([status, problem.type], [400, "/problems/invalid-content"]);
      assert.equal(problem.detail, "The content breaks 3 rules.");
      const errors = problem["errors"] as { pointer: string; detail: string }[]; // what is tested here
      assert.deepEqual(
        errors.map(({ pointer, detail }) => [pointer, detail.length > 0]),
        ["#/name", "#/age", "#/address/postal~1code"].map((pointer) => [pointer, true]),
      );
      assert.equal((await errorsOf("[]", Person))[0]?.pointer, "#");
    });

    it("and refused in a few words, however long the names are that the client chose", async () => {
      const name = "x".repeat(100_000);
      const problem = await problemOf(contentOf(JSON.stringify({ name: "Ada", [name]: 1 })).body(jsonType, Person));
      assert.ok(JSON.stringify(problem).length < 1_500);
      const named: Validator<number> = () => ({ issues: [{ message: `${name} is wrong`, path: ["a", name] }] });
      const expected = { detail: `${"x".repeat(1_000)}…`, pointer: "#", code: "invalid" };
      assert.deepEqual(await errorsOf("1", named), [expected]);
    });

    it("and refused with what programs need beside the sentence, bounded", async () => {
      for (const [found, code, expected] of [
        ["31.2.", "date", { code: "date", found: "31.2." }],
        [31, "date", { code: "date", found: 31 }],
        ["x".repeat(9_000), "date", { code: "date", found: `${"x".repeat(100)}…` }],
        [{ deep: true }, "date", { code: "date" }],
        [false, "no name", { code: "invalid", found: false }],
      ] as const) {
        const issue = { message: "must be a date", path: ["born"], code, found };
        const said = { detail: "must be a date", pointer: "#/born", ...expected };
        assert.deepEqual(await errorsOf("1", () => ({ issues: [issue] })), [said]);
      }
    });

    it("by a function, which may answer later; what it throws is a fault of the program", async () => {
      const even = (value: unknown): StandardSchemaV1.Result<number> =>
        typeof value === "number" && value % 2 === 0
          ? { value }
          : { issues: [{ message: "must be even", path: [{ key: "n" }] }] };
      const fault = new Error("no database");
      const fails = () => {
        throw fault;
      };
      for (const [right, wrong] of [
        [even, fails],
        [async (value: unknown) => even(value), () => Promise.reject(fault)],
      ] as const) {
        const two: number = await contentOf("2").body(jsonType, right);
        assert.equal(two, 2);
        assert.deepEqual(await errorsOf("3", right), [{ detail: "must be even", pointer: "#/n", code: "invalid" }]);
        await assert.rejects(contentOf("1").body(jsonType, wrong), fault);
      }
    });

    it("by a schema that is a function too, and may use its own object", async () => {
      const standard = {
        version: 1,
        vendor: "test",
        suffix: "!",
        validate(value: unknown) {
          return { value: `${value}${this.suffix}` };
        },
      } as const;
      const schema = Object.assign(() => assert.fail("it is a schema"), { "~standard": standard });
      const asSchema: StandardSchemaV1<unknown, string> = schema;
      assert.equal(await contentOf('"a"').body(jsonType, asSchema), "a!");
    });
  });
});

describe("bufferedSource", () => {
  it("has the length of the text in UTF-8", () => {
    assert.deepEqual(
      ["", "é", undefined, Uint8Array.of(1, 2)].map((body) => bufferedSource(body).length),
      [0, 2, 0, 2],
    );
  });

  it("keeps to the limit for every reader", async () => {
    assert.equal((await refusalOf(bufferedSource("ab").bytes(1))).status, 413);
    assert.equal((await refusalOf(allOf(bufferedSource("ab").stream(1)))).status, 413);
  });
});

const contentOf = (
  body: string | Uint8Array | undefined,
  settings: Partial<typeof defaultContentSettings> = {},
): RequestContent => new RequestContent(bufferedSource(body), { ...defaultContentSettings, ...settings });

/** Content of undeclared length that comes in these pieces. */
const pieces = (...texts: readonly string[]): RequestContent => new RequestContent(pieceSource(...texts));

function pieceSource(...texts: readonly string[]): ContentSource {
  return {
    length: undefined,
    async bytes(limit) {
      return new TextEncoder().encode((await allOf(this.stream(limit))).join(""));
    },
    async *stream(limit) {
      let left = limit;
      for (const text of texts) {
        left -= text.length;
        if (left < 0) throw contentTooLarge(limit);
        yield new TextEncoder().encode(text);
      }
    },
  };
}

/** A source that counts how often it is read. */
function counted(text: string): ContentSource & { readonly readings: number } {
  const source = bufferedSource(text);
  return {
    readings: 0,
    length: source.length,
    bytes(limit) {
      Object.assign(this, { readings: this.readings + 1 });
      return source.bytes(limit);
    },
    stream(limit) {
      Object.assign(this, { readings: this.readings + 1 });
      return source.stream(limit);
    },
  };
}

/** Each way to read content, with this limit. */
const readings = (
  limit: number,
  headers: HeaderList = jsonType,
): readonly ((content: RequestContent) => Promise<unknown>)[] => [
  (content) => content.bytes(headers, { limit }),
  (content) => content.text(headers, { limit }),
  (content) => content.json(headers, { limit }),
  (content) => content.body(headers, anything, { limit }),
  (content) => allOf(content.stream(headers, { limit })),
];

async function allOf(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for await (const piece of stream) texts.push(decodeUtf8(piece));
  return texts;
}

interface Refusal {
  readonly status: number;
  readonly headers: HeaderList;
  readonly problem: { readonly type: string; readonly detail: string; readonly [extension: string]: unknown };
}

const problemOf = async (reading: Promise<unknown>) => (await refusalOf(reading)).problem;

/** The response that a reading is refused with. */
async function refusalOf(reading: Promise<unknown>): Promise<Refusal> {
  try {
    await reading;
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    const { status, headers, body } = error.response;
    return { status, headers, problem: JSON.parse(String(body)) };
  }
  return assert.fail("it was not refused");
}
