import { hash } from "node:crypto";
import type { AnswerSource, Awaitable } from "waymark";
import type { StoredCollection } from "../database.ts";
import { StoreUnavailable } from "./contract/errors.ts";
import {
  comparesValues,
  type SearchedMember,
  type SelectableMember,
  type Selection,
  storeMembers,
} from "./contract/selection.ts";
import type {
  BulkChange,
  BulkCreation,
  BulkOptions,
  ChangeBatch,
  ChangesOptions,
  CountOptions,
  Creation,
  CreationOptions,
  Document,
  EachCreation,
  EachOptions,
  FirstBatch,
  ListChange,
  ReadOptions,
  RecordBatch,
  Removal,
  Replacement,
  Store,
  StoredRecord,
  StoreOwner,
} from "./contract/store.ts";
import type { Engine, EngineBatch } from "./engine.ts";
import { parseFeedCursor, toFeedCursor } from "./reading/feed-cursor.ts";
import { assertSelection } from "./table/definition.ts";
import { uniqueKeys } from "./table/filled-columns.ts";
import type { CreateWrite, NewRecord, Write } from "./writing/write.ts";
import { givenId, type WrittenContent, writtenContent } from "./writing/written-content.ts";

/** The records of one collection, or of one owner in it. */
export class RecordStore implements Store {
  readonly members: readonly SelectableMember[];
  readonly fullText: readonly SearchedMember[];
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
    const { selectable, lists, fullText, unique } = definition;
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
    const feed = this.#feed;
    const { changes, places, hasMore } = await this.#engine.changes({
      ...options,
      after: after === undefined || after === "now" ? after : parseFeedCursor(feed, after),
      owner: this.#owner,
      most: limit,
      size: sizeOfChanges,
    });
    const revision = sumOf(places.map((place) => place.revision));
    return { changes, cursor: toFeedCursor(feed, places), hasMore, revision };
  }

  cursorAt(revisions: readonly number[]): string {
    return toFeedCursor(
      this.#feed,
      revisions.map((revision) => ({ revision, seal: undefined })),
    );
  }

  /** The name of the feed in its cursors. */
  get #feed(): string {
    const { name } = this.#definition;
    return this.#owner === undefined ? name : `${name} of ${this.#owner}`;
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
