import { hash } from "node:crypto";
import type { Awaitable } from "waymark";
import { DeclarationSite, wording } from "waymark/internal";
import type { StoredCollection } from "../database.ts";
import { toPresentNames } from "../members/renamed.ts";
import { comparesValues, type Selection, storeMembers } from "./contract/selection.ts";
import {
  type Document,
  isRecordId,
  type ListChange,
  type RecordBatch,
  type Store,
  type StoredRecord,
  type Transaction,
} from "./contract/store.ts";
import type { Engine } from "./engine.ts";
import { parseFeedCursor, toFeedCursor } from "./reading/feed-cursor.ts";
import { assertSelection } from "./table/assert-selection.ts";
import { keyLifetime } from "./writing/decide.ts";
import type { CreateWrite, NewRecord, Stamp, Write } from "./writing/write.ts";

/** What the stores of a database share. */
export interface OfDatabase {
  /** The clock for the times of the records. */
  readonly now: () => Date;
  /** As `Database.transaction`, with what names the place where it began. */
  readonly transact: <R>(work: (tx: Transaction) => Awaitable<R>, began: object) => Promise<R>;
}

/**
 * Makes the store of a collection, or of one owner in it.
 *
 * @param within the store of all owners, or the id of one; undefined where the collection has none
 */
export function recordStore(
  engine: Engine,
  definition: StoredCollection,
  ofDatabase: OfDatabase,
  within?: Store | number,
): Store {
  const { now, transact } = ofDatabase;
  const { name, selectable, lists, fullText, unique, renamed, owner: ownership } = definition;
  const [owner, owners] = typeof within === "number" ? [within] : [undefined, within];
  const listsBySingle = new Map(lists.flatMap((list) => (list.single === undefined ? [] : [[list.single, list.name]])));
  /** The name of the feed in its cursors. */
  const feed = owner === undefined ? name : `${name} of ${owner}`;

  /** Checks a selection. Returns it with filters of the lists that single members are values of, in place of those of these members. */
  const checked = (selection: Selection): Selection => {
    assertSelection(selection, store);
    const { filters } = selection;
    if (filters === undefined || listsBySingle.size === 0) return selection;
    const meeting = filters.map((filter) => {
      const list = comparesValues(filter.operator) ? listsBySingle.get(filter.member) : undefined;
      return list === undefined ? filter : { ...filter, member: list };
    });
    return { ...selection, filters: meeting };
  };
  const toPresent = toPresentNames(renamed);
  /** Makes the JSON text of the members in their order, without those that the store sets; the one with the id of the owner comes first. */
  const contentOf = (document: Document): Omit<NewRecord, "id"> => {
    assertDocument(document);
    const [time, whole] = [now().getTime(), toPresent(document) as Document]; // an object stays one
    const members = mustBeCopied(whole) ? withoutStamp(whole) : whole;
    if (ownership === undefined) return { members: JSON.stringify(members), owner, time };
    const { member } = ownership;
    const of = owner ?? requireId(Object.getOwnPropertyDescriptor(whole, member)?.value, member);
    // The first mention sets the place of the member, the last one its value.
    return { members: JSON.stringify({ [member]: of, ...members, [member]: of }), owner: of, time };
  };
  const creating = (document: Document): CreateWrite => ({
    kind: "create",
    ...contentOf(document),
    id: givenId(document),
  });
  const replacing = (id: number, document: Document, expectedRevision: number | undefined) =>
    ({ kind: "replace", id, expectedRevision, ...contentOf(document) }) as const;

  const keyRow = (key: string) => ({ owner: owner ?? 0, key, id: 0, revision: 0, time: now().getTime() });

  const store: Store = {
    members: [...storeMembers, ...selectable, ...lists],
    fullText,
    unique,
    owner: ownership && owners && { member: ownership.member, store: owners },
    source: engine.source,
    listen: engine.listen,
    // No record has any other id, and a database might refuse it.
    find: (id) => (Number.isSafeInteger(id) ? engine.find(id, owner) : undefined),
    batch: (selection = {}, options = {}) => engine.batch(checked(selection), owner, options),
    async *list(selection, options) {
      yield* batchesFrom(await store.batch(selection, options));
    },
    count: async (selection = {}, options = {}) => engine.count(checked(selection), owner, options),
    revision: () => engine.revision(),
    state: () => engine.state(),
    async changes(after, { limit = mostChanges, ...options } = {}) {
      if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= mostChanges)) {
        throw new TypeError(`The limit of changes is an integer from 1 to ${mostChanges}, not ${limit}`);
      }
      const { place, ...batch } = await engine.changes({
        ...options,
        after: after === undefined || after === "now" ? after : parseFeedCursor(feed, after),
        owner,
        most: limit,
        size: sizeOfChanges,
      });
      return { ...batch, cursor: toFeedCursor(feed, place) };
    },
    create: async (document, { idempotency } = {}) => engine.write({ ...creating(document), idempotency }),
    createAll: (documents, { onlyIfEmpty = false } = {}) =>
      engine.createAll({
        owner,
        documents,
        toWrite: creating,
        onlyIfEmpty,
        locks: [],
        end: () => ({ isUndone: false, keyed: undefined }),
      }),
    changeAll(changes, { undo = () => false, locks = [], keep } = {}) {
      const toWrite = (change: ListChange): Write => {
        switch (change.kind) {
          case "create":
            return creating(change.document);
          case "replace":
            return replacing(change.id, change.document, change.expectedRevision);
          case "remove":
            return { kind: "remove", id: change.id, expectedRevision: change.expectedRevision, owner };
        }
      };
      return engine.createAll({
        owner,
        documents: changes,
        toWrite,
        onlyIfEmpty: false,
        locks: [...new Set(locks.map(lockOf))].sort((one, other) => one - other),
        end: () => ({ isUndone: undo(), keyed: keep && { ...keyRow(keep.key), fingerprint: keep.text() } }),
      });
    },
    async kept(key) {
      const kept = await engine.keyed(owner ?? 0, key);
      return kept !== undefined && kept.time > now().getTime() - keyLifetime ? kept.fingerprint : undefined;
    },
    replace: async (id, document, expectedRevision) => engine.write(replacing(id, document, expectedRevision)),
    remove: async (id, expectedRevision) => engine.write({ kind: "remove", id, expectedRevision, owner }),
    within(id) {
      if (ownership === undefined) throw new TypeError(`The records of ${name} have no owner`);
      return recordStore(engine, definition, ofDatabase, id);
    },
    transaction: (work, began = new DeclarationSite(store.transaction)) =>
      transact((tx) => work(owner === undefined ? tx.store(name) : tx.store(name).within(owner), tx), began),
  };
  return store;
}

