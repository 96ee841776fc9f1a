import { setTimeout as elapse } from "node:timers/promises";
import type { StoredCollection } from "../../../database.ts";
import { cursorGone } from "../../contract/errors.ts";
import type { FeedHolder } from "../../contract/observer.ts";
import type { Engine, EngineChanges, FeedRange } from "../../engine.ts";
import { type FeedPlace, isInEra, stillBegan } from "../../reading/feed-cursor.ts";
import { type RecordRow, toRecord } from "../../table/rows.ts";
import { toSelectionFault } from "../connections/fault.ts";
import type { Ask, PostgresPool, ReadSeries } from "../connections/pool.ts";
import { quoteName, quoteText } from "../table/sql.ts";

/**
 * Makes what reads the changes of a collection in the order of their transactions. Those of a transaction come when every one that began
 * before it has ended: so no later read finds another change before a place. One statement reads them in one state.
 *
 * @param onRead called with whether a transaction that still runs kept changes from being read
 */
export function postgresFeed(
  pool: PostgresPool,
  { name }: StoredCollection,
  onRead: (isHeld: boolean) => void,
): Engine["changes"] {
  const changesOf = (table: string, columns: string, isOwned: string): string =>
    `SELECT ${columns} FROM ${table}, horizon WHERE (tx, revision) > (place_tx, place_revision) AND tx < least ${isOwned}
      ORDER BY ${isOwned === "" ? "" : "owner, "}tx, revision LIMIT $3 + 1`;
  const latestOf = (table: string, condition: string): string =>
    `(SELECT tx FROM ${table} WHERE true ${condition} ORDER BY tx DESC LIMIT 1)`;
  const lastOf = (table: string, condition: string): string =>
    `(SELECT tx, revision FROM ${table} WHERE tx < pg_snapshot_xmin(pg_current_snapshot()) ${condition}
      ORDER BY tx DESC, revision DESC LIMIT 1)`;
  const ofCollection = `AND collection = ${quoteText(name)}`;
  const tables = [
    [quoteName(name), ""],
    ["waymark_removals", ofCollection],
  ] as const;

  /**
   * Makes the statement. Its parameters are the place, the most changes, the most characters, the transaction before which removals do
   * not count (NULL: those that this statement can find), and the owner.
   */
  const textOf = (isOfOwner: boolean): string => {
    const isOwned = isOfOwner ? "AND owner = $6" : "";
    return `WITH horizon AS MATERIALIZED (
        SELECT pg_snapshot_xmin(pg_current_snapshot()) AS least, $1::text::xid8 AS place_tx, $2::bigint AS place_revision,
          coalesce($5::text::xid8, pg_snapshot_xmin(pg_current_snapshot())) AS began
      )
      SELECT era, least::text, (current_setting('transaction_read_only') = 'on')::integer::bigint, NULL::bigint, NULL::bigint,
        greatest('0'::xid8, ${tables.map(([table, condition]) => latestOf(table, condition)).join(", ")})::text, NULL::bigint
        FROM horizon, waymark_era
      UNION ALL
      SELECT NULL, tx::text, id, revision, updated_at, document, following FROM (
        SELECT *, lead(revision) OVER in_order AS following, sum(size) OVER in_order - size AS before
        FROM (
          (${changesOf(quoteName(name), "tx, revision, id, size, updated_at, document", isOwned)})
          UNION ALL
          (${changesOf("waymark_removals", "tx, revision, id, 0, NULL, NULL", `AND tx >= began ${ofCollection} ${isOwned}`)})
          ORDER BY tx, revision LIMIT $3 + 1
        ) AS either
        WINDOW in_order AS (ORDER BY tx, revision ROWS UNBOUNDED PRECEDING)
      ) AS change WHERE before < $4`;
  };

  /** Returns the place behind all changes. */
  const lastPlace = async (range: FeedRange): Promise<FeedPlace> => {
    const text = `SELECT era, coalesce(tx, '0')::text, coalesce(revision, 0) FROM waymark_era LEFT JOIN (
        SELECT tx, revision FROM (${tables.map(([table, condition]) => lastOf(table, condition)).join(" UNION ALL ")}) AS either
        ORDER BY tx DESC, revision DESC LIMIT 1
      ) AS last ON true`;
    const statement = { name: `waymark last change of ${quoteName(name)}`, text };
    const [[era = "", tx = "0", revision = "0"] = []] = await pool.read<readonly [string, string, string]>(
      statement,
      toSelectionFault,
      range,
    );
    return { era, tx, revision: Number(revision) };
  };

  const read = async (range: FeedRange, place: FeedPlace | undefined): Promise<readonly FeedRow[]> => {
    const { owner, most, size } = range;
    const { tx, revision } = place ?? { tx: "0", revision: 0 };
    const began = place === undefined ? null : (place.began ?? "0");
    const series: ReadSeries<FeedRow> = {
      isBehind: ([head]) => head?.[2] === "1" && place !== undefined && BigInt(head[1] ?? 0) <= BigInt(tx),
    };
    const statement = {
      name: `waymark changes of ${quoteName(name)}${owner === undefined ? "" : " of an owner"}`,
      text: textOf(owner !== undefined),
      values: [tx, revision, most, size, began, ...(owner === undefined ? [] : [owner])],
    };
    return pool.read<FeedRow>(statement, toSelectionFault, range, series);
  };

  return async (range) => {
    const { after, most } = range;
    if (after === "now") {
      const place = await lastPlace(range);
      return { changes: [], place, hasMore: false, revision: place.revision };
    }
    let rows = await read(range, after);
    // Whoever has changed something finds it, as a rule: the transactions that ran beside it end within milliseconds.
    const latest = BigInt(headOf(rows)[5]);
    for (let pause = 2; BigInt(headOf(rows)[1]) <= latest && rows.length <= most && pause <= longestPause; pause *= 2) {
      await elapse(pause);
      rows = await read(range, after);
    }
    const [era, horizon] = headOf(rows);
    const isHeld = BigInt(horizon) <= latest;
    onRead(isHeld);
    if (after !== undefined && !isInEra(after, era)) throw cursorGone();
    const found = rows.slice(1, most + 1) as readonly FeedRow[] as readonly ChangeRow[]; // all but the first are changes
    const last = found.at(-1);
    const began = after === undefined ? horizon : after.began;
    const { tx, revision } =
      last === undefined ? (after ?? { tx: "0", revision: 0 }) : { tx: last[1], revision: Number(last[3]) };
    const end: FeedPlace = { era, tx, revision, began: began && stillBegan(began, tx) };
    // A change after the last one is known where the statement read one more, whether or not it sent it.
    return { changes: found.map(toChange), place: end, hasMore: last?.[6] != null, isHeld, revision: end.revision };
  };
}

