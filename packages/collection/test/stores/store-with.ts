import assert from "node:assert/strict";
import type { FirstBatch, RecordBatch, Store, StoredRecord } from "../../src/index.ts";

/** Makes a store of which a test expects these methods, and no others, to be called. */
export function storeWith(methods: Partial<Store>): Store {
  const unexpected = (): never => assert.fail("this method was not expected to be called");
  return {
    members: [],
    fullText: [],
    unique: [],
    find: unexpected,
    batch: unexpected,
    list: unexpected,
    count: unexpected,
    create: unexpected,
    replace: unexpected,
    remove: unexpected,
    createAll: unexpected,
    changeAll: unexpected,
    kept: unexpected,
    changes: unexpected,
    within: unexpected,
    transaction: unexpected,
    revision: () => 0,
    state: () => "0",
    ...methods,
  };
}

/** Makes the first batch of a store without changes whose records come from this source. */
export async function firstBatch(source: AsyncIterator<readonly StoredRecord[]>): Promise<FirstBatch> {
  return { ...(await nextBatch(source)), state: "0" };
}

async function nextBatch(source: AsyncIterator<readonly StoredRecord[]>): Promise<RecordBatch> {
  const { done, value } = await source.next();
  return done === true ? { records: [], next: undefined } : { records: value, next: () => nextBatch(source) };
}
