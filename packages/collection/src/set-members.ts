import { isDeepStrictEqual } from "node:util";
import type { Awaitable, HttpRequest } from "waymark";
import { andThen } from "waymark/internal";
import { changeInState } from "./change-in-state.ts";
import { type JsonObject, without } from "./members/json-object.ts";
import type { RecordScope } from "./record-scope.ts";
import type { Document, ListChange, Store, StoredRecord } from "./stores/contract/store.ts";

/**
 * The members of a record that the server sets in each change, by name: a value that JSON has, or undefined for none. Clients cannot
 * change them, and may send them back as they were read.
 */
export type SetMembers = Readonly<
  Record<string, (request: HttpRequest<unknown>, before: Readonly<Record<string, unknown>> | undefined) => unknown>
>;

/** Returns the scope of a collection whose changes set these members. A change that says what the record says sets nothing. */
export function settingScope(scope: RecordScope, set: SetMembers, serverMembers: readonly string[]): RecordScope {
  if (Object.keys(set).length === 0) return scope;
  const withSet = (request: HttpRequest<unknown>, document: Document, record: StoredRecord | undefined): Document => {
    const before: JsonObject | undefined = record && JSON.parse(record.json);
    const isSame =
      before !== undefined &&
      isDeepStrictEqual(without({ ...document }, serverMembers), without(before, serverMembers));
    const values = Object.entries(set).map(([name, value]) => [name, isSame ? before[name] : value(request, before)]);
    return { ...document, ...Object.fromEntries(values) };
  };
  return {
    ...scope,
    storeOf: (request, of) =>
      andThen(scope.storeOf(request, of), (store) =>
        storeSetting(store, (document, before) => withSet(request, document, before)),
      ),
  };
}

/** Returns a store that has each record set something. */
function storeSetting(
  store: Store,
  withSet: (document: Document, before: StoredRecord | undefined) => Document,
): Store {
  const withSetNow = (change: ListChange): Awaitable<ListChange> => {
    if (change.kind === "remove") return change;
    if (change.kind === "create") return { ...change, document: withSet(change.document, undefined) };
    return andThen(store.find(change.id), (before) => ({ ...change, document: withSet(change.document, before) }));
  };
  return {
    ...store,
    create: async (document, options) => store.create(withSet(document, undefined), options),
    replace: (id, document, expectedRevision) =>
      changeInState(store.find, id, expectedRevision, (record) =>
        store.replace(id, withSet(document, record), record.revision),
      ),
    createAll: (documents, options) =>
      store.createAll(
        mapped(documents, (each) => withSet(each, undefined)),
        options,
      ),
    changeAll: (changes, options) => store.changeAll(mapped(changes, withSetNow), options),
    within: (owner) => storeSetting(store.within(owner), withSet),
  };
}

async function* mapped<T>(
  values: Iterable<T> | AsyncIterable<T>,
  map: (value: T) => Awaitable<T>,
): AsyncGenerator<T, void, undefined> {
  for await (const value of values) yield await map(value);
}
