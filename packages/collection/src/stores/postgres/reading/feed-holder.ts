import type { FeedHolder } from "../../contract/observer.ts";
import type { Ask } from "../connections/pool.ts";

/** Returns the oldest transaction that still runs, in whatever database of the server. */
export async function feedHolder(ask: Ask): Promise<FeedHolder> {
  const [[pid = null, database = null, prepared = null] = []] = await ask<readonly (string | null)[]>({
    text: `SELECT pid, coalesce(datname, database), gid
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::xid AS least) AS horizon
      LEFT JOIN pg_stat_activity ON backend_xid = least LEFT JOIN pg_prepared_xacts ON transaction = least`,
  });
  return { pid: pid === null ? null : Number(pid), database, prepared };
}
