import { StoreUnavailable } from "../store.ts";
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
