import type { PostgresBatch } from "./postgres-batch.ts";
import type { CreateWrite, PostgresChanges } from "./postgres-changes.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { transact } from "./postgres-transaction.ts";
import { StoreNotEmpty } from "./store.ts";

/**
 * Stores all records or none in a collection that has none, and says how many.
 *
 * @throws StoreNotEmpty when it has one; Error naming the record that has the id or a unique value of one before it
 */
export function loadRecords(
  connection: PostgresConnection,
  changes: PostgresChanges,
  writes: Iterable<CreateWrite>,
): Promise<number> {
  return transact(connection, changes, async (locking) => {
    let counters = await locking;
    if (!(await changes.isEmpty(connection))) throw new StoreNotEmpty("The collection has records");
    let batch: PostgresBatch | undefined;
    let count = 0;
    for (const chunk of chunksOf(writes)) {
      if (batch !== undefined) await changes.write(connection, batch);
      batch = await changes.read(connection, chunk, Promise.resolve(counters));
      for (const write of chunk) {
        const creation = batch.apply(write);
        count++;
        if (creation.kind === "conflict") throw repetition(count, creation.member, batch, write);
      }
      counters = { lastRevision: batch.lastRevision, lastId: batch.lastId };
    }
    return { result: count, batch };
  });
}

function repetition(position: number, member: string, batch: PostgresBatch, { id }: CreateWrite): Error {
  const isOfRemoved = member === "id" && id !== undefined && !batch.hasRecord(id);
  return new Error(
    `Document ${position} has the ${member} of ${isOfRemoved ? "a record that was removed" : "one before it"}`,
  );
}

const chunkSize = 500;

function* chunksOf<T>(items: Iterable<T>): Generator<readonly T[], void, undefined> {
  let chunk: T[] = [];
  for (const item of items) {
    chunk.push(item);
    if (chunk.length < chunkSize) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}
