export { eventStream } from "../web/event-stream.ts";
export type { ContentCoding } from "./coding.ts";
export { ContentError, chooseDecoder, type Decoder, decodeUtf8 } from "./decoder.ts";
export { jsonDecoder, parseStrictJson } from "./json.ts";
export type { StandardSchemaV1 } from "./standard-schema.ts";
