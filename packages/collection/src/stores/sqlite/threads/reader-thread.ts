// The program of the thread that reads. It imports only relative files and modules of Node.js, so that it runs in the same ways as
// the program that starts it.
import { workerData } from "node:worker_threads";
import { nobodyWaits } from "../../contract/errors.ts";
import { connectToSqliteFile } from "../connections/file.ts";
import { boundedLog } from "../connections/log.ts";
import { SqliteQueries } from "../reading/queries.ts";
import type { ReaderCalls } from "../reading/reader.ts";
import { goOnFunction } from "../table/dialect.ts";
import { answerCalls, type ReaderThreadData } from "./thread.ts";

const { path, collections, busyTimeout, stop } = workerData as ReaderThreadData; // as passed at the start
const database = connectToSqliteFile(path, busyTimeout);
database.exec("PRAGMA query_only = ON");
database.function(goOnFunction, () => {
  if (Atomics.load(stop, 0) !== 0) throw nobodyWaits();
  return 1;
});
answerCalls<ReaderCalls>(new SqliteQueries(database, collections, true), {
  afterAnswer: boundedLog(database, path, busyTimeout),
  close: () => database.close(),
});
