import { type Awaitable, created, type HttpRequest, type HttpResponse } from "waymark";
import { jsonDecoder, type StandardSchemaV1 } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { caller } from "waymark/filters";
import { type DeclarationSite, requireOptions, wording } from "waymark/internal";
import { Followers } from "./feed/followers.ts";
import { SharedChanges } from "./feed/shared-changes.ts";
import { type ChangedFrom, feedWatch } from "./feed/watch.ts";
import { jsonRepresentation } from "./formats/json/json.ts";
import { ndjsonDecoder } from "./formats/json/ndjson.ts";
import { preparedScope } from "./layers/prepared-changes.ts";
import { type ViewOf, viewOf, visibleScope } from "./layers/visibility.ts";
import { type BulkSettings, toBulkSettings, toListSettings } from "./limits.ts";
import { HeldLists } from "./lists/held-lists.ts";
import { fieldNames, memberNamesOf, requireFittingTypes, requireKnownMembers } from "./members/object-schema.ts";
import { type CollectionOptions, optionTypes } from "./options.ts";
import { type RecordScope, recordScope } from "./record-scope.ts";
import {
  type ItemRepresentation,
  type ListRepresentation,
  mediaTypeOf,
  type Representation,
} from "./representation.ts";
import { CallerShares } from "./shares/caller-shares.ts";
import { storeMembers } from "./stores/contract/selection.ts";
import { type Document, parseRecord, type Store, type StoredRecord } from "./stores/contract/store.ts";

/** The options of a collection with every default filled in, for its handlers. */
export interface CollectionSettings extends WithDefaults, WithoutDefaults {
  readonly bulk: BulkSettings;
  readonly maxPageSize: number;
  /** The memory that lists of this collection use. */
  readonly heldLists: HeldLists;
  /** Says to requests that wait for a change when there is one. */
  readonly changedFrom: ChangedFrom;
  /** What all get who follow from the same place. */
  readonly sharedChanges: SharedChanges;
  readonly followers: Followers;
  /** How many requests of a caller wait, and of all. */
  readonly waitingShares: CallerShares;
  readonly example: Document | undefined;
  /** What lists can be asked for, and how far the store has got; its records are found by `scope`. */
  readonly store: Pick<Store, "members" | "fullText" | "revision">;
  /** Finds the records that a request is for, as far as its caller sees them. */
  readonly scope: RecordScope;
  readonly viewOf: ViewOf;
  /** The member with the id of a record's owner; undefined where records have none. */
  readonly ownerMember: string | undefined;
  readonly serverMembers: readonly string[];
  /** Those of them that `set` sets. */
  readonly setMembers: readonly string[];
  /** Calls the option `stored` with a record that a request has stored; never rejects. */
  readonly afterStored: (record: StoredRecord, request: HttpRequest<unknown>) => Promise<void>;
  /**
   * The members by whose value lines can be matched with records: `id`, and those that clients set and that are not lists. Undefined
   * where records have owners.
   */
  readonly matchMembers: readonly string[] | undefined;
  /** The members that `fields=` can choose; undefined where the schema does not say which there are. */
  readonly members: readonly string[] | undefined;
  /** The representations for one record, the preferred first. */
  readonly items: readonly [ItemRepresentation, ...ItemRepresentation[]];
  readonly itemMediaTypes: readonly MediaType[];
  /** The representations for lists, the preferred first. */
  readonly lists: readonly [ListRepresentation, ...ListRepresentation[]];
}

type WithDefaults = {
  readonly [O in
    | ("schema" | "decoders" | "listDecoders" | "created" | "requirePreconditions" | "idempotencyScope")
    | ("mayRead" | "mayChange" | "readmit")]-?: NonNullable<CollectionOptions[O]>;
};

type WithoutDefaults = Pick<CollectionOptions, "path" | "lenientSchema" | "matching" | "nouns">;

/** A request for one record. */
export type ItemRequest = HttpRequest<{ readonly id: string }>;

export type ItemHandler = (request: ItemRequest) => Promise<HttpResponse>;
export type CollectionHandler = (request: HttpRequest<unknown>) => Promise<HttpResponse>;
/** Handlers that answer without a promise when the store does. */
export type ReadHandler = (request: ItemRequest) => Awaitable<HttpResponse>;
export type ListHandler = (request: HttpRequest<unknown>) => Awaitable<HttpResponse>;

/**
 * Fills in the defaults.
 *
 * @param site where the collection was made
 * @throws TypeError when an option is unknown or of another type, when two representations have the same name, when a media type is
 *   malformed, or when there is no representation for one record or for lists; RangeError when a limit is out of bounds
 */
