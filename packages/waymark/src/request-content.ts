import { type Decoder, decodeUtf8, MalformedContent } from "./decoder.ts";
import type { HeaderList } from "./header-list.ts";
import { HttpError } from "./http-error.ts";
import { jsonDecoder } from "./json-decoder.ts";
import { type MediaType, matchesMediaType, parseMediaRange, parseMediaType } from "./media-type.ts";
import { problem } from "./problem.ts";
import { problemTypes } from "./problem-types.ts";
import { type StandardSchemaV1, toPointer, type ValidationIssue, type ValidationResult } from "./standard-schema.ts";
import { parseStrictJson } from "./strict-json.ts";

/** Where the content of a request comes from; each adapter has its own. */
export interface ContentSource {
  /** The declared length in bytes, 0 when there is no content, undefined when it is not known before the end. */
  readonly length: number | undefined;
  /** Everything; rejects with `contentTooLarge(limit)` once there are more bytes than the limit. */
  bytes(limit: number): Promise<Uint8Array>;
  /** Everything in pieces, as they arrive; throws as `bytes` rejects. */
  stream(limit: number): AsyncIterable<Uint8Array>;
}

/** How an app reads the content of requests. */
export interface ContentSettings {
  readonly decoders: readonly Decoder[];
  /** The most bytes that are read. */
  readonly limit: number;
}

/** JSON, up to 1 MiB. */
export const defaultContentSettings: ContentSettings = { decoders: [jsonDecoder], limit: 1_048_576 };

export interface ReadOptions {
  /** In place of the app's limit, in bytes. */
  readonly limit?: number;
  /** In place of the app's decoders. */
  readonly decoders?: readonly Decoder[];
}

/** A Standard Schema, or a function that answers as one does. */
export type Validator<T> =
  | StandardSchemaV1<unknown, T>
  | ((value: unknown) => ValidationResult<T> | Promise<ValidationResult<T>>);

/** Content that was all there from the start. */
export function bufferedSource(body: string | Uint8Array | undefined): ContentSource {
  const content = typeof body === "string" ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
  return {
    length: content.length,
    bytes: async () => content,
    async *stream() {
      if (content.length > 0) yield content;
    },
  };
}

/** The refusal of content that is longer than the limit, in bytes. */
export function contentTooLarge(limit: number): HttpError {
  const detail = `The content is longer than ${limit} bytes.`;
  return new HttpError(problem(problemTypes.contentTooLarge, { detail, limit }));
}

/**
 * The content of a request, read at most once: what was read is kept, and given again. The header fields are passed to
 * each reading, since a filter may have changed them.
 */
export class RequestContent {
  readonly #source: ContentSource;
  readonly #settings: ContentSettings;
  #read: Promise<Uint8Array> | undefined;
  #streamed = false;

  constructor(source: ContentSource, settings: ContentSettings = defaultContentSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  async bytes(headers: HeaderList, options: ReadOptions = {}): Promise<Uint8Array> {
    const limit = this.#admit(headers, options);
    this.#read ??= this.#source.bytes(limit);
    const content = await this.#read;
    if (content.length > limit) throw contentTooLarge(limit);
    return content;
  }

  async text(headers: HeaderList, options?: ReadOptions): Promise<string> {
    const content = await this.bytes(headers, options);
    return refuseMalformed(() => decodeUtf8(content));
  }

  async json(headers: HeaderList, options?: ReadOptions): Promise<unknown> {
    const text = await this.text(headers, options);
    return refuseMalformed(() => parseStrictJson(text));
  }

  stream(headers: HeaderList, options: ReadOptions = {}): AsyncIterable<Uint8Array> {
    const limit = this.#admit(headers, options);
    if (this.#read !== undefined) throw new TypeError("The content was read already, and cannot be streamed");
    this.#streamed = true;
    return this.#source.stream(limit);
  }

  async body<T>(headers: HeaderList, validator: Validator<T>, options: ReadOptions = {}): Promise<T> {
    const [decoder, mediaType] = findDecoder(headers.get("Content-Type"), options.decoders ?? this.#settings.decoders);
    const content = await this.bytes(headers, options);
    const decoded = refuseMalformed(() => decoder.decode(content, mediaType));
    const validate = typeof validator === "function" ? validator : validator["~standard"].validate;
    const result = await validate(decoded);
    if (result.issues !== undefined) throw invalidContent(result.issues);
    return result.value;
  }

  /** The limit, once nothing in the head of the request stands against reading. */
  #admit(headers: HeaderList, options: ReadOptions): number {
    if (this.#streamed) throw new TypeError("The content was streamed already, and cannot be read again");
    const coding = headers.get("Content-Encoding");
    if (coding !== undefined && coding.trim().toLowerCase() !== "identity") throw unsupportedCoding(coding);
    const limit = options.limit ?? this.#settings.limit;
    if ((this.#source.length ?? 0) > limit) throw contentTooLarge(limit);
    return limit;
  }
}

function findDecoder(contentType: string | undefined, decoders: readonly Decoder[]): readonly [Decoder, MediaType] {
  const mediaType = contentType === undefined ? undefined : parseMediaType(contentType);
  const charset = mediaType?.parameters.get("charset");
  const decoder = mediaType && decoders.find((candidate) => reads(candidate, mediaType, charset));
  if (decoder !== undefined && mediaType !== undefined) return [decoder, mediaType];
  const supported = [...new Set(decoders.flatMap(({ mediaTypes }) => mediaTypes))];
  const found =
    contentType === undefined ? "The content has no Content-Type" : `The Content-Type is ${excerpt(contentType)}`;
  const response = problem(problemTypes.unsupportedMediaType, {
    detail: `${found}; what can be read is ${supported.join(", ")}.`,
    supported,
  });
  throw new HttpError(response.withHeader("Accept", supported.join(", ")));
}

function reads({ mediaTypes, charsets }: Decoder, mediaType: MediaType, charset: string | undefined): boolean {
  if (charset !== undefined && charsets !== undefined && !charsets.includes(charset)) return false;
  // The charset is judged above; as a parameter, another one than UTF-8 would match no range.
  const plain = { ...mediaType, parameters: new Map([...mediaType.parameters].filter(([name]) => name !== "charset")) };
  return mediaTypes.some((text) => {
    const range = parseMediaRange(text);
    return range !== undefined && matchesMediaType(range, plain);
  });
}

/** Runs a decoder: what it finds malformed becomes a refusal. */
function refuseMalformed<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (!(error instanceof MalformedContent)) throw error;
    const { message, line, column } = error;
    throw new HttpError(problem(problemTypes.malformedContent, { detail: `${message}.`, line, column }), {
      cause: error,
    });
  }
}

function invalidContent(issues: readonly ValidationIssue[]): HttpError {
  const errors = issues.map(({ message, path }) => ({ detail: message, pointer: toPointer(path) }));
  const detail = errors.length === 1 ? "The content breaks a rule." : `The content breaks ${errors.length} rules.`;
  return new HttpError(problem(problemTypes.invalidContent, { detail, errors }));
}

/** RFC 9110 §12.5.3: the codings that would do are told in Accept-Encoding. */
function unsupportedCoding(coding: string): HttpError {
  const detail = `The Content-Encoding is ${excerpt(coding)}; only content without one can be read.`;
  return new HttpError(
    problem(problemTypes.unsupportedContentCoding, { detail }).withHeader("Accept-Encoding", "identity"),
  );
}

/** What a client sent, quoted, at most 40 characters of it. */
const excerpt = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
