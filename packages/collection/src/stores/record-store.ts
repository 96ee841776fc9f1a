import { hash } from "node:crypto";
import type { AnswerSource, Awaitable } from "waymark";
import type { StoredCollection } from "../database.ts";
import { comparesValues, type SelectableMember, type Selection, storeMembers } from "../selection.ts";
import {
  type BulkChange,
  type BulkCreation,
  type BulkOptions,
  type ChangeBatch,
  type ChangesOptions,
  type CountOptions,
  type Creation,
  type CreationOptions,
  type Document,
  type DocumentSource,
  type EachCreation,
  type EachOptions,
  type FirstBatch,
  isRecordId,
  type ListChange,
  type ReadOptions,
  type RecordBatch,
  type Removal,
  type Replacement,
  type Store,
  type StoredRecord,
  type StoreOwner,
} from "../store.ts";
import { StoreUnavailable } from "../store-errors.ts";
import type { BulkSource } from "./bulk-source.ts";
import type { Claim } from "./decide.ts";
import { assertSelection } from "./definition.ts";
import { type FeedPlace, parseFeedCursor, toFeedCursor } from "./feed-cursor.ts";
import { uniqueKeys } from "./filled-columns.ts";
import type { CreateWrite, NewRecord, OutcomeOf, Stamp, Write } from "./write.ts";

/**
 * Reads and writes the records of one collection in a database. Selections have been checked. An owner limits a read to the records
 * of that owner; undefined stands for all records.
 */
export interface Engine {
  /** As that of a `Store`. */
  readonly source?: AnswerSource | undefined;
  find(id: number, owner: number | undefined): Awaitable<StoredRecord | undefined>;
  batch(selection: Selection, owner: number | undefined, options: ReadOptions): Awaitable<EngineBatch>;
  count(selection: Selection, owner: number | undefined, options: CountOptions): Promise<number>;
  /** Returns the last revision of each partition, in order. */
  revisions(): Awaitable<readonly number[]>;
  write<W extends Write>(write: W): Promise<OutcomeOf<W>>;
  /** Creates records, each for itself. Rejects where none could be created because the database cannot be used. */
  createEach(
    records: readonly NewRecord[],
    source: DocumentSource | undefined,
  ): Promise<readonly PromiseSettledResult<EachCreation>[]>;
  /**
   * Reads changes.
   *
   * @throws StoreCursorGone (rejects) when the database does not have the changes up to the places, or has others there
   */
  changes(range: FeedRange): Awaitable<EngineChanges>;
  /** Returns for each claim the member whose value a stored record has; undefined where there is no conflict. */
  conflicts(claims: readonly Claim[]): Promise<readonly (string | undefined)[]>;
  /** @throws StoreNotEmpty (rejects) when `onlyIfEmpty` is true and the owner has records */
  createAll(source: BulkSource): Promise<BulkChange>;
}

/** The first records of a selection, and the last revision of each partition in the state that they show, or an earlier one. */
export interface EngineBatch extends RecordBatch {
  readonly revisions: readonly number[];
}

/** The changes to read. */
export interface FeedRange extends Pick<ReadOptions, "signal" | "caller"> {
  /** The place in each partition, in order, behind which they are; undefined for all. The number of partitions may be another one. */
  readonly after: readonly FeedPlace[] | undefined;
  readonly owner: number | undefined;
  readonly most: number;
  /** In characters of JSON, exceeded by at most some records. */
  readonly size: number;
}

/** Changes, and the place behind them in each partition. */
export interface EngineChanges extends Pick<ChangeBatch, "changes" | "hasMore"> {
  readonly places: readonly FeedPlace[];
}

/** The records of one collection, or of one owner in it. */
export class RecordStore implements Store {
  readonly members: readonly SelectableMember[];
  readonly fullText: readonly string[];
  readonly unique: readonly string[];
  readonly owner: StoreOwner | undefined;
  readonly source: AnswerSource | undefined;
  readonly #engine: Engine;
  readonly #definition: StoredCollection;
  readonly #listsBySingle: ReadonlyMap<string, string>;
  readonly #now: () => Date;
  /** The id of the owner; undefined for the records of all owners. */
  readonly #owner: number | undefined;

  /**
   * @param now the clock for the times of the records
   * @param owner the store of all owners, or the id of one; undefined where the collection has none
   */
  constructor(engine: Engine, definition: StoredCollection, now: () => Date, owner?: Store | number) {
    const { selectable = [], lists = [], fullText = [], unique = [] } = definition;
    this.members = [...storeMembers, ...selectable, ...lists];
    this.fullText = fullText;
    this.unique = unique;
    this.source = engine.source;
    this.#engine = engine;
    this.#definition = definition;
    this.#listsBySingle = new Map(lists.flatMap(({ name, single }) => (single === undefined ? [] : [[single, name]])));
    this.#now = now;
    if (typeof owner === "number") this.#owner = owner;
    else this.owner = definition.owner && owner && { member: definition.owner.member, store: owner };
  }

