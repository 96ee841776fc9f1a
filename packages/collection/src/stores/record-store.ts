import type { StoredCollection } from "../database.ts";
import { StoreUnavailable } from "./contract/errors.ts";
import { comparesValues, type Selection, storeMembers } from "./contract/selection.ts";
import type { Document, ListChange, RecordBatch, Store, StoredRecord } from "./contract/store.ts";
import type { Engine } from "./engine.ts";
import { parseFeedCursor, toFeedCursor } from "./reading/feed-cursor.ts";
import { assertSelection } from "./table/definition.ts";
import { uniqueKeys } from "./table/filled-columns.ts";
import type { CreateWrite, NewRecord, Write } from "./writing/write.ts";
import { givenId, writtenContent } from "./writing/written-content.ts";

/**
 * Makes the store of a collection, or of one owner in it.
 *
 * @param now the clock for the times of the records
 * @param within the store of all owners, or the id of one; undefined where the collection has none
 */
export function recordStore(
  engine: Engine,
  definition: StoredCollection,
  now: () => Date,
  within?: Store | number,
): Store {
  const { name, selectable, lists, fullText, unique, owner: ownership } = definition;
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
  const contentOf = (document: Document) => writtenContent(definition, document, owner, now().getTime());
  const newRecord = (document: Document): NewRecord => ({ ...contentOf(document), id: givenId(document) });
  const creating = (document: Document): CreateWrite => ({ kind: "create", ...newRecord(document) });
  const replacing = (id: number, document: Document, expectedRevision: number | undefined) =>
    ({ kind: "replace", id, expectedRevision, ...contentOf(document) }) as const;

  const store: Store = {
    members: [...storeMembers, ...selectable, ...lists],
    fullText,
    unique,
    owner: ownership && owners && { member: ownership.member, store: owners },
    source: engine.source,
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
    cursorAt: (state) => toFeedCursor(feed, engine.placeAt(state)),
    create: async (document, { idempotency } = {}) => engine.write({ ...creating(document), idempotency }),
    async createEach(documents, { source } = {}) {
      const records = documents.map(newRecord);
      try {
        return records.length === 0 ? [] : await engine.createEach(records, source);
      } catch (reason) {
        if (!(reason instanceof StoreUnavailable)) throw reason;
        return records.map(() => ({ status: "rejected", reason }));
      }
    },
    async createAll(documents, { onlyIfEmpty = false } = {}) {
      const outcome = await engine.createAll({ documents, toWrite: creating, onlyIfEmpty, owner, isMixed: false });
      if (outcome.kind === "changed") throw new Error("A creation expects no revision");
      return outcome;
    },
    changeAll(changes) {
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
      return engine.createAll({ documents: changes, toWrite, onlyIfEmpty: false, owner, isMixed: true });
    },
    conflicts: async (documents) =>
      engine.conflicts(documents.map((document) => ({ id: givenId(document), keys: uniqueKeys(document, unique) }))),
    replace: async (id, document, expectedRevision) => engine.write(replacing(id, document, expectedRevision)),
    remove: async (id, expectedRevision) => engine.write({ kind: "remove", id, expectedRevision, owner }),
    within(id) {
      if (ownership === undefined) throw new TypeError(`The records of ${name} have no owner`);
      return recordStore(engine, definition, now, id);
    },
  };
  return store;
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
