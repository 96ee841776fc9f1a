import { type RenamedMember, toPresentText } from "../members/renamed.ts";
import type { RecordBatch, StoredRecord } from "./contract/store.ts";
import type { EngineChanges } from "./engine.ts";

/** Gives the members of records that are read their present names, as long as they are stored by the former ones. */
export interface PresentNames {
  record<R extends StoredRecord | undefined>(record: R): R;
  batch<B extends RecordBatch>(batch: B): B;
  changes(changes: EngineChanges): EngineChanges;
}

export function presentNames(renamed: readonly RenamedMember[]): PresentNames {
  if (renamed.length === 0) return asTheyAre;
  const toPresent = toPresentText(renamed);
  const names: PresentNames = {
    record: (record) => record && { ...record, json: toPresent(record.json) },
    batch: (batch) => {
      const { next } = batch;
      return {
        ...batch,
        records: batch.records.map(names.record),
        next: next && (async () => names.batch(await next())),
      };
    },
    changes: (read) => ({
      ...read,
      changes: read.changes.map((each) =>
        each.kind === "stored" ? { ...each, record: names.record(each.record) } : each,
      ),
    }),
  };
  return names;
}

const asTheyAre: PresentNames = {
  record: (record) => record,
  batch: (batch) => batch,
  changes: (changes) => changes,
};