  find(id: number): Awaitable<StoredRecord | undefined> {
    if (!Number.isSafeInteger(id)) return undefined; // no record has such an id, and a database might refuse it
    return this.#engine.find(id, this.#owner);
  }

  batch(selection: Selection = {}, options: ReadOptions = {}): Awaitable<FirstBatch> {
    assertSelection(selection, this);
    const batch = this.#engine.batch(this.#meetingLists(selection), this.#owner, options);
    return batch instanceof Promise ? batch.then(withState) : withState(batch);
  }

  async *list(
    selection: Selection = {},
    options: ReadOptions = {},
  ): AsyncGenerator<readonly StoredRecord[], void, undefined> {
    yield* batchesFrom(await this.batch(selection, options));
  }

  async count(selection: Selection = {}, options: CountOptions = {}): Promise<number> {
    assertSelection(selection, this);
    return this.#engine.count(this.#meetingLists(selection), this.#owner, options);
  }

  /** Returns the selection with filters of the lists that single members are values of, in place of those of these members. */
  #meetingLists(selection: Selection): Selection {
    const { filters } = selection;
    if (filters === undefined || this.#listsBySingle.size === 0) return selection;
    const meeting = filters.map((filter) => {
      const list = comparesValues(filter.operator) ? this.#listsBySingle.get(filter.member) : undefined;
      return list === undefined ? filter : { ...filter, member: list };
    });
    return { ...selection, filters: meeting };
  }

  revision(): Awaitable<number> {
    const revisions = this.#engine.revisions();
    return revisions instanceof Promise ? revisions.then(sumOf) : sumOf(revisions);
  }

  state(): Awaitable<string> {
    const revisions = this.#engine.revisions();
    return revisions instanceof Promise ? revisions.then(stateOf) : stateOf(revisions);
  }

