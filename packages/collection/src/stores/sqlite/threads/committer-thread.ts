// The program of the thread that writes. It imports only relative files and modules of Node.js, so that it runs in the same ways as
// the program that starts it.
import { workerData } from "node:worker_threads";
import { connectToSqliteFile } from "../connections/file.ts";
import { boundedLog } from "../connections/log.ts";
import { SqliteCommitter } from "../writing/committer.ts";
import type { CommitterCalls } from "../writing/committer-channel.ts";
import { wordMerger } from "../writing/word-merger.ts";
import { answerCalls, type ThreadData } from "./thread.ts";

const { path, collections, busyTimeout } = workerData as ThreadData; // as passed at the start
const database = connectToSqliteFile(path, busyTimeout);
const committer = new SqliteCommitter(database, collections, busyTimeout, path);
database.exec(`
  PRAGMA busy_timeout = 0;    -- from here on each transaction waits by itself
  PRAGMA cache_size = -32768; -- KiB, for the pages of the indexes: a long load takes 50 µs a record, and 72 with the usual 2000
`);
const boundLog = boundedLog(database, path, 0);
const merger = wordMerger(database, collections);
answerCalls<CommitterCalls>(committer, {
  afterAnswer() {
    if (database.isTransaction) return;
    if (committer.takeRemovals()) merger.removed();
    boundLog();
  },
  close() {
    merger.close();
    database.close();
  },
});