export function toCollectionSettings(options: CollectionOptions, site: DeclarationSite): CollectionSettings {
  requireOptions("collection({ … })", options, optionTypes);
  const { path, store, schema, lenientSchema, nouns, representations = [jsonRepresentation] } = options;
  requireDistinct("name", representations);
  requireDistinct("mediaType", representations);
  // As of a program without types: a promise, where the database was not awaited.
  if (typeof (store as Store | undefined)?.find !== "function") {
    throw new TypeError(`store must be database.store("…") of a database that is open: await openDatabase(…)`);
  }
  requireSchema("schema", schema);
  if (lenientSchema !== undefined) requireSchema("lenientSchema", lenientSchema);
  const changedFrom = feedWatch(store);
  const sharedChanges = new SharedChanges();
  const listSettings = toListSettings(options.lists ?? {});
  const items = some("item", representations.filter(isForItems));
  const view = viewOf(store, options.visible);
  const found = recordScope(store, options.otherVariables ?? []);
  const finding = path && found.findingIn(path, "collection");
  if (finding) throw new TypeError(finding);
  const ownerMember = store.owner?.member;
  const ofStore = [...storeMembers.map(({ name }) => name), ...(ownerMember === undefined ? [] : [ownerMember])];
  const setMembers = Object.keys(options.set ?? {});
  requireOwnNames(setMembers, [...ofStore, ...memberNamesOf(schema)]);
  const serverMembers = [...ofStore, ...setMembers];
  // What is set may decide whether the record is visible.
  const { set = {}, before } = options;
  const seen = options.visible === undefined ? found : visibleScope(found, view);
  const scope = preparedScope(seen, { set, before, serverMembers, site });
  requireKnownMembers(schema, serverMembers, {
    members: [...store.unique, ...store.members.map(({ name }) => name), ...store.fullText.map(({ name }) => name)],
    "nouns.always": nouns?.always ?? [],
    ...Object.fromEntries(representations.map(({ name, members = [] }) => [`the representation ${name}`, members])),
  });
  requireFittingTypes(schema, store.members);
  const matchMembers = store.members.filter(
    ({ name, isList }) => name === "id" || !(isList === true || serverMembers.includes(name)),
  );
  return {
    ...options,
    scope,
    viewOf: view,
    ownerMember,
    serverMembers,
    setMembers,
    matchMembers: ownerMember === undefined ? matchMembers.map(({ name }) => name) : undefined,
    decoders: options.decoders ?? [jsonDecoder],
    listDecoders: options.listDecoders ?? [ndjsonDecoder],
    bulk: toBulkSettings(options.bulk ?? {}),
    maxPageSize: listSettings.maxPageSize,
    heldLists: new HeldLists(listSettings),
    changedFrom,
    sharedChanges,
    followers: new Followers(store, changedFrom, sharedChanges),
    readmit: options.readmit ?? ((request) => request),
    waitingShares: new CallerShares({ ofCaller: 100, ofAll: 10_000 }),
    example: nouns?.example ?? exampleOf(schema),
    afterStored: callingStored(options, site),
    created: options.created ?? ((_record, location) => created(location)),
    mayRead: options.mayRead ?? everyCaller,
    mayChange: options.mayChange ?? everyCaller,
    requirePreconditions: options.requirePreconditions ?? false,
    idempotencyScope: options.idempotencyScope ?? ((request) => request.attribute(caller)?.id ?? ""),
    members: fieldNames(schema, serverMembers),
    items,
    itemMediaTypes: items.map(mediaTypeOf),
    lists: some("list", representations.filter(isForLists)),
  };
}

function callingStored({ stored }: CollectionOptions, site: DeclarationSite): CollectionSettings["afterStored"] {
  const report = (error: unknown): void => {
    // biome-ignore lint/suspicious/noConsole: the answer cannot say it, since the record is stored
    console.error(`stored of the collection at ${site} failed`, error);
  };
  return async (record, request) => {
    if (stored === undefined) return;
    const called = (async () => stored(parseRecord(record), request))().catch(report);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      report(new Error(`The answer waits for it no longer than ${longestStored / 1000} s`));
      resolve();
    }, longestStored);
    await Promise.race([called, late]);
    clearTimeout(timer);
  };
}

/** In milliseconds. */
const longestStored = 10_000;

/** Clients would set the member of the schema, and the server the other one. */
function requireOwnNames(names: readonly string[], others: readonly string[]): void {
  const taken = names.find((name) => others.includes(name));
  if (taken !== undefined) throw new TypeError(`set has ${taken}, which is a member that the schema or the store has`);
}

/** Returns the example of a `recordSchema`, which another name may be given. */
function exampleOf(schema: object): Document | undefined {
  const { example, schema: named } = schema as { readonly example?: Document; readonly schema?: object }; // as far as it is one
  return example ?? (named && exampleOf(named));
}

/** The default of `mayRead` and `mayChange`. */
export const everyCaller = (): boolean => true;

const isForItems = (each: Representation): each is ItemRepresentation => each.item !== undefined;
const isForLists = (each: Representation): each is ListRepresentation => each.list !== undefined;

/** JavaScript callers pass anything, such as a JSON Schema. */
function requireSchema(option: string, schema: StandardSchemaV1): void {
  if (typeof (schema as Partial<StandardSchemaV1> | undefined)?.["~standard"]?.validate === "function") return;
  throw new TypeError(
    `${option} must validate what clients send: a schema of a library that implements Standard Schema, such as zod`,
  );
}

function some<R>(what: string, representations: readonly R[]): readonly [R, ...R[]] {
  const [first, ...others] = representations;
  if (first === undefined) throw new TypeError(`A collection needs a representation with "${what}"`);
  return [first, ...others];
}

function requireDistinct(member: "name" | "mediaType", representations: readonly Representation[]): void {
  const values = representations.map((each) => each[member]);
  const repeated = values.find((value, index) => values.indexOf(value) < index);
  if (repeated !== undefined) throw new TypeError(`Two representations have the ${member} ${wording.quote(repeated)}`);
}
