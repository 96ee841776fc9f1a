import type { Awaitable } from "waymark";
import { defaultOrder, type SelectableMember, type Selection } from "../contract/selection.ts";
import type { RecordBatch, StoredRecord } from "../contract/store.ts";
import { placeOf } from "./keyset.ts";

/** The records of a selection that a database has found in one read, and put into their order there. */
export interface FoundRecords {
  /** The first of them, about 64 KiB. */
  readonly records: readonly StoredRecord[];
  /** The ids of the others, in their order. */
  readonly rest: Float64Array;
}

/** The first records of some that were found, as they are now. */
export interface ReadAgain {
  /** Those that are still there, and that the selection still has. */
  readonly records: readonly StoredRecord[];
  /** How many of the ids these stand for, 1 or more. */
  readonly count: number;
  /** Whether none of them has changed since they were found. */
  readonly areUnchanged: boolean;
}

/** A list whose records were found at once. */
export interface FoundList {
  readonly selection: Selection;
  readonly members: readonly SelectableMember[];
  /** Reads the first of these records, about 64 KiB. */
  readonly read: (ids: Float64Array) => Awaitable<ReadAgain>;
  readonly find: (selection: Selection) => Promise<RecordBatch>;
}

/**
 * Returns the first batch of a list whose records were found at once. The ids of the others are kept, 8 bytes for each, and nothing
 * is sorted again. A whole list shows the records as they are when they are read. With a limit, which may leave out any record that
 * changes its place, the rest is found again when some have changed.
 */
export function batchOfFound({ records, rest }: FoundRecords, list: FoundList): RecordBatch {
  if (rest.length === 0) return { records, next: undefined };
  const next = async (): Promise<RecordBatch> => {
    const { limit } = list.selection;
    const last = records.at(-1);
    const again = await list.read(rest);
    if (limit === undefined || last === undefined || again.areUnchanged) {
      const { records: read, count } = again;
      const selection = limit === undefined ? list.selection : { ...list.selection, limit: limit - records.length };
      return batchOfFound({ records: read, rest: rest.subarray(count) }, { ...list, selection });
    }
    const after = placeOf(last, list.selection.order ?? defaultOrder, list.members);
    return list.find({ ...list.selection, after, limit: limit - records.length });
  };
  return { records, next, keptBytes: rest.buffer.byteLength };
}

/** Ids that are gathered one after another, 8 bytes for each. */
export class IdList {
  #ids: Float64Array = new Float64Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(id: number): void {
    if (this.#length === this.#ids.length) {
      const longer = new Float64Array(2 * this.#length);
      longer.set(this.#ids);
      this.#ids = longer;
    }
    this.#ids[this.#length++] = id;
  }

  /** Returns the ids from this position on. */
  from(position: number): Float64Array {
    return this.#ids.slice(position, this.#length);
  }
}
