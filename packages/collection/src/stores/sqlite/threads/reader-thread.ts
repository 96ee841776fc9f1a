// The program of the thread that reads. It imports only relative files and modules of Node.js, so that it runs in the same ways as
// the program that starts it.
import { workerData } from "node:worker_threads";
import { connectToSqliteFile } from "../connections/file.ts";
import { boundedLog } from "../connections/log.ts";
import { SqliteQueries } from "../reading/queries.ts";
import type { ReaderCalls } from "../reading/reader.ts";
import { answerCalls, type ReaderThreadData } from "./thread.ts";

const { path, collections, busyTimeout, stop } = workerData as ReaderThreadData; // as passed at the start
const database = connectToSqliteFile(path, busyTimeout);
database.exec("PRAGMA query_only = ON; PRAGMA cache_size = -65536");
const queries = new SqliteQueries(database, collections, () => Atomics.load(stop, 0) !== 0);
answerCalls<ReaderCalls>(queries, {
  afterAnswer: boundedLog(database, path, busyTimeout),
  close: () => database.close(),
});
