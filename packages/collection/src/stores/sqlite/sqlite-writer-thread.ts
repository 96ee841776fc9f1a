// The program of the thread that writes. What it imports lies beside it or is Node's, so that it runs in whatever way the
// program does that starts it.
import { parentPort, workerData } from "node:worker_threads";
import type { CollectionDefinition } from "../../database.ts";
import { StoreOutcomeUnknown, StoreUnavailable } from "../../store.ts";
import { connectToSqliteFile } from "./sqlite-file.ts";
import { SqliteLog } from "./sqlite-log.ts";
import { SqliteTransactions } from "./sqlite-transactions.ts";
import type { CallArguments, CallResult, WriterCall } from "./sqlite-writer-channel.ts";

/** What the thread is started with. */
export interface WriterThreadData {
  /** Absolute. */
  readonly path: string;
  readonly collections: readonly CollectionDefinition[];
  /** Milliseconds. */
  readonly busyTimeout: number;
}

/** What the thread is told: what to do, or to end. */
export type WriterRequest = "close" | { readonly [C in WriterCall]: readonly [C, ...CallArguments<C>] }[WriterCall];

/** What the thread says: once that it is ready; then the answer to each request, in their order. */
export type WriterMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "done"; readonly result: CallResult<WriterCall> }
  // The classes of errors are lost between threads.
  | { readonly kind: "unavailable" | "unknown"; readonly reason: string; readonly cause: unknown }
  | { readonly kind: "failed"; readonly error: unknown };

const { path, collections, busyTimeout } = workerData as WriterThreadData; // as it is started
const database = connectToSqliteFile(path, busyTimeout);
const transactions = new SqliteTransactions(database, collections, busyTimeout);
database.exec(`
  PRAGMA busy_timeout = 0;    -- from here on each transaction waits by itself
  PRAGMA cache_size = -32768; -- KiB, for the pages of the indexes: a long load takes 50 µs a record, and 72 with the usual 2000
`);
const log = new SqliteLog(database, path);
const say = (message: WriterMessage): void => parentPort?.postMessage(message);

parentPort?.on("message", (request: WriterRequest) => {
  if (request === "close") {
    database.close();
    parentPort?.close();
    return;
  }
  say(answer(request));
  if (!database.isTransaction) log.bound(); // after the answer, which need not wait for it
});
say({ kind: "ready" });

function answer(request: Exclude<WriterRequest, "close">): WriterMessage {
  try {
    return { kind: "done", result: perform(request) };
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) return { kind: "failed", error };
    const kind = error instanceof StoreOutcomeUnknown ? "unknown" : "unavailable";
    return { kind, reason: error.message, cause: error.cause };
  }
}

function perform(request: Exclude<WriterRequest, "close">): CallResult<WriterCall> {
  switch (request[0]) {
    case "commit":
      return transactions.commit(request[1]);
    case "beginLoad":
      return transactions.beginLoad(request[1], request[2]);
    case "load":
      return transactions.load(request[1]);
    case "endLoad":
      return transactions.endLoad();
    case "abandonLoad":
      return transactions.abandonLoad();
  }
}
