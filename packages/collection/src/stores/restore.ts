import type { StoredCollection } from "../database.ts";
import {
  changedMeanwhile,
  RestoreError,
  type RestoreOptions,
  restoredFromElsewhere,
  type Snapshot,
  type SnapshotCounters,
  type SnapshotKey,
  type SnapshotRecord,
  type SnapshotRemoval,
} from "./contract/snapshot.ts";
import { presentNames } from "./present-names.ts";
import { ownersFirst } from "./table/definition.ts";
import { UnusableDatabase } from "./unusable-database.ts";

/** The progress of restoring a collection: up to this id, of the snapshot with this mark. */
export interface RestorePlace {
  readonly id: number;
  readonly revision: number;
}

/**
 * Stores a snapshot in a database. Each step is one transaction, can be repeated, and fails with RestoreError if another program has
 * changed something meanwhile.
 */
export interface RestoreTarget {
  readonly identity: string;
  /**
   * Marks the database as the target of a restore, or finds that mark.
   *
   * @throws RestoreError (rejects) when it has, or had, records of its own or of another source
   */
  begin(source: string): Promise<ReadonlyMap<string, RestorePlace>>;
  /** Removes the records of these removals; none of the ids is given again. */
  remove(collection: string, removals: readonly SnapshotRemoval[]): Promise<void>;
  /** Clears the unique values of these records, which are stored again later: other records may have the values now. */
  releaseUniqueKeys(collection: string, ids: readonly number[]): Promise<void>;
  /** Stores records, in place of those with the same ids, and the progress. */
  put(collection: string, records: readonly SnapshotRecord[], place: RestorePlace): Promise<void>;
  count(collection: string, upTo: number): Promise<number>;
  putKeys(collection: string, keys: readonly SnapshotKey[]): Promise<void>;
  /**
   * Makes the indexes, sets the counters, and removes the mark.
   *
   * @throws UnusableDatabase (rejects) when records share a value that must be unique
   */
  end(counters: ReadonlyMap<string, SnapshotCounters>): Promise<void>;
}

/**
 * Restores a snapshot in constant memory. Keeps the records of an attempt that broke off; if they are from an earlier snapshot of the
 * same database, updates those that have changed or been removed since. Returns whether everything is stored; false only with
 * `stopAfter`.
 */
export async function restoreSnapshot(
  target: RestoreTarget,
  snapshot: Snapshot,
  collections: readonly StoredCollection[],
  { onProgress = () => undefined, stopAfter = Number.POSITIVE_INFINITY }: RestoreOptions = {},
): Promise<boolean> {
  if (target.identity === snapshot.identity) {
    throw new RestoreError("A database cannot be restored into itself: name another target");
  }
  const places = await target.begin(snapshot.identity);
  const counters = new Map<string, SnapshotCounters>();
  let batches = 0;
  let storing = 0; // milliseconds
  // Owners first, because owned records refer to them.
  for (const { name, renamed } of ownersFirst(collections)) {
    const { record: toPresent } = presentNames(renamed);
    const put: RestoreTarget["put"] = (collection, records, place) =>
      target.put(collection, records.map(toPresent), place);
    const state = await snapshot.counters(name);
    counters.set(name, state);
    const before = places.get(name) ?? { id: 0, revision: 0 };
    for await (const removals of snapshot.removals(name)) await target.remove(name, removals);
    const { mark } = state;
    if (before.id > 0 && before.revision !== mark) {
      await catchUp({ ...target, put }, snapshot, name, before);
      await put(name, [], { id: before.id, revision: mark });
    }
    let stored = await target.count(name, before.id);
    const report = (): void => onProgress({ collection: name, stored, total: state.records });
    report();
    const began = performance.now() - storing;
    for await (const records of snapshot.records(name, { after: before.id })) {
      if (batches > 0 && storing >= stopAfter) return false;
      await put(name, records, { id: records.at(-1)?.id ?? before.id, revision: mark });
      stored += records.length;
      batches++;
      storing = performance.now() - began;
      report();
    }
    for await (const keys of snapshot.keys(name)) await target.putKeys(name, keys);
  }
  await target.end(counters).catch((error: unknown) => {
    if (!(error instanceof UnusableDatabase)) throw error;
    throw new RestoreError(`The records cannot be restored: ${error.message}`, { cause: error });
  });
  return true;
}

/** Updates the records up to the place where an attempt broke off. */
async function catchUp(
  target: RestoreTarget,
  snapshot: Snapshot,
  collection: string,
  before: RestorePlace,
): Promise<void> {
  const range = { upTo: before.id, changedSince: before.revision };
  // For all records first: one may have a value now that another had before.
  for await (const records of snapshot.records(collection, range)) {
    await target.releaseUniqueKeys(
      collection,
      records.map(({ id }) => id),
    );
  }
  for await (const records of snapshot.records(collection, range)) await target.put(collection, records, before);
}

/**
 * Reads how far each collection is restored.
 *
 * @throws RestoreError when a mark is of another source
 */
export function placesOf(marks: readonly RestoreMark[], source: string): Map<string, RestorePlace> {
  if (marks.some(([, from]) => from !== source)) throw new RestoreError(restoredFromElsewhere);
  return new Map(marks.map(([name, , id, revision]) => [name, { id: Number(id), revision: Number(revision) }]));
}

/** @throws RestoreError when a mark is at another place, because another program has restored something */
export function assertPlace(place: RestorePlace | undefined, mark: RestoreMark | undefined): void {
  if (mark !== undefined && Number(mark[2]) === place?.id && Number(mark[3]) === place.revision) return;
  throw new RestoreError(changedMeanwhile);
}

/** A row of the table `waymark_loading`, of the columns `markColumns`. */
export type RestoreMark = readonly [
  collection: string,
  source: string,
  lastId: string | number,
  revision: string | number,
];

export const markColumns = "collection, source, last_id, revision";
