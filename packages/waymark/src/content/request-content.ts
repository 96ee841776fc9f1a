import { isPromise } from "../common/and-then.ts";
import type { HeaderList } from "../fields/header-list.ts";
import { type DecodingBounds, decodePieces, decodeWhole } from "./coded-content.ts";
import { type ContentCoding, chooseCoding } from "./coding.ts";
import { bufferedSource, type ContentSource, streamedSource } from "./content-source.ts";
import { chooseDecoder, type Decoder, decodeUtf8 } from "./decoder.ts";
import { jsonDecoder, parseStrictJson, type StrictJsonOptions } from "./json.ts";
import { contentTooLarge, invalidContent, malformedRefusal } from "./refusals.ts";
import type { StandardSchemaV1 } from "./standard-schema.ts";

/** How an app reads the content of requests. */
export interface ContentSettings {
  readonly decoders: readonly Decoder[];
  /** The content codings that are undone. */
  readonly codings: readonly ContentCoding[];
  /** The most bytes that are read, and the most that coded content may become. */
  readonly limit: number;
}

/** JSON without a content coding, up to 1 MiB. */
export const defaultContentSettings: ContentSettings = { decoders: [jsonDecoder], codings: [], limit: 1_048_576 };

/** How one request's content is read. */
export interface ReadOptions {
  /** In place of the app's limit, in bytes. */
  readonly limit?: number;
  /** In place of the app's decoders. */
  readonly decoders?: readonly Decoder[];
  /**
   * How many times as long coded content may become when it is decoded, more than 0; it is judged at every point beyond the first
   * 65,536 decoded bytes. Beyond it 413. Default: any number, within the limit.
   */
  readonly maxExpansion?: number;
}

/** A Standard Schema, or a function that answers as one does. */
export type Validator<T> =
  | StandardSchemaV1<unknown, T>
  | ((value: unknown) => StandardSchemaV1.Result<T> | Promise<StandardSchemaV1.Result<T>>);

/**
 * The content of a request, read at most once: its bytes are kept, and given to every reading, also to one that begins
 * before another has ended. The header fields are passed to each reading, since a filter may have changed them. A content
 * coding that the settings know is undone, and the limit then holds for the coded and for the decoded bytes.
 *
 * A reading that a header field forbids (its coding, type or declared length) leaves the content unread. One that passes
 * its limit midway has used the content up: every later reading is refused as it was, whatever its own limit.
 */
export class RequestContent {
  readonly #source: ContentSource;
  #settings: ContentSettings;
  #whole: Promise<Uint8Array> | undefined;
  #decoded: { readonly coding: ContentCoding; readonly content: Promise<Uint8Array> } | undefined;
  #streamed = false;
  #decoders: readonly Decoder[] | undefined;
  /** How many bytes have been read, as they came: before a content coding is undone. */
  receivedBytes = 0;

  /** @param settings those of the app. Default: JSON without a coding, up to 1 MiB */
  constructor(source: ContentSource, settings: ContentSettings = defaultContentSettings) {
    this.#source = source;
    this.#settings = settings;
  }

  /** Has the content read as these settings say, from now on. */
  readBy(settings: ContentSettings): void {
    this.#settings = settings;
  }

  /** Has these decode the content, in place of what the settings say. */
  decodeBy(decoders: readonly Decoder[]): void {
    this.#decoders = decoders;
  }

