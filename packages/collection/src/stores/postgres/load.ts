import { type BulkConflict, type BulkCreation, StoreNotEmpty } from "../../store.ts";
import { iterate, nextBatch, stop } from "../load.ts";
import type { CreateWrite } from "../write.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import type { PostgresPool } from "./pool.ts";
import { transact } from "./writer.ts";

export interface PostgresLoadOptions<D> {
  readonly documents: Iterable<D> | AsyncIterable<D>;
  readonly toWrite: (document: D) => CreateWrite;
  readonly onlyIfEmpty: boolean;
  /** Of whom there are to be no records. */
  readonly owner: number | undefined;
}

/**
 * Stores many records, all or none, in one transaction and in constant memory. It holds the lock of the collection from
 * its first records on.
 *
 * @throws StoreNotEmpty (rejects) when there are records, and were to be none; StoreUnavailable when the documents stop
 *   coming; what they throw is thrown on
 */
export async function loadRecords<D>(
  pool: PostgresPool,
  changes: PostgresChanges,
  { documents, toWrite, onlyIfEmpty, owner }: PostgresLoadOptions<D>,
): Promise<BulkCreation> {
  const source = iterate(documents);
  try {
    const first = await nextBatch(source, toWrite);
    return await pool.use((connection) =>
      transact<BulkCreation>(connection, changes, false, async (locking) => {
        let counters = await locking;
        // Documents may be waited for longer than the server waits for the statements of a transaction.
        await connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = '20s'" });
        if (onlyIfEmpty && !(await changes.isEmpty(connection, owner))) {
          throw new StoreNotEmpty("The collection has records");
        }
        let batch: PostgresBatch | undefined;
        const conflicts: BulkConflict[] = [];
        let position = 0;
        for (let writes = first; writes.length > 0 && conflicts.length < mostConflicts; ) {
          if (batch !== undefined) await changes.write(connection, batch);
          batch = await changes.read(connection, writes, Promise.resolve(counters));
          for (const write of writes) {
            position++;
            const creation = batch.apply(write);
            if (creation.kind === "ownerless") return { result: creation, batch: undefined };
            if (creation.kind === "conflict") conflicts.push({ position, member: creation.member });
          }
          ({ counters } = batch);
          writes = await nextBatch(source, toWrite);
        }
        return conflicts.length === 0
          ? { result: { kind: "created", count: position }, batch }
          : { result: { kind: "refused", conflicts: conflicts.slice(0, mostConflicts) }, batch: undefined };
      }),
    );
  } finally {
    stop(source);
  }
}

/** More of them help nobody, and would be kept in memory. */
const mostConflicts = 1000;
