/**
 * A content coding (RFC 9110 §8.4.1): how content is made smaller on its way, in responses and in requests. Those of Node
 * are in `waymark/node`; another is an object of this form.
 *
 * ```ts
 * import { nodeCodings } from "waymark/node";
 *
 * router({ codings: nodeCodings, filters: [compress({ codings: nodeCodings })] }, personRoutes(people))
 * ```
 */
export interface ContentCoding {
  /** As Content-Encoding names it, in lower case: `gzip`. */
  readonly name: string;
  /** Other names that mean the same, in lower case: `x-gzip`. */
  readonly aliases: readonly string[];
  /** Begins the coding of one content. */
  encoder(): Encoder;
  /**
   * The content that was coded, in pieces no larger than some ten KiB, made as they are asked for: a few bytes may become
   * gigabytes. When it is ended early the pieces are ended too.
   *
   * Throws MalformedContent when the pieces are not of this coding, or not all of it, and what the pieces throw.
   */
  decode(pieces: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** One content while it is coded. The calls come one after another, each when the one before it has settled. */
export interface Encoder {
  /** Takes bytes, which may be none, and gives the coded ones that are ready, which may be none too. */
  encode(bytes: Uint8Array, until: Extent): Promise<Uint8Array>;
  /** Frees what it holds, at any time; a call that is under way rejects. */
  close(): void;
}

/**
 * How much is ready after a call: `part` as suits the coding, `flush` all that a decoder needs to give back every byte
 * taken so far, `end` the rest of the coded content, after which nothing is taken.
 */
export type Extent = "part" | "flush" | "end";
