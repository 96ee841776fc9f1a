import type { ContentReader, MediaType, ValidationIssue } from "waymark";

/**
 * Reads content that is many records, one after another, as it comes; which one reads a request is chosen by its
 * Content-Type. The counterpart of a representation's `list`.
 *
 * ```ts
 * const names: ListDecoder = {
 *   mediaTypes: ["text/x-names"],
 *   async *decode(pieces) {
 *     let line = 1;
 *     for await (const name of linesOf(pieces)) yield { line: line++, value: { name } };
 *   },
 * };
 * ```
 */
export interface ListDecoder extends ContentReader {
  /**
   * The records, in constant memory. Throws MalformedContent when the content is not of the media type from some place on,
   * so that nothing in it can be relied on; and what the pieces throw.
   */
  decode(pieces: AsyncIterable<Uint8Array>, reading: ListReading): AsyncIterable<ListedValue>;
}

/** How a list is to be read. */
export interface ListReading {
  /** What the Content-Type says. */
  readonly mediaType: MediaType;
  /** Whether members that are not known are to be let through, for the schema to leave out. */
  readonly lenient: boolean;
}

/** What stands for one record of a list, before any schema has seen it; or why that cannot be told. */
export type ListedValue =
  | { readonly line: number; readonly value: unknown; readonly issues?: undefined }
  | { readonly line: number; readonly value?: undefined; readonly issues: readonly ValidationIssue[] };

/** The most bytes that the text of one record may have in a list, as many as a record by itself by default. */
export const longestRecord = 1_048_576;
