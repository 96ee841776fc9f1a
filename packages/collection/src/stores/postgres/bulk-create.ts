import type { BulkCreation, Creation } from "../../store.ts";
import { StoreNotEmpty } from "../../store-errors.ts";
import { BulkReader, type BulkSource, BulkTally } from "../bulk-source.ts";
import type { PostgresBatch } from "./batch.ts";
import type { PostgresChanges } from "./changes.ts";
import { everyPartition } from "./counters.ts";
import type { PostgresPool } from "./pool.ts";
import { transact } from "./transaction.ts";

/**
 * Stores many records, all or none, in one transaction and in constant memory. It holds all partitions of the collection from its
 * first records on.
 *
 * @throws StoreNotEmpty (rejects) when there are records despite `onlyIfEmpty`; StoreUnavailable when the documents stop arriving;
 *   errors of the source are passed on
 */
export async function bulkCreate(
  pool: PostgresPool,
  changes: PostgresChanges,
  source: BulkSource,
): Promise<BulkCreation> {
  const reader = new BulkReader(source);
  try {
    const first = await reader.next();
    return await pool.use((connection) =>
      transact<BulkCreation>(connection, changes, async () => {
        let held = await changes.counters.lock(connection, everyPartition, false);
        // Documents may take longer to arrive than the server lets a transaction wait for statements.
        await connection.query({ text: "SET LOCAL idle_in_transaction_session_timeout = '20s'" });
        if (source.onlyIfEmpty && !(await changes.isEmpty(connection, source.owner))) {
          throw new StoreNotEmpty("The collection has records");
        }
        const tally = new BulkTally();
        let batch: PostgresBatch | undefined;
        for (let writes = first; writes.length > 0; writes = await reader.next()) {
          if (batch !== undefined) await changes.write(connection, batch);
          batch = await changes.read(connection, writes, Promise.resolve(held));
          for (const write of writes) {
            tally.add(batch.apply(write) as Creation); // every partition is held
            if (tally.isDecided) return { result: tally.outcome, batch: undefined };
          }
          ({ held } = batch);
        }
        const result = tally.outcome;
        return { result, batch: result.kind === "created" ? batch : undefined };
      }),
    );
  } finally {
    reader.stop();
  }
}