/** Few, since a database holds thousands of locks at most: two texts of one number wait for each other without need. */
const lockOf = (text: string): number => hash("sha256", text, "buffer").readUInt8();

/** The most changes of one read. */
const mostChanges = 1000;

/** In characters of JSON: they are in memory at once. */
const sizeOfChanges = 1_048_576;

/** Yields the records of this batch and of those after it, each batch read when it is asked for; no empty ones. */
export async function* batchesFrom(first: RecordBatch): AsyncGenerator<readonly StoredRecord[], void, undefined> {
  for (let batch: RecordBatch | undefined = first; batch !== undefined; batch = await batch.next?.()) {
    if (batch.records.length > 0) yield batch.records;
  }
}

/** @throws TypeError when the document is a promise, or not an object: a promise is one for the compiler, and without members */
function assertDocument(document: unknown): void {
  if (document instanceof Promise) throw new TypeError("A document is an object, not a promise: write await before it");
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new TypeError(`A document is an object with the members of a record, not ${wording.typeName(document)}`);
  }
}

/** A copy takes as long as the text. A document that would make its own JSON is copied for its members. */
const mustBeCopied = (document: object): boolean =>
  "id" in document || "createdAt" in document || "updatedAt" in document || "toJSON" in document;

function withoutStamp(document: Partial<Stamp>): object {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = document;
  return members;
}

/**
 * Returns the id of a document; undefined without one.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
function givenId(document: Document): number | undefined {
  const id: unknown = Object.hasOwn(document, "id") ? (document as Partial<Stamp>).id : undefined; // it has an id
  return id === undefined ? undefined : requireId(id, "id");
}

function requireId(id: unknown, member: string): number {
  if (isRecordId(id)) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}
