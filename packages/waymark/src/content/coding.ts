import * as problemTypes from "../common/problem-types.ts";
import { excerpt } from "../common/wording.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { tokenList } from "../fields/syntax.ts";
import { HttpError, problem } from "../problem.ts";

/**
 * A content coding (RFC 9110 §8.4.1): how content is made smaller on its way, in responses and in requests. Those of Node
 * are in `@waymark/node`; another is an object of this form.
 *
 * ```ts
 * const gzip: ContentCoding = {
 *   name: "gzip",
 *   aliases: ["x-gzip"],
 *   encode: () => new CompressionStream("gzip"),
 *   decode: () => new DecompressionStream("gzip"),
 * };
 * router({ codings: [gzip], filters: [compress({ codings: [gzip] })] }, personRoutes(people))
 * ```
 */
export interface ContentCoding {
  /** As Content-Encoding names it, in lower case: `gzip`. */
  readonly name: string;
  /** Other names that mean the same, in lower case: `x-gzip`. */
  readonly aliases: readonly string[];
  /** Begins to code one content. A piece of a stream reaches the client when the coding gives it: that of Node at once. */
  encode(): CodingStream;
  /** Begins to decode one content, in small pieces as they are asked for: a few bytes may become gigabytes. */
  decode(): CodingStream;
}

/** What codes or decodes, as a `TransformStream` and a `CompressionStream` do. */
export interface CodingStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<ArrayBufferView<ArrayBuffer> | ArrayBuffer>;
}

/**
 * Returns the coding that Content-Encoding names; undefined when the content is as it is. Content that was coded more
 * than once is not read: nobody needs to send it, and each coding multiplies what a few bytes can become.
 *
 * @throws HttpError 415 with Accept-Encoding (RFC 9110 §12.5.3) when the coding is not one of these, or there are several
 */
export function chooseCoding(headers: HeaderList, codings: readonly ContentCoding[]): ContentCoding | undefined {
  const field = headers.get("Content-Encoding");
  if (field === undefined) return undefined;
  const [only, ...others] = tokenList(field).filter((name) => name !== "" && name !== "identity");
  if (only === undefined) return undefined;
  const coding = codings.find(({ name, aliases }) => name === only || aliases.includes(only));
  if (coding === undefined || others.length > 0) throw unsupported(field, codings);
  return coding;
}

function unsupported(field: string, codings: readonly ContentCoding[]): HttpError {
  const supported = codings.map(({ name }) => name);
  const remedy = supported.length === 0 ? "without one" : `in one of ${supported.join(", ")}, or without one`;
  const detail = `The Content-Encoding is ${excerpt(field)}; send the content ${remedy}.`;
  const refusal = problem(problemTypes.unsupportedContentCoding, { detail });
  return new HttpError(refusal.withHeader("Accept-Encoding", supported.join(", ") || "identity"));
}
