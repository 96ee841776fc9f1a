import type { Awaitable, HttpRequest, HttpResponse } from "waymark";
import type { Decoder, StandardSchemaV1 } from "waymark/content";
import type { requireOptions } from "waymark/internal";
import type { ListDecoder } from "./formats/list-decoder.ts";
import type { BeforeChange, SetMembers } from "./layers/prepared-changes.ts";
import type { Visibility } from "./layers/visibility.ts";
import type { BulkLimits, ListLimits } from "./limits.ts";
import type { Representation } from "./representation.ts";
import type { Document, RecordValue, Store, StoredRecord } from "./stores/contract/store.ts";

/** The options of `collection`. */
export interface CollectionOptions<T extends Document = Document> {
  /**
   * Where `routes()` puts the collection, within the groups around: `/books`, without a slash at the end. The handlers
   * find out where they stand from each request. Default: the path of the group around.
   */
  readonly path?: string;
  /**
   * The store of the records. If they have owners, the path variables of the routes say whose are served, by the names of
   * the members with their ids: `/authors/{authorId}/books/{bookId}/reviews`. On a path without such a variable, those
   * of all owners are.
   */
  readonly store: Store;
  /**
   * Path variables of the routes that name no owner, such as that of a tenant. Where records have owners, any other variable
   * is refused, since it could be a misspelt one. Default: none.
   */
  readonly otherVariables?: readonly string[];
  /**
   * Returns the scope of a request's idempotency key: keys of different scopes are independent. Default: the id of the
   * `caller` from `access`; unknown callers share a scope.
   */
  readonly idempotencyScope?: (request: HttpRequest<unknown>) => string;
  /** Validates what a client sends as a record. */
  readonly schema: StandardSchemaV1<unknown, T>;
  /**
   * The schema for `Prefer: handling=lenient` (RFC 7240 §4.4): as `schema`, but it leaves unknown members out. Without
   * it, the preference is not followed.
   */
  readonly lenientSchema?: StandardSchemaV1<unknown, T>;
  /** The formats in which a client may send a record. Default: JSON. */
  readonly decoders?: readonly Decoder[];
  /** The formats in which a client may send many records to `createMany`. Default: NDJSON. */
  readonly listDecoders?: readonly ListDecoder[];
  /** The limits of `createMany` and `amendMany`. */
  readonly bulk?: BulkLimits | undefined;
  /** The limits of lists. */
  readonly lists?: ListLimits | undefined;
  /** The formats in which records are sent, the preferred first. Default: JSON. */
  readonly representations?: readonly Representation[];
  /** Makes the answer to a creation. Default: 201 with `Location` (RFC 9110 §15.3.2). */
  readonly created?: (record: Pick<StoredRecord, "id" | "revision">, location: string) => HttpResponse;
  /**
   * Returns whether the caller of a request may read the record, or the list, at a path. A change by a caller who may not is answered
   * without anything of the record: the preference `return=representation` is not followed, and a JSON Patch is refused (403), as
   * is a dry run of the list.
   * Default: every caller may.
   */
  readonly mayRead?: ((request: HttpRequest<unknown>, path: string) => boolean) | undefined;
  /**
   * Returns whether the caller of a request may change (`PATCH`) or remove (`DELETE`) the record at a path, which a list would do.
   * Default: every caller may.
   */
  readonly mayChange?:
    | ((request: HttpRequest<unknown>, method: "PATCH" | "DELETE", path: string) => boolean)
    | undefined;
  /**
   * Which records each caller sees and changes, in single requests, lists, counts, searches, changes and requests for many alike.
   * To a caller who does not see a record it is not there; but a conflict may reveal that some record has a unique value or an id.
   * Default: every caller sees all.
   */
  readonly visible?: Visibility | undefined;
  /**
   * Members that the server sets in each change, beside those of the schema, such as who has changed the record:
   * `{ changedBy: (request) => request.attribute(caller)?.id }`. Default: none.
   */
  readonly set?: SetMembers | undefined;
  /**
   * Called in the transaction of each change, in single requests and in those for many: refuses it by an HttpError, reads and changes
   * other records by the transaction, or returns another record to store, which is not validated. It is awaited as the work of
   * `Database.transaction` is, and may be called again for the same change. Default: changes are stored as they are.
   */
  readonly before?: BeforeChange | undefined;
  /**
   * Called when a request for one record has stored it, new or changed, before the answer, which waits for it up to ten seconds: for
   * mail and the like. What it throws is written to the console, and the answer stays as it is. It is not called for requests of many,
   * nor where the process ends before: what must not be missed follows the changes. Default: nothing is called.
   */
  stored?(record: RecordValue<T>, request: HttpRequest<unknown>): Awaitable<void>;
  /** How lines of a list that is sent meet stored records. Default: no records are likely the same. */
  readonly matching?: MatchedRecords | undefined;
  /**
   * Decides again on a request that was let in, by the rules and the credentials as they are now: returns it with its caller, or
   * undefined where it would not be let in any more. Each answer that takes longer than a moment asks: a wait at its end; an event
   * stream, a streamed list and many records that are sent every 5 seconds.
   * Default: what was let in may go on, as far as `mayRead` says so.
   */
  readonly readmit?: ((request: HttpRequest<unknown>) => Awaitable<HttpRequest<unknown> | undefined>) | undefined;
  /** What the OpenAPI document calls the records, and shows of them. Default: names made of the path of the route, and no example. */
  readonly nouns?: RecordNouns;
  /** Whether a change without a precondition is refused (428, RFC 6585 §3). Default: false. */
  readonly requirePreconditions?: boolean;
}

/** How the OpenAPI document speaks of the records of a collection. */
export interface RecordNouns {
  /** `order line` */
  readonly one: string;
  /** `order lines` */
  readonly many: string;
  /** The name of the schema, which generated clients have as a type. Default: `one` in PascalCase. */
  readonly schema?: string;
  /** Members that every stored record has, though clients need not send them. Default: those that the schema requires. */
  readonly always?: readonly string[];
  /** A record as a client sends it, whose answers in every form are examples. Default: that of the schema. */
  readonly example?: Document;
}

export const optionTypes: requireOptions.Types<CollectionOptions<never>> = {
  path: "string",
  store: undefined,
  otherVariables: "array",
  idempotencyScope: "function",
  schema: undefined,
  lenientSchema: undefined,
  decoders: "array",
  listDecoders: "array",
  bulk: "object",
  lists: "object",
  representations: "array",
  nouns: "object",
  created: "function",
  mayRead: "function",
  mayChange: "function",
  visible: "object",
  set: "object",
  before: "function",
  stored: "function",
  matching: "object",
  readmit: "function",
  requirePreconditions: "boolean",
};

/** What a collection says of its records, where lines of a list are compared with them. */
export interface MatchedRecords {
  /** Groups of members: two records that have the same values of all members of one are likely the same. */
  readonly alike: readonly (readonly string[])[];
  /** Adjusts what a line makes of a record, such as what is derived of other members. Default: as a merge patch makes it. */
  readonly adjust?: ((changed: ChangedDocument) => object) | undefined;
}

/** A record, a line that changes it, and what it becomes. */
export interface ChangedDocument {
  readonly before: Readonly<Record<string, unknown>>;
  /** What the record has without what the line clears. */
  readonly kept: Readonly<Record<string, unknown>>;
  readonly line: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}