  async changes(after?: string, { limit = mostChanges, ...options }: ChangesOptions = {}): Promise<ChangeBatch> {
    if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= mostChanges)) {
      throw new TypeError(`The limit of changes is an integer from 1 to ${mostChanges}, not ${limit}`);
    }
    const feed = this.#owner === undefined ? this.#definition.name : `${this.#definition.name} of ${this.#owner}`;
    const { changes, places, hasMore } = await this.#engine.changes({
      ...options,
      after: after === undefined ? undefined : parseFeedCursor(feed, after),
      owner: this.#owner,
      most: limit,
      size: sizeOfChanges,
    });
    const revision = sumOf(places.map((place) => place.revision));
    return { changes, cursor: toFeedCursor(feed, places), hasMore, revision };
  }

  async create(document: Document, { idempotency }: CreationOptions = {}): Promise<Creation> {
    return this.#engine.write({ ...this.#creating(document), idempotency });
  }

  async createEach(
    documents: readonly Document[],
    { source }: EachOptions = {},
  ): Promise<readonly PromiseSettledResult<EachCreation>[]> {
    const records = documents.map((document) => this.#newRecord(document));
    try {
      return records.length === 0 ? [] : await this.#engine.createEach(records, source);
    } catch (reason) {
      if (!(reason instanceof StoreUnavailable)) throw reason;
      return records.map(() => ({ status: "rejected", reason }));
    }
  }

  async createAll(
    documents: Iterable<Document> | AsyncIterable<Document>,
    { onlyIfEmpty = false }: BulkOptions = {},
  ): Promise<BulkCreation> {
    const toWrite = (document: Document): CreateWrite => this.#creating(document);
    const conditions = { onlyIfEmpty, owner: this.#owner, isMixed: false };
    const outcome = await this.#engine.createAll({ documents, toWrite, ...conditions });
    if (outcome.kind === "changed") throw new Error("A creation expects no revision");
    return outcome;
  }

  changeAll(changes: Iterable<ListChange> | AsyncIterable<ListChange>): Promise<BulkChange> {
    const toWrite = (change: ListChange): Write => {
      switch (change.kind) {
        case "create":
          return this.#creating(change.document);
        case "replace":
          return this.#replacing(change.id, change.document, change.expectedRevision);
        case "remove":
          return { kind: "remove", id: change.id, expectedRevision: change.expectedRevision, owner: this.#owner };
      }
    };
    const conditions = { onlyIfEmpty: false, owner: this.#owner, isMixed: true };
    return this.#engine.createAll({ documents: changes, toWrite, ...conditions });
  }

  async conflicts(documents: readonly Document[]): Promise<readonly (string | undefined)[]> {
    return this.#engine.conflicts(
      documents.map((document) => ({ id: givenId(document), keys: uniqueKeys(document, this.unique) })),
    );
  }

  async replace(id: number, document: Document, expectedRevision?: number): Promise<Replacement> {
    return this.#engine.write(this.#replacing(id, document, expectedRevision));
  }

  async remove(id: number, expectedRevision?: number): Promise<Removal> {
    return this.#engine.write({ kind: "remove", id, expectedRevision, owner: this.#owner });
  }

  within(owner: number): Store {
    const { name, owner: ownership } = this.#definition;
    if (ownership === undefined) throw new TypeError(`The records of ${name} have no owner`);
    return new RecordStore(this.#engine, this.#definition, this.#now, owner);
  }

  #replacing(
    id: number,
    document: Document,
    expectedRevision: number | undefined,
  ): Extract<Write, { kind: "replace" }> {
    return { kind: "replace", id, expectedRevision, ...this.#content(document) };
  }

  #creating(document: Document): CreateWrite {
    return { kind: "create", ...this.#newRecord(document) };
  }

  #newRecord(document: Document): NewRecord {
    return { id: givenId(document), ...this.#content(document) };
  }

  #content(document: Document): WrittenContent {
    return writtenContent(this.#definition, document, this.#owner, this.#now().getTime());
  }
}

/** The most changes of one read. */
export const mostChanges = 1000;

/** In characters of JSON: they are in memory at once. */
const sizeOfChanges = 1_048_576;

/** Yields the records of this batch and of those after it, each batch read when it is asked for; no empty ones. */
export async function* batchesFrom(first: RecordBatch): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for (let batch: RecordBatch | undefined = first; batch !== undefined; batch = await batch.next?.()) {
    if (batch.records.length > 0) yield batch.records;
  }
}

/** The content of a record in a change. */
type WrittenContent = Omit<NewRecord, "id">;

/**
 * Makes the content of a record from a document.
 *
 * @param owner the owner of the record; undefined where the document names it, or the collection has no owner
 * @param time in milliseconds since the epoch
 */
function writtenContent(
  definition: StoredCollection,
  document: Document,
  owner: number | undefined,
  time: number,
): WrittenContent {
  const ownerOf = ownerOfDocument(definition, document, owner);
  return { members: toMembersJson(document, ownerOf), owner: ownerOf?.id, time };
}

function ownerOfDocument({ owner }: StoredCollection, document: Document, id: number | undefined): OwnerOf | undefined {
  if (owner === undefined) return undefined;
  return id === undefined ? givenOwner(document, owner.member) : { member: owner.member, id };
}

/**
 * Makes the JSON text of a document's members in their order, without those that the store sets: `{"name":"Ada"}`.
 *
 * @param owner the id of the record's owner, and the member that has it, which is put first
 */
export function toMembersJson(document: Document, owner?: OwnerOf): string {
  const members = mustBeCopied(document) ? withoutStamp(document) : document;
  // The first mention sets the place of the member, the last one its value.
  return JSON.stringify(owner === undefined ? members : { ...ownerMember(owner), ...members, ...ownerMember(owner) });
}

/** A copy takes as long as the text. A document that would make its own JSON is copied for its members. */
const mustBeCopied = (document: object): boolean =>
  "id" in document || "createdAt" in document || "updatedAt" in document || "toJSON" in document;

function withoutStamp(document: Partial<Stamp>): object {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = document;
  return members;
}

/** The owner of a record. */
interface OwnerOf {
  readonly member: string;
  readonly id: number;
}

const ownerMember = ({ member, id }: OwnerOf): object => ({ [member]: id });

/**
 * Returns the id of a document; undefined without one.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
function givenId(document: Document): number | undefined {
  const id: unknown = Object.hasOwn(document, "id") ? (document as Partial<Stamp>).id : undefined; // it has an id
  return id === undefined ? undefined : requireId(id, "id");
}

/**
 * Returns the id of the owner that a document names.
 *
 * @throws RangeError when the document names no owner, or the id is malformed
 */
function givenOwner(document: Document, member: string): OwnerOf {
  const id: unknown = Object.getOwnPropertyDescriptor(document, member)?.value;
  return { member, id: requireId(id, member) };
}

function requireId(id: unknown, member: string): number {
  if (isRecordId(id)) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}

const withState = (batch: EngineBatch): FirstBatch => ({ ...batch, state: stateOf(batch.revisions) });

const sumOf = (revisions: readonly number[]): number => revisions.reduce((sum, revision) => sum + revision, 0);

/** Returns a digest and not the sum: two servers may show changes of different partitions in different orders. */
function stateOf(revisions: readonly number[]): string {
  if (revisions.length === 1) return `${revisions[0]}`;
  const known = states.get(revisions);
  if (known !== undefined) return known;
  const state = hash("sha256", revisions.join(), "base64url").slice(0, 22);
  states.set(revisions, state);
  return state;
}

/** The states of revisions that one query has read for many requests. */
const states = new WeakMap<readonly number[], string>();
