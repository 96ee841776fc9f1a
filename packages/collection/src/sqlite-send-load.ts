import type { LoadOutcome } from "./sqlite-load.ts";
import type { WriterChannel } from "./sqlite-writer-channel.ts";
import type { CreateWrite } from "./sqlite-writes.ts";
import { StoreUnavailable } from "./store.ts";

export interface LoadOptions<D> {
  readonly collection: string;
  readonly documents: Iterable<D> | AsyncIterable<D>;
  readonly toWrite: (document: D) => CreateWrite;
  readonly onlyIfEmpty: boolean;
}

/**
 * Sends documents through the channel to be stored, all or none: a batch after the other, each when the one before is stored.
 * The documents are told to stop when no more are wanted.
 *
 * @throws StoreUnavailable (rejects) also when the documents stop coming; what they throw is thrown on
 */
export async function sendLoad<D>(channel: WriterChannel, options: LoadOptions<D>): Promise<LoadOutcome> {
  const { collection, documents, toWrite, onlyIfEmpty } = options;
  const source = iterate(documents);
  try {
    await channel.ask("beginLoad", collection, onlyIfEmpty);
    let batch = await nextBatch(source, toWrite);
    for (let isWanted = true; isWanted && batch.length > 0; ) {
      // They are made while those before them are stored.
      [isWanted, batch] = await Promise.all([channel.ask("load", batch), nextBatch(source, toWrite)]);
    }
    return await channel.ask("endLoad");
  } catch (error) {
    await channel.ask("abandonLoad").catch(() => undefined); // the thread that had begun it is gone, and the transaction with it
    throw error;
  } finally {
    stop(source);
  }
}

function iterate<D>(documents: Iterable<D> | AsyncIterable<D>): Iterator<D> | AsyncIterator<D> {
  return Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
}

/** Not waited for: a source that stalls may never come to it. */
function stop(source: Iterator<unknown> | AsyncIterator<unknown>): void {
  Promise.try(() => source.return?.()).catch(() => undefined);
}

/** As many as are worth a message; none at the end. */
async function nextBatch<D>(
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
