import type { HttpRequest } from "waymark";
import type { PageLinks } from "./lists/page.ts";
import type { StoredRecord } from "./store.ts";

/**
 * A form in which records are sent, as a value: what it is negotiated by, and how records become text.
 *
 * ```ts
 * const lines: Representation = {
 *   name: "ndjson",
 *   mediaType: "application/x-ndjson",
 *   contentType: "application/x-ndjson",
 *   list: (batches) => listText(batches, { item: ({ json }) => `${json}\n` }),
 * };
 * ```
 */
export interface Representation {
  /**
   * Tells its entity tags from those of the others (`"7-xml"`), and is what the query names it by (`?format=xml`). Letters, digits
   * and `-`.
   */
  readonly name: string;
  /**
   * The extension of a file of this kind, without the dot: a client that names the representation in the query gets a file to
   * save. Without it, content to show.
   */
  readonly extension?: string;
  /** What `Accept` chooses it by, without parameters. */
  readonly mediaType: string;
  /** What it is sent as: the media type, with parameters. */
  readonly contentType: string;
  /** The text of one record; absent where the form is for lists alone. */
  readonly item?: (record: StoredRecord, options: ItemOptions) => string;
  /**
   * The text of many, in pieces of about 64 KiB: a batch is read when a piece is asked for. Absent where the form is for
   * single records alone.
   */
  readonly list?: (batches: AsyncIterable<readonly StoredRecord[]>, options: ListOptions) => AsyncGenerator<string>;
  /** Whether it takes a whole record, so that a client cannot choose members (`fields=`). */
  readonly whole?: boolean;
  /** How many records a list has for a client that names no `limit`. Default: all. */
  readonly pageSize?: number;
  /**
   * Returns what its text depends on beside the records, such as what the caller may do: entity tags have it. Letters,
   * digits and `-`. Default: the text depends on the records only.
   */
  readonly variant?: (request: HttpRequest<unknown>) => string;
  /** Header fields of its own, such as a Content-Security-Policy. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One that has a form for one record. */
export type ItemRepresentation = Representation & Required<Pick<Representation, "item">>;

/** One that has a form for many. */
export type ListRepresentation = Representation & Required<Pick<Representation, "list">>;

export interface ItemOptions {
  /** What clients reach the collection by, for forms that name their records: a record's URL is this, `/` and its id. */
  readonly url: string;
  readonly request: HttpRequest<unknown>;
  /** The entity tag of the record in this form, for forms whose readers change it. */
  readonly entityTag?: string;
}

export interface ListOptions extends ItemOptions {
  /** The members that the client chose, in its order; undefined for all. The records have no others. */
  readonly fields?: readonly string[];
  /** The page that the records are, where the list is sent in pages. */
  readonly page?: ListPage;
}

/** A part of a list. */
export interface ListPage {
  readonly links: PageLinks;
  /** The number of records on all pages, where the client asked for it. */
  readonly total?: number;
}
