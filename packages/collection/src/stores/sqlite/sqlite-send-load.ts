import { iterate, nextBatch, stop } from "../load-source.ts";
import type { CreateWrite } from "../write.ts";
import type { LoadConditions, LoadOutcome } from "./sqlite-load.ts";
import type { WriterChannel } from "./sqlite-writer-channel.ts";

export interface LoadOptions<D> {
  readonly collection: string;
  readonly documents: Iterable<D> | AsyncIterable<D>;
  readonly toWrite: (document: D) => CreateWrite;
  readonly conditions: LoadConditions;
}

/**
 * Sends documents through the channel to be stored, all or none: a batch after the other, each when the one before is stored.
 * The documents are told to stop when no more are wanted.
 *
 * @throws StoreUnavailable (rejects) also when the documents stop coming; what they throw is thrown on
 */
export async function sendLoad<D>(channel: WriterChannel, options: LoadOptions<D>): Promise<LoadOutcome> {
  const { collection, documents, toWrite, conditions } = options;
  const source = iterate(documents);
  try {
    await channel.ask("beginLoad", collection, conditions);
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
