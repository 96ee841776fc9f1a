import type { HttpRequest } from "waymark";
import { MediaType } from "waymark/fields";
import { wording } from "waymark/internal";
import type { Schema } from "waymark/openapi";
import type { StoredRecord } from "./stores/contract/store.ts";

/**
 * A format in which records are sent: how it is negotiated, and how records become text.
 *
 * ```ts
 * const lines: Representation = {
 *   name: "ndjson",
 *   mediaType: "application/x-ndjson",
 *   contentType: "application/x-ndjson",
 *   list: () => ({ item: ({ json }) => `${json}\n` }),
 * };
 * ```
 */
export interface Representation {
  /**
   * The name in entity tags (`"7-xml"`) and in the query (`?format=xml`): letters, digits and `-`. If the text changes
   * for unchanged records, change the name.
   */
  readonly name: string;
  /**
   * The extension of a file of this kind, without the dot: a client that names the representation in the query gets a file to
   * save. Without it, content to show.
   */
  readonly extension?: string;
  /** The media type for `Accept`, without parameters. */
  readonly mediaType: string;
  /** The Content-Type as sent, with parameters. */
  readonly contentType: string;
  /** Returns the text of one record. Absent if the format is only for lists. */
  readonly item?: (record: StoredRecord, options: ItemOptions) => string;
  /**
   * Returns how the text of one list is made of its records; called once for each list. Absent if the format is only for
   * single records.
   */
  readonly list?: (options: ListOptions) => ListSyntax;
  /** The JSON Schema of a record in this form, for the OpenAPI document. Default: that of the collection for `application/json`, else any. */
  readonly schema?: Schema;
  /** The members that it names, such as the columns of a table: a collection refuses those that its records cannot have. */
  readonly members?: readonly string[];
  /** Whether it needs the whole record, so that clients cannot choose members with `fields=`. */
  readonly whole?: boolean;
  /** The number of records in a list if the client gives no `limit`. Default: all. */
  readonly pageSize?: number;
  /**
   * Returns what its text depends on besides the records, such as what the caller may do. It becomes part of entity tags. Letters,
   * digits and `-`. Default: the text depends on the records only.
   */
  readonly variant?: (request: HttpRequest<unknown>) => string;
  /**
   * The header fields of a request that its text depends on, besides those that choose it, each with what it is for: they are in
   * `Vary` and in the OpenAPI document. Needs a `variant`.
   */
  readonly reads?: Readonly<Record<string, string>>;
  /** Header fields of its own, such as a Content-Security-Policy. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A representation for single records. */
export type ItemRepresentation = Representation & Required<Pick<Representation, "item">>;

/** A representation for lists. */
export type ListRepresentation = Representation & Required<Pick<Representation, "list">>;

/** What a representation gets besides its records. */
export interface ItemOptions {
  /** The URL of the collection, for formats that name their records: the URL of a record is this, `/` and its id. */
  readonly url: string;
  readonly request: HttpRequest<unknown>;
  /** The members that the client chose, in its order; undefined for all. Records have no others. */
  readonly fields?: readonly string[] | undefined;
}

/** What a representation gets besides the records of a list. */
export interface ListOptions extends ItemOptions {
  /** The page that the records are, where the list is sent in pages. */
  readonly page?: ListPage;
}

/** How the texts of single records become the text of a list. */
export interface ListSyntax {
  /** Returns the text of a record; called for each record of the list, in its order. */
  readonly item: (record: StoredRecord) => string;
  /** The text before the first record, between two, and after the last. Default: nothing. */
  readonly before?: string;
  readonly between?: string;
  readonly after?: string;
  /** The whole text of a list without records. Default: `before` and `after`. */
  readonly empty?: string;
}

/** A part of a list. */
export interface ListPage {
  readonly links: PageLinks;
}

/** The URLs of the first page and of those around a page, by their relations. There is no next on the last page, and no prev on the first. */
export interface PageLinks {
  readonly first: string;
  readonly next?: string;
  readonly prev?: string;
}

/**
 * Returns the parsed media type of a representation, for `negotiate`.
 *
 * @throws TypeError when it is malformed
 */
export function mediaTypeOf({ name, mediaType }: Representation): MediaType {
  const parsed = MediaType.parse(mediaType);
  if (parsed !== undefined) return parsed;
  throw new TypeError(`The representation ${wording.quote(name)} has no media type: ${wording.quote(mediaType)}`);
}
