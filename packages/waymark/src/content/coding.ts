import { problemTypes } from "../common/problem-types.ts";
import { excerpt } from "../common/wording.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { parseWeight, plainList, tokenList, tokenText } from "../fields/syntax.ts";
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

/** What Accept-Encoding makes of the codings that there are. */
export interface CodingChoice {
  /** The one to use where content can be coded; undefined when content is preferred as it is, or none is acceptable. */
  readonly coding: ContentCoding | undefined;
  /** Whether content may be sent as it is. */
  readonly identity: boolean;
}

/**
 * Returns the coding that an Accept-Encoding field prefers (RFC 9110 §12.5.3): the one with the highest weight, of equal ones the
 * first of the list that is named. For `*` it is gzip if it can be: what sends an asterisk often reads no other. Content as it is (`identity`) comes last among equals, and is excluded only by name or by `*`, with a
 * weight of 0. A name that is given twice has the higher weight; a malformed member is ignored.
 *
 * ```ts
 * negotiateCoding("br;q=0.5, x-gzip", [br, gzip]);   // gzip; as it is would do
 * negotiateCoding("identity;q=0, zstd", [br, gzip]);   // none, and as it is would not do either
 * ```
 */
export function negotiateCoding(field: string, codings: readonly ContentCoding[]): CodingChoice {
  const weights = parseWeights(field);
  const others = weights.get("*");
  const identity = weights.get("identity") ?? (others === 0 ? 0 : leastWeight);
  let best: { readonly coding: ContentCoding; readonly weight: number; readonly rank: number } | undefined;
  for (const coding of codings) {
    const named = [coding.name, ...coding.aliases].flatMap((name) => weights.get(name) ?? []);
    const weight = named.length > 0 ? Math.max(...named) : (others ?? 0);
    const rank = named.length > 0 ? 2 : coding.name === "gzip" ? 1 : 0;
    if (weight === 0 || weight < identity) continue;
    if (best === undefined || weight > best.weight || (weight === best.weight && rank > best.rank)) {
      best = { coding, weight, rank };
    }
  }
  return { coding: best?.coding, identity: identity > 0 };
}

/** Of what is not named and not excluded: below each weight that can be, which has three decimals at most. */
const leastWeight = 0.0001;

function parseWeights(field: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const member of plainList(field)) {
    const { name, sent = "1" } = memberPattern.exec(member)?.groups ?? {};
    const weight = parseWeight(sent);
    if (name === undefined || weight === undefined) continue;
    const key = name.toLowerCase();
    weights.set(key, Math.max(weights.get(key) ?? 0, weight));
  }
  return weights;
}

const memberPattern = new RegExp(String.raw`^(?<name>${tokenText})(?:[\t ]*;[\t ]*q=(?<sent>[0-9.]+))?$`, "i");
