export { eventStream, type ServerSentEvent } from "../event-stream.ts";
export type { CodingStream, ContentCoding } from "./coding.ts";
export { ContentError, type ContentReader, chooseDecoder, type Decoder, decodeUtf8 } from "./decoder.ts";
export { jsonDecoder, parseStrictJson } from "./json.ts";
export type { Validator } from "./request-content.ts";
export type { StandardSchemaV1, ValidationIssue, ValidationResult } from "./standard-schema.ts";
