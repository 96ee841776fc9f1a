import type { Decoder, StandardSchemaV1 } from "waymark/content";
import type { MediaType } from "waymark/fields";

/**
 * Reads content with many records while it arrives. The Content-Type of a request chooses its decoder. The counterpart of a
 * representation's `list`.
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
export interface ListDecoder extends Pick<Decoder, "mediaTypes" | "charsets"> {
  /** What the `line` of a record is, for messages. Default: `line`. */
  readonly place?: ListPlace;
  /** Whether it reads JSON arrays, so that other content of its media types is one record. Default: false. */
  readonly arrays?: true;
  /** Content for the OpenAPI document. Default: what the representation of the same media type makes of the example. */
  readonly example?: string;
  /** Returns what a record of the content is as a new one; one that changes a stored record stays as it is. Default: as it is. */
  readonly asNew?: (value: unknown) => unknown;
  /**
   * Yields the records, in constant memory. Throws what the pieces throw, and ContentError when it is unclear where a record ends.
   */
  decode(pieces: AsyncIterable<Uint8Array>, reading: ListReading): AsyncIterable<ListedValue>;
}

/** What the `line` of a record is: the line on which it begins, or its number in the list. */
export type ListPlace = "line" | "record";

/** How to read a list. */
export interface ListReading {
  /** The Content-Type. */
  readonly mediaType: MediaType;
  /** Whether to pass unknown members on, so that the schema can leave them out. */
  readonly lenient: boolean;
  /** Takes what the decoder found out of the content, which the answer to a dry run then has as `found`. */
  readonly onFound?: (found: object) => void;
  /** Takes what the decoder leaves out of a record that it reads, by the line on which it is: the answer has it among its `notes`. */
  readonly onNote?: (line: number, detail: string) => void;
  /**
   * Takes the members that the content names once for all records, as the header of a table does: a record lacks only these. Not
   * called where a record lacks every member that it does not name.
   */
  readonly onColumns?: (members: readonly string[]) => void;
}

/** The value of one record, before validation; or why it cannot be read. */
export type ListedValue =
  | { readonly line: number; readonly value: unknown; readonly issues?: undefined }
  | { readonly line: number; readonly value?: undefined; readonly issues: readonly StandardSchemaV1.Issue[] };

/** The most bytes of one record in a list: the default limit of a single record. */
export const longestRecord = 1_048_576;
