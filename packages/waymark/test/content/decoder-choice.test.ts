import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpError } from "waymark";
import { chooseDecoder, type Decoder } from "waymark/content";
import { parsedHeaders } from "../../src/fields/header-list.ts";

/** Reads lines, which `request.body` could not. */
interface LineReader extends Pick<Decoder, "mediaTypes" | "charsets"> {
  readonly separator: string;
}

const readers: readonly LineReader[] = [
  { mediaTypes: ["application/x-lines"], charsets: ["utf-8"], separator: "\n" },
  { mediaTypes: ["text/*"], separator: "\r\n" },
];

const choose = (...types: readonly string[]) =>
  chooseDecoder(parsedHeaders(types.flatMap((type) => ["Content-Type", type])), readers);

describe("chooseDecoder", () => {
  it("returns the reader of the type, and the type with its parameters", () => {
    const { decoder, mediaType } = choose("Text/Lines; Charset=Latin1");
    assert.equal(decoder.separator, "\r\n");
    assert.deepEqual([mediaType.type, mediaType.subtype], ["text", "lines"]);
    assert.equal(choose("application/x-lines; charset=UTF-8").decoder.separator, "\n");
  });

  const refused: readonly (readonly string[])[] = [
    [],
    ["application/json"],
    ["lines"],
    ["application/x-lines; charset=latin1"],
    ["text/plain", "text/plain"],
  ];
  for (const types of refused) {
    it(`refuses ${JSON.stringify(types)} with what it reads`, () => {
      assert.throws(
        () => choose(...types),
        (error: unknown) => {
          assert.ok(error instanceof HttpError);
          assert.equal(error.response.status, 415);
          assert.equal(error.response.headers.get("Accept"), "application/x-lines, text/*");
          return true;
        },
      );
    });
  }
});
