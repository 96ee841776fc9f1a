import type { CollectionDefinition } from "../database.ts";
import {
  type LoadOptions,
  LoadRefused,
  type Snapshot,
  type SnapshotCounters,
  type SnapshotKey,
  type SnapshotRecord,
} from "../snapshot.ts";
import { StoreUnavailable } from "../store.ts";
import { ownersFirst } from "./definition.ts";
import type { CreateWrite } from "./write.ts";

/** What gives the documents, one by one. */
export function iterate<D>(documents: Iterable<D> | AsyncIterable<D>): Iterator<D> | AsyncIterator<D> {
  return Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
}

/** Not waited for: a source that stalls may never come to it. */
export function stop(source: Iterator<unknown> | AsyncIterator<unknown>): void {
  Promise.try(() => source.return?.()).catch(() => undefined);
}

/**
 * As many as are stored at once; none at the end.
 *
 * @throws StoreUnavailable (rejects) when they stop coming; what they throw is thrown on
 */
export async function nextBatch<D>(
  source: Iterator<D> | AsyncIterator<D>,
  toWrite: (document: D) => CreateWrite,
): Promise<readonly CreateWrite[]> {
  const stalled = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    stalled.reject(new StoreUnavailable(`The records to be stored did not come for ${patience / 1000} s`));
  }, patience);
  try {
    const batch: CreateWrite[] = [];
    for (let characters = 0; characters < batchSize && batch.length < mostInBatch; ) {
      const { done, value } = await Promise.race([source.next(), stalled.promise]);
      if (done) break;
      const write = toWrite(value);
      characters += write.members.length;
      batch.push(write);
    }
    return batch;
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds for a batch: while it is awaited, nobody else can write. */
const patience = 10_000;

/** In characters of JSON; it goes beyond by at most one record. */
const batchSize = 65_536;

const mostInBatch = 512;

/** How far the records of a collection are stored: up to this id, as they were at this revision. */
export interface LoadPlace {
  readonly id: number;
  readonly revision: number;
}

/**
 * What a database does to be loaded. Each step is a transaction of its own, may be made again, and fails with LoadRefused where
 * another program has changed something meanwhile.
 */
export interface LoadTarget {
  readonly identity: string;
  /**
   * Marks the database as one that is being loaded, or finds that it is.
   *
   * @throws LoadRefused (rejects) when it has, or had, records, or what it has comes from elsewhere
   */
  begin(source: string): Promise<ReadonlyMap<string, LoadPlace>>;
  /** Removes what has these ids, and gives none of them again. */
  remove(collection: string, ids: readonly number[]): Promise<void>;
  /** Has these records, which are put anew, keep no value from others. */
  vacate(collection: string, ids: readonly number[]): Promise<void>;
  /** Stores records in the place of those with their ids, and how far that is. */
  put(collection: string, records: readonly SnapshotRecord[], place: LoadPlace): Promise<void>;
  /** How many records there are up to an id. */
  count(collection: string, upTo: number): Promise<number>;
  putKeys(collection: string, keys: readonly SnapshotKey[]): Promise<void>;
  /** Sets the counters, and takes the mark away. */
  end(counters: ReadonlyMap<string, SnapshotCounters>): Promise<void>;
}

/**
 * Loads a snapshot in constant memory. What an attempt that broke off has stored is kept: of an earlier moment of the same database,
 * it is brought to that of the snapshot first, by what has a later revision or was removed.
 */
export async function loadSnapshot(
  target: LoadTarget,
  snapshot: Snapshot,
  collections: readonly CollectionDefinition[],
  { onProgress = () => undefined }: LoadOptions = {},
): Promise<void> {
  if (target.identity === snapshot.identity) {
    throw new LoadRefused("A database cannot be loaded from itself: name another one to load it into");
  }
  const places = await target.begin(snapshot.identity);
  const counters = new Map<string, SnapshotCounters>();
  // What is owned refers to its owner.
  for (const { name } of ownersFirst(collections)) {
    const state = await snapshot.counters(name);
    counters.set(name, state);
    const before = places.get(name) ?? { id: 0, revision: 0 };
    for await (const ids of snapshot.removals(name)) await target.remove(name, ids);
    if (before.id > 0 && before.revision !== state.revision) await catchUp(target, snapshot, name, before);
    let stored = await target.count(name, before.id);
    const report = (): void => onProgress({ collection: name, stored, total: state.records });
    report();
    for await (const records of snapshot.records(name, { after: before.id })) {
      await target.put(name, records, { id: records.at(-1)?.id ?? before.id, revision: state.revision });
      stored += records.length;
      report();
    }
    for await (const keys of snapshot.keys(name)) await target.putKeys(name, keys);
  }
  await target.end(counters);
}

/** Brings the records up to the place where an attempt broke off to what they are now. */
async function catchUp(target: LoadTarget, snapshot: Snapshot, collection: string, before: LoadPlace): Promise<void> {
  const range = { upTo: before.id, changedSince: before.revision };
  // All of them first: one of them may have now what another one had then.
  for await (const records of snapshot.records(collection, range)) {
    await target.vacate(
      collection,
      records.map(({ id }) => id),
    );
  }
  for await (const records of snapshot.records(collection, range)) await target.put(collection, records, before);
  const { revision } = await snapshot.counters(collection);
  await target.put(collection, [], { id: before.id, revision });
}
