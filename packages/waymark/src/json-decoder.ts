import { type Decoder, decodeUtf8 } from "./decoder.ts";
import { parseStrictJson } from "./strict-json.ts";

/** Reads `application/json`, strictly, as UTF-8 and nothing else (RFC 8259 §8.1). */
export const jsonDecoder: Decoder = {
  mediaTypes: ["application/json"],
  charsets: ["utf-8"],
  decode: (content) => parseStrictJson(decodeUtf8(content)),
};
