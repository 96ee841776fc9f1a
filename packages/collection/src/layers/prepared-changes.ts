import { isDeepStrictEqual } from "node:util";
import type { Awaitable, HttpRequest } from "waymark";
import { andThen, type DeclarationSite } from "waymark/internal";
import { type JsonObject, without } from "../members/json-object.ts";
import type { RecordScope } from "../record-scope.ts";
import {
  type CreationOptions,
  type Document,
  isRecordId,
  type ListChange,
  type Store,
  type StoredRecord,
  type Transaction,
} from "../stores/contract/store.ts";
import { changeInState, mapped } from "./store-layers.ts";

/**
 * The members of a record that the server sets in each change, by name: a value that JSON has, or undefined for none. Clients cannot
 * change them, and may send them back as they were read.
 */
export type SetMembers = Readonly<
  Record<string, (request: HttpRequest<unknown>, before: Readonly<Record<string, unknown>> | undefined) => unknown>
>;

/** A change that is about to be stored. */
export interface PendingChange {
  /** The record as it is stored; undefined where it is new. */
  readonly before: Readonly<Record<string, unknown>> | undefined;
  /** What it is to say, without its id and times; undefined where it is to be removed. */
  readonly after: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Called in the transaction of each change, with the state that it changes: throws an HttpError to refuse it, with all changes of its
 * request, or returns what the record is to say instead. What it changes by the transaction is stored with the change, or not at all,
 * and calls no `before`.
 */
export type BeforeChange = (
  change: PendingChange,
  tx: Transaction,
  request: HttpRequest<unknown>,
) => Awaitable<Document | undefined>;

interface Preparation {
  readonly set: SetMembers;
  readonly before: BeforeChange | undefined;
  readonly serverMembers: readonly string[];
  /** Where the collection was made. */
  readonly site: DeclarationSite;
}

/**
 * Returns the scope of a collection whose changes are prepared so. For a change that says what the record says, nothing is set, and
 * `before` is not called.
 */
export function preparedScope(scope: RecordScope, { set, before: ask, serverMembers, site }: Preparation): RecordScope {
  if (Object.keys(set).length === 0 && ask === undefined) return scope;
  const isSame = (document: Document, before: JsonObject): boolean =>
    isDeepStrictEqual(without({ ...document }, serverMembers), without(before, serverMembers));

  /** Returns what the record is to say, and whether that is another thing than it says. */
  const withSet = (request: HttpRequest<unknown>, document: Document, before: JsonObject | undefined) => {
    const kept = before !== undefined && isSame(document, before) ? before : undefined;
    const values = Object.entries(set).map(([name, value]) => [
      name,
      kept === undefined ? value(request, before) : kept[name],
    ]);
    return { after: { ...document, ...Object.fromEntries(values) }, isChange: kept === undefined };
  };
  const valueIn = (record: StoredRecord | undefined): JsonObject | undefined => record && JSON.parse(record.json);

  return {
    ...scope,
    storeOf: (request, of) =>
      andThen(scope.storeOf(request, of), (store) => {
        if (ask === undefined) {
          return preparingStore(store, {
            write: async (document, record) => withSet(request, document, valueIn(record)).after,
            remove: undefined,
          });
        }
        return askingStore(store, site, (tx) => ({
          async write(document, record) {
            const before = valueIn(record);
            const { after, isChange } = withSet(request, document, before);
            return (isChange ? await ask({ before, after }, tx, request) : undefined) ?? after;
          },
          async remove(record) {
            await ask({ before: valueIn(record), after: undefined }, tx, request);
          },
        }));
      }),
  };
}

/** What is done with the changes of a store before they are stored. */
interface Preparing {
  readonly write: (document: Document, record: StoredRecord | undefined) => Promise<Document>;
  /** Undefined where nothing is done. */
  readonly remove: ((record: StoredRecord) => Promise<void>) | undefined;
}

function preparingStore(store: Store, preparing: Preparing): Store {
  const { write, remove } = preparing;
  const prepare = async (change: ListChange): Promise<ListChange> => {
    if (change.kind === "create") return { ...change, document: await write(change.document, undefined) };
    if (change.kind === "remove" && remove === undefined) return change;
    const record = await store.find(change.id);
    if (change.kind === "replace") return { ...change, document: await write(change.document, record) };
    if (record !== undefined) await remove?.(record);
    return change;
  };
  return {
    ...store,
    create: async (document, options) => store.create(await write(document, undefined), options),
    replace: (id, document, expectedRevision) =>
      changeInState(store.find, id, expectedRevision, async (record) =>
        store.replace(id, await write(document, record), record.revision),
      ),
    remove:
      remove === undefined
        ? store.remove
        : (id, expectedRevision) =>
            changeInState(store.find, id, expectedRevision, async (record) => {
              await remove(record);
              return store.remove(id, record.revision);
            }),
    createAll: (documents, options) =>
      store.createAll(
        mapped(documents, (each) => write(each, undefined)),
        options,
      ),
    changeAll: (changes, options) => store.changeAll(mapped(changes, prepare), options),
    within: (owner) => preparingStore(store.within(owner), preparing),
  };
}

/** Returns a store each change of which is prepared and made in a transaction. */
function askingStore(store: Store, site: DeclarationSite, preparing: (tx: Transaction) => Preparing): Store {
  const change = <R extends { readonly kind: string }>(
    make: (prepared: Store, inside: Store) => Promise<R>,
    isUndone = () => false,
  ): Promise<R> =>
    transacted(
      store,
      site,
      (inside, tx) => make(preparingStore(inside, preparing(tx)), inside),
      ({ kind }) => made.has(kind) && !isUndone(),
    );
  return {
    ...store,
    create: (document, options) =>
      change(async (prepared, inside) =>
        // What came before is answered as it was then.
        ((await isRepeated(inside, document, options)) ? inside : prepared).create(document, options),
      ),
    replace: (...asked) => change((prepared) => prepared.replace(...asked)),
    remove: (...asked) => change((prepared) => prepared.remove(...asked)),
    createAll: (...asked) => change((prepared) => prepared.createAll(...asked)),
    changeAll(changes, options = {}) {
      let isUndone = false;
      const undo = (): boolean => {
        isUndone = options.undo?.() ?? false;
        return isUndone;
      };
      return change(
        (prepared) => prepared.changeAll(changes, { ...options, undo }),
        () => isUndone,
      );
    },
    within: (owner) => askingStore(store.within(owner), site, preparing),
  };
}

/** The outcomes of changes that are made. */
const made: ReadonlySet<string> = new Set(["created", "replaced", "removed"]);

/** Returns whether the key of a creation was used before. */
async function isRepeated(store: Store, document: Document, { idempotency }: CreationOptions = {}): Promise<boolean> {
  if (idempotency === undefined) return false;
  const owner = store.owner && (document as JsonObject)[store.owner.member]; // as far as it names one
  return (await (isRecordId(owner) ? store.within(owner) : store).kept(idempotency.key)) !== undefined;
}

/** Does work in a transaction of a store, which stores nothing where its result is not to be kept. */
async function transacted<R>(
  store: Store,
  began: object,
  work: (store: Store, tx: Transaction) => Promise<R>,
  isKept: (result: R) => boolean,
): Promise<R> {
  let undone: { readonly result: R } | undefined;
  try {
    return await store.transaction(async (inside, tx) => {
      const result = await work(inside, tx);
      if (isKept(result)) return result;
      undone = { result };
      throw undone;
    }, began);
  } catch (error) {
    if (undone !== undefined && error === undone) return undone.result;
    throw error;
  }
}
