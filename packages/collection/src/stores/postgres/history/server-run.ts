import { setTimeout as elapse } from "node:timers/promises";
import type { PostgresConnection } from "../connections/connection.ts";
import type { PostgresPool } from "../connections/pool.ts";
import type { Statement } from "../connections/session.ts";
import type { Ask } from "./seals.ts";

// A database goes back to an older state only where its server starts again or another one takes its place, or where its tables are
// made again. So the database has the name of the run of the server in which a program has last compared what it knew. In another
// run, programs that know what was committed compare first, and others wait for them before they change anything.

/** The present run, and the one that the database names. */
interface Runs {
  /** Undefined where the database names it, and where nothing is to be compared. */
  readonly unnamed: string | undefined;
  /** Whether the database names no run, because its tables are new. */
  readonly isFirst: boolean;
}

async function askRuns(ask: Ask): Promise<Runs> {
  const [[run, named, readOnly] = []] = await ask({
    text: `SELECT concat(extract(epoch FROM pg_postmaster_start_time()), ' ', to_regclass('waymark_collections')::oid),
      (SELECT server_run FROM waymark_layout), current_setting('transaction_read_only')`,
  });
  const isCompared = run == null || run === named || readOnly === "on";
  return { unnamed: isCompared ? undefined : run, isFirst: named === null };
}

const naming = (run: string): Statement => ({ text: "UPDATE waymark_layout SET server_run = $1", values: [run] });

/** Gives programs that know what was committed the time to find that some of it is lost, in a new run of the server. */
export async function awaitObjections(connection: PostgresConnection): Promise<void> {
  for (const deadline = performance.now() + patience; ; await elapse(100)) {
    const { unnamed, isFirst } = await askRuns((statement) => connection.queryAlone(statement));
    if (unnamed === undefined) return;
    if (!isFirst && performance.now() < deadline) continue;
    await connection.queryAlone(naming(unnamed));
    return;
  }
}

/** In milliseconds. A running program notices the end of its connections at once, and tries to connect more often than this. */
const patience = 2000;

/**
 * Compares what this program knows with the database as soon as it can be reached after a connection broke, whether or not there
 * are requests.
 */
export interface PostgresServerRuns {
  /** Must be called when a connection has ended. */
  onEnd(): void;
  close(): void;
}

/** @param compare rejects when the database cannot be used */
export function postgresServerRuns(pool: PostgresPool, compare: () => Promise<unknown>): PostgresServerRuns {
  const closing = new AbortController();
  let isWatching = false;

  /** Tries until what this program knows is compared. */
  const watch = async (): Promise<void> => {
    while (isWatching) {
      await elapse(interval, undefined, { signal: closing.signal, ref: false });
      try {
        const { unnamed } = await askRuns((statement) => pool.read(statement));
        if (unnamed !== undefined) {
          await compare();
          await pool.read(naming(unnamed));
        }
        isWatching = false;
      } catch {
        // The server is away.
      }
    }
  };

  return {
    onEnd() {
      if (isWatching || closing.signal.aborted) return;
      isWatching = true;
      watch().catch(() => undefined); // it is closed
    },
    close() {
      closing.abort();
    },
  };
}

/** In milliseconds. */
const interval = 500;
