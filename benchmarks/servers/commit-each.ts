import type { Database, Store } from "@waymark/collection";
import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { recordStore } from "../../packages/collection/src/stores/record-store.ts";
import { localChannel } from "../../packages/collection/src/stores/sqlite/connections/channel.ts";
import { openSqliteFile } from "../../packages/collection/src/stores/sqlite/connections/file.ts";
import { SqliteSource } from "../../packages/collection/src/stores/sqlite/connections/source.ts";
import { sqliteEngine } from "../../packages/collection/src/stores/sqlite/engine.ts";
import { SqliteQueries } from "../../packages/collection/src/stores/sqlite/reading/queries.ts";
import { type ReaderCalls, SqliteReader } from "../../packages/collection/src/stores/sqlite/reading/reader.ts";
import { prepareSchema } from "../../packages/collection/src/stores/sqlite/table/schema.ts";
import type { AddressedWrite, BatchedOutcome } from "../../packages/collection/src/stores/sqlite/writing/batch.ts";
import { SqliteCommitter } from "../../packages/collection/src/stores/sqlite/writing/committer.ts";
import { localCommitter } from "../../packages/collection/src/stores/sqlite/writing/committer-channel.ts";
import { SqliteWriter } from "../../packages/collection/src/stores/sqlite/writing/writer.ts";
import { toStoredCollection } from "../../packages/collection/src/stores/table/definition.ts";
import { personCollection } from "../../packages/person-service/src/person/collection.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The whole service, but that each write has a commit of its own, made on the thread that serves: as durable, and as simple
// as it can be done.

class CommitEach extends SqliteCommitter {
  override commit(batch: readonly AddressedWrite[]): readonly BatchedOutcome[] {
    return batch.flatMap((write) => super.commit([write]));
  }
}

const definition = toStoredCollection(personCollection);
const connection = openSqliteFile(databaseArgument(), {
  busyTimeout: 1000,
  prepare: (opened) => prepareSchema(opened, [definition]),
});
const transactions = new CommitEach(connection, [definition], 1000);
const writer = new SqliteWriter(localCommitter(transactions), 10_000);
const queries = new SqliteQueries(connection, [definition]);
const bounds = { maxWaiting: 1_000, maxWaitingPerCaller: 1_000, timeLimit: 10_000 };
const reader = new SqliteReader(localChannel<ReaderCalls>(queries), bounds, new Int32Array(1));
const source = new SqliteSource(connection, undefined);
const connections = { database: connection, queries, reader, writer, lock: undefined, source };
const engine = sqliteEngine(connections, definition);
const people: Store = recordStore(engine, definition, () => new Date());
const database: Database = {
  // One store of people, whatever the type that is asked for.
  store: <T extends object>() => people as Store<T>,
  check: async () => ({ readOnly: false }),
  figures: () => ({ waitingChanges: writer.waiting, waitingReads: reader.waiting }),
  snapshot: notMeasured,
  restore: notMeasured,
  makeIndexes: notMeasured,
  resume: notMeasured,
  async close() {
    await writer.close();
    connection.close();
  },
  [Symbol.asyncDispose]: notMeasured,
};
async function notMeasured(): Promise<never> {
  throw new Error("This server is for requests alone");
}

const { app } = await openPersonService({ database });
const { port } = await serve(app, { port: 0 });
announce(port);
