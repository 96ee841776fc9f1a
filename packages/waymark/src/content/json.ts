import { type Decoder, decodeUtf8 } from "./decoder.ts";
import { assertStrictJson } from "./strict-json.ts";

/** Lists the options of `parseStrictJson` and of decoders of JSON. */
export interface StrictJsonOptions {
  /** How deep arrays and objects may nest, 0 to 1000: `[[]]` is two deep. Default: 64. */
  readonly maxDepth?: number;
  /**
   * How many values there may be, 1 or more; arrays, objects and what is in them count. 10,000 take up to 10 ms. Default: 10,000.
   */
  readonly maxValues?: number;
}

/**
 * Returns the value of a JSON text that every reader understands alike (I-JSON, RFC 7493).
 *
 * Beyond what `JSON.parse` refuses, it refuses two members of one name, however they are escaped; a number that a double
 * would round; half of a surrogate pair; nesting beyond `maxDepth` and more values than `maxValues`, before anything is built; and the member name
 * `__proto__`, with which careless code reaches a prototype. A byte order mark is refused too (RFC 8259 §8.1).
 * Noncharacters such as U+FFFF are left to the schema. The result is what `JSON.parse` gives.
 *
 * ```ts
 * parseStrictJson('{"id":9007199254740993}');
 * // ContentError: The number 9007199254740993 would be rounded to 9007199254740992 at line 1, column 7
 * ```
 *
 * @throws ContentError with the line and the column of the first fault
 * @throws RangeError when `maxDepth` or `maxValues` is out of bounds
 */
export function parseStrictJson(text: string, options?: StrictJsonOptions): unknown {
  const maxDepth = options?.maxDepth ?? 64;
  if (!Number.isInteger(maxDepth) || maxDepth < 0 || maxDepth > 1000) {
    throw new RangeError(`maxDepth is an integer of 0 to 1000, not ${maxDepth}`);
  }
  const maxValues = options?.maxValues ?? 10_000;
  if (!(maxValues >= 1)) throw new RangeError(`maxValues is a number of 1 or more, not ${maxValues}`);
  assertStrictJson(text, maxDepth, maxValues);
  return JSON.parse(text);
}

/** Reads `application/json`, strictly, as UTF-8 and nothing else (RFC 8259 §8.1). */
export const jsonDecoder: Decoder = {
  mediaTypes: ["application/json"],
  charsets: ["utf-8"],
  decode: (content) => parseStrictJson(decodeUtf8(content)),
};