  /** Returns other content, which is read by the same settings. */
  replacedBy(body: Uint8Array | AsyncIterable<Uint8Array>): RequestContent {
    const source = body instanceof Uint8Array ? bufferedSource(body) : streamedSource(body);
    return new RequestContent(source, this.#settings);
  }

  /** Returns the bytes, the same array each time: a caller that changes them changes them for all. */
  async bytes(headers: HeaderList, options?: ReadOptions): Promise<Uint8Array> {
    if (this.#streamed) throw new TypeError("The content was streamed already: it cannot be read again");
    const admission = this.#admit(headers, options);
    const { limit, coding } = admission;
    this.#whole ??= this.#receiveWhole(limit);
    const whole = this.#whole;
    const content = await (coding === undefined ? whole : this.#decodeOnce(coding, whole, admission));
    if (content.length > limit) throw contentTooLarge(limit);
    return content;
  }

  /** Returns the content as UTF-8; a byte order mark is kept. */
  async text(headers: HeaderList, options?: ReadOptions): Promise<string> {
    const content = await this.bytes(headers, options);
    return refuseMalformed(() => decodeUtf8(content));
  }

  /** Returns the content as a JSON value, whatever its Content-Type; a new value each time. */
  async json(headers: HeaderList, options?: ReadOptions & StrictJsonOptions): Promise<unknown> {
    const content = await this.bytes(headers, options);
    return refuseMalformed(() => parseStrictJson(decodeUtf8(content), options));
  }

  /**
   * Returns the content in pieces; a refusal is thrown when they are asked for.
   *
   * @throws TypeError at once, when the content was read or streamed before
   */
  stream(headers: HeaderList, options?: ReadOptions): AsyncIterable<Uint8Array> {
    this.#beginStream();
    return this.#pieces(headers, options);
  }

  /** Returns the content as it came, coded or not, for what reads it by rules of its own. */
  async *asItCame(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.#whole !== undefined) return yield await this.#whole;
    this.#beginStream();
    yield* this.#receive(Number.POSITIVE_INFINITY);
  }

  /** Returns the value that the decoder for its Content-Type and then the validator make of the content. */
  async body<T>(headers: HeaderList, validator: Validator<T>, options?: ReadOptions): Promise<T> {
    const decoders = options?.decoders ?? this.#decoders ?? this.#settings.decoders;
    const { decoder, mediaType } = chooseDecoder(headers, decoders);
    const content = await this.bytes(headers, options);
    // Most decoders and validators return no promise. To wait for one takes as long as to validate a short record.
    let value: unknown;
    try {
      value = decoder.decode(content, mediaType);
      if (isPromise(value)) value = await value;
    } catch (cause) {
      throw malformedRefusal(cause) ?? cause;
    }
    const validated = isSchema(validator) ? validator["~standard"].validate(value) : validator(value);
    const result = isPromise(validated) ? await validated : validated;
    if (result.issues !== undefined) throw invalidContent(result.issues);
    return result.value;
  }

  async #receiveWhole(limit: number): Promise<Uint8Array> {
    const whole = await this.#source.bytes(limit);
    this.receivedBytes = whole.byteLength;
    return whole;
  }

  async *#receive(limit: number): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of this.#source.stream(limit)) {
      this.receivedBytes += piece.byteLength;
      yield piece;
    }
  }

  #beginStream(): void {
    if (this.#streamed || this.#whole !== undefined) {
      throw new TypeError(`The content was ${this.#streamed ? "streamed" : "read"} already: it cannot be streamed`);
    }
    this.#streamed = true;
  }

  async *#pieces(headers: HeaderList, options: ReadOptions | undefined): AsyncGenerator<Uint8Array, void, void> {
    const admission = this.#admit(headers, options);
    const { limit, coding } = admission;
    const pieces = this.#receive(limit);
    yield* coding === undefined ? pieces : decodePieces(coding, pieces, admission);
  }

  #decodeOnce(coding: ContentCoding, whole: Promise<Uint8Array>, admission: Admission): Promise<Uint8Array> {
    if (this.#decoded?.coding !== coding) {
      const content = whole.then((coded) => decodeWhole(coding, coded, admission));
      this.#decoded = { coding, content };
    }
    return this.#decoded.content;
  }

  /** Returns the limit in bytes and the coding, unless the head of the request forbids reading. */
  #admit(headers: HeaderList, options: ReadOptions | undefined): Admission {
    if (options?.limit !== undefined) requireLimit(options.limit);
    const limit = options?.limit ?? this.#settings.limit;
    const maxExpansion = options?.maxExpansion ?? Number.POSITIVE_INFINITY;
    if (!(maxExpansion > 0)) throw new RangeError(`maxExpansion is a number above 0, not ${maxExpansion}`);
    // Few requests have content in a coding.
    const coding = headers.has("Content-Encoding") ? chooseCoding(headers, this.#settings.codings) : undefined;
    if ((this.#source.length ?? 0) > limit) throw contentTooLarge(limit);
    return { limit, coding, maxExpansion };
  }
}

/** Returns the decoders with one that reads these types as JSON, too; undefined without such types, and where none of them reads JSON. */
export function decodersOf(decoders: readonly Decoder[], jsonTypes: readonly string[]): readonly Decoder[] | undefined {
  const json = decoders.find(({ mediaTypes }) => mediaTypes.includes("application/json"));
  return json === undefined || jsonTypes.length === 0 ? undefined : [...decoders, { ...json, mediaTypes: jsonTypes }];
}

/** How the head of a request has its content read. */
interface Admission extends DecodingBounds {
  readonly coding: ContentCoding | undefined;
}

/** There are schemas that are functions as well. */
const isSchema = <T>(validator: Validator<T>): validator is StandardSchemaV1<unknown, T> => "~standard" in validator;

/** @throws RangeError when it is not a limit of content, as NaN is not, which nothing would be above */
export function requireLimit(limit: number): void {
  if (!(limit >= 0)) throw new RangeError(`A limit is a number of bytes, 0 or more, not ${limit}`);
}

/** Decodes, and turns a ContentError into a refusal. */
function refuseMalformed<T>(decode: () => T): T {
  try {
    return decode();
  } catch (cause) {
    throw malformedRefusal(cause) ?? cause;
  }
}
