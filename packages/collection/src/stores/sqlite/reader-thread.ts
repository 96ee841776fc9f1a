// The program of the thread that reads. What it imports lies beside it or is Node's, so that it runs in whatever way the program
// does that starts it.
import { workerData } from "node:worker_threads";
import { StoreUnavailable } from "../../store.ts";
import { goOnFunction } from "./dialect.ts";
import { connectToSqliteFile } from "./file.ts";
import { SqliteLog } from "./log.ts";
import type { ReaderCalls, ReaderThreadData } from "./reader.ts";
import { SqliteQueries } from "./selection.ts";
import { answerCalls } from "./thread.ts";

const { path, collections, busyTimeout, stop } = workerData as ReaderThreadData; // as it is started
const database = connectToSqliteFile(path, busyTimeout);
database.exec("PRAGMA query_only = ON");
database.function(goOnFunction, () => {
  if (Atomics.load(stop, 0) !== 0) throw new StoreUnavailable("Nobody waits for the answer any more");
  return 1;
});
const log = new SqliteLog(database, path, busyTimeout);
answerCalls<ReaderCalls>(new SqliteQueries(database, collections, true), {
  afterAnswer: () => log.bound(),
  close: () => database.close(),
});