/** In milliseconds. */
const longestPause = 64;

type FeedRow = HeadRow | ChangeRow;

/** The era, the least transaction that still runs, whether the server is read-only, and the last transaction with a change. */
type HeadRow = readonly [era: string, horizon: string, readOnly: string, null, null, latest: string, null];

/** A removal has no document. */
type ChangeRow = readonly [
  era: null,
  tx: string,
  id: string,
  revision: string,
  updatedAt: string | null,
  json: string | null,
  following: string | null,
];

const headOf = (rows: readonly FeedRow[]): HeadRow => rows[0] as HeadRow; // the statement returns it first

function toChange([, , id, revision, updatedAt, json]: ChangeRow): EngineChanges["changes"][number] {
  if (json === null) return { kind: "removed", id: Number(id), revision: Number(revision) };
  return { kind: "stored", record: toRecord([id, revision, updatedAt, json] as RecordRow<string>) }; // no record lacks one of them
}

/** Returns the oldest transaction that still runs, in whatever database of the server. */
export async function feedHolder(ask: Ask): Promise<FeedHolder> {
  const [[pid = null, database = null, prepared = null] = []] = await ask<readonly (string | null)[]>({
    text: `SELECT pid, coalesce(datname, database), gid
      FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::xid AS least) AS horizon
      LEFT JOIN pg_stat_activity ON backend_xid = least LEFT JOIN pg_prepared_xacts ON transaction = least`,
  });
  return { pid: pid === null ? null : Number(pid), database, prepared };
}
