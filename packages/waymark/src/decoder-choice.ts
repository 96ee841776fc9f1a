import type { Decoder } from "./decoder.ts";
import { excerpt } from "./excerpt.ts";
import type { HeaderList } from "./header-list.ts";
import { HttpError } from "./http-error.ts";
import { type MediaType, matchesMediaType, parseMediaRange, parseMediaType } from "./media-type.ts";
import { problem } from "./problem.ts";
import { problemTypes } from "./problem-types.ts";

/** What a decoder says of the content that it reads; how it reads does not matter to the choice. */
export type ContentReader = Pick<Decoder, "mediaTypes" | "charsets">;

/** The decoder that reads content of the request's Content-Type, and that type. */
export interface DecoderChoice<D extends ContentReader = Decoder> {
  readonly decoder: D;
  readonly mediaType: MediaType;
}

/**
 * The first decoder that reads what Content-Type names. The type is never guessed from the content: what a form of another
 * site can send without asking (text/plain) would pass for JSON. `request.body` chooses by it; who reads `request.stream`
 * calls it first.
 *
 * @throws HttpError 415 with Accept (RFC 9110 §15.5.16) when the field is missing, given twice or malformed, or no decoder
 *   reads the type in its charset
 * @throws TypeError when a decoder names something that is not a media type
 */
export function chooseDecoder<D extends ContentReader>(headers: HeaderList, decoders: readonly D[]): DecoderChoice<D> {
  const lines = headers.getAll("Content-Type");
  const [line = ""] = lines;
  if (lines.length === 0) throw unsupported("The content has no Content-Type", decoders);
  if (lines.length > 1) throw unsupported(`The Content-Type is given ${lines.length} times`, decoders);
  const mediaType = parseMediaType(line);
  if (mediaType === undefined) throw unsupported(`The Content-Type ${excerpt(line)} is not a media type`, decoders);

  const candidates = decoders.filter(({ mediaTypes }) => mediaTypes.some((range) => isIn(mediaType, range)));
  if (candidates.length === 0) throw unsupported(`The Content-Type ${excerpt(line)} is not read here`, decoders);
  const charset = mediaType.parameters.get("charset");
  const decoder = candidates.find(({ charsets }) => charset === undefined || (charsets?.includes(charset) ?? true));
  if (decoder !== undefined) return { decoder, mediaType };
  const charsets = candidates.flatMap((candidate) => candidate.charsets ?? []);
  throw unsupported(`The Content-Type ${excerpt(line)} is read in ${charsets.join(", ")} only`, decoders);
}

function isIn(mediaType: MediaType, range: string): boolean {
  const parsed = parseMediaRange(range);
  if (parsed === undefined) throw new TypeError(`A decoder names ${JSON.stringify(range)}, which is not a media type`);
  return matchesMediaType(parsed, mediaType);
}

function unsupported(found: string, decoders: readonly ContentReader[]): HttpError {
  const supported = [...new Set(decoders.flatMap(({ mediaTypes }) => mediaTypes))];
  const detail = `${found}; send ${supported.join(" or ")}.`;
  const refusal = problem(problemTypes.unsupportedMediaType, { detail, supported });
  return new HttpError(refusal.withHeader("Accept", supported.join(", ")));
}
