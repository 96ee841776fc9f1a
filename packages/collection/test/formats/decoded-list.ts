import type { ListDecoder, ListedValue, ListReading } from "../../src/internal.ts";

/** What a decoder makes of content, all of it. */
export function decodeList(
  decoder: ListDecoder,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { parameters = {}, lenient = false }: { parameters?: Readonly<Record<string, string>>; lenient?: boolean } = {},
): Promise<readonly ListedValue[]> {
  const [type = "", subtype = ""] = decoder.mediaTypes[0]?.split("/") ?? [];
  const reading: ListReading = {
    mediaType: { type, subtype, parameters: new Map(Object.entries(parameters)) },
    lenient,
  };
  return Array.fromAsync(decoder.decode(asynchronous(pieces), reading));
}

/** Content cut into pieces of so many bytes. */
export function* inPieces(content: string, size: number): Generator<Uint8Array> {
  const bytes = Buffer.from(content);
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}

async function* asynchronous<T>(values: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* values;
}
