import type { Channel } from "./sqlite-channel.ts";
import type { SqliteQueries } from "./sqlite-queries.ts";
import type { ReaderThreadData } from "./sqlite-reader-thread.ts";
import { ThreadChannel } from "./sqlite-thread-channel.ts";

/** What a reader can have read. */
export type ReaderCalls = Pick<SqliteQueries, "batch" | "count">;

/** The way from a reader to the connection that it reads over. */
export type ReaderChannel = Channel<ReaderCalls>;

/** Reads in a thread of its own, so that nobody else waits meanwhile. */
export function threadedReader(data: ReaderThreadData): ReaderChannel {
  return new ThreadChannel({ file: "sqlite-reader-thread", data, task: "reads", committing: [] });
}
