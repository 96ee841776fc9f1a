import type { StoreUnavailable } from "./errors.ts";

/**
 * Receives what a database does, for logs, metrics and traces. The functions are called on the thread that serves and must not
 * throw. Nothing is timed without `onOperation` and `onCommit`.
 */
export interface DatabaseObserver {
  /** Called for each operation that failed because the database could not be used. */
  readonly onUnavailable?: ((error: StoreUnavailable) => void) | undefined;
  /** Called when an operation of a store has ended, in the asynchronous context of its caller. */
  readonly onOperation?: ((operation: StoreOperation) => void) | undefined;
  /** Called when changes that were committed together are committed, or have failed. */
  readonly onCommit?: ((commit: StoreCommit) => void) | undefined;
  /** Called once when a transaction on a server of PostgreSQL has kept followers from changes for more than a second. */
  readonly onFeedHeld?: ((holder: FeedHolder) => void) | undefined;
}

/** The transaction that keeps followers from changes; a part that the user of the database may not see is null. */
export interface FeedHolder {
  /** The number of its process; null for a prepared transaction. */
  readonly pid: number | null;
  readonly database: string | null;
  /** The name of a prepared transaction. */
  readonly prepared: string | null;
}

/** An operation of a store that has ended. Each batch of a list is an operation of its own. */
export interface StoreOperation {
  readonly collection: string;
  readonly name: "find" | "list" | "count" | "revision" | "changes" | "create" | "replace" | "remove" | "createAll";
  /** How long it took, its waiting included. */
  readonly milliseconds: number;
  /** What it failed with; undefined when it did not fail. */
  readonly error: unknown;
}

/** Makes a commit of some changes, and reports how long it took, and what it failed with. */
export async function reportedCommit<T>(
  onCommit: DatabaseObserver["onCommit"],
  changes: number,
  commit: () => Promise<T>,
): Promise<T> {
  const started = performance.now();
  let error: unknown;
  try {
    return await commit();
  } catch (fault) {
    error = fault;
    throw fault;
  } finally {
    onCommit?.({ changes, milliseconds: performance.now() - started, error });
  }
}

/** Changes that were committed together. */
export interface StoreCommit {
  readonly changes: number;
  readonly milliseconds: number;
  /** What it failed with; undefined when it did not fail. */
  readonly error: unknown;
}
