import { isDeepStrictEqual } from "node:util";
import type { Awaitable, HttpRequest } from "waymark";
import { andThen } from "waymark/internal";
import { type JsonObject, without } from "./members/json-object.ts";
import type { RecordScope } from "./record-scope.ts";
import { changeInState, mapped } from "./store-layers.ts";
import type { Document, ListChange, Store, StoredRecord } from "./stores/contract/store.ts";

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
 * Called before each change is stored, with the state that it changes: throws an HttpError to refuse it, with all changes of its
 * request, or returns what the record is to say instead.
 */
export type BeforeChange = (change: PendingChange, request: HttpRequest<unknown>) => Awaitable<Document | undefined>;

interface Preparation {
  readonly set: SetMembers;
  readonly before: BeforeChange | undefined;
  readonly serverMembers: readonly string[];
}

/**
 * Returns the scope of a collection whose changes are prepared so. A change that says what the record says sets nothing, and nobody is
 * asked about it.
 */
export function preparedScope(scope: RecordScope, { set, before: ask, serverMembers }: Preparation): RecordScope {
  if (Object.keys(set).length === 0 && ask === undefined) return scope;
  const isSame = (document: Document, before: JsonObject): boolean =>
    isDeepStrictEqual(without({ ...document }, serverMembers), without(before, serverMembers));
  return {
    ...scope,
    storeOf: (request, of) =>
      andThen(scope.storeOf(request, of), (store) =>
        preparingStore(store, {
          async write(document, record) {
            const before: JsonObject | undefined = record && JSON.parse(record.json);
            const kept = before !== undefined && isSame(document, before) ? before : undefined;
            const values = Object.entries(set).map(([name, value]) => [
              name,
              kept === undefined ? value(request, before) : kept[name],
            ]);
            const after = { ...document, ...Object.fromEntries(values) };
            return (kept === undefined ? await ask?.({ before, after }, request) : undefined) ?? after;
          },
          remove:
            ask &&
            (async ({ json }) => {
              await ask({ before: JSON.parse(json), after: undefined }, request);
            }),
        }),
      ),
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
