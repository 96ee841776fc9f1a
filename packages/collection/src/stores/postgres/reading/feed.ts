import type { StoredCollection } from "../../../database.ts";
import { cursorGone } from "../../contract/errors.ts";
import type { Engine, EngineChanges } from "../../engine.ts";
import { isInEra } from "../../reading/feed-cursor.ts";
import { type RecordRow, toRecord } from "../../table/rows.ts";
import { toSelectionFault } from "../connections/fault.ts";
import type { PostgresPool, ReadSeries } from "../connections/pool.ts";
import { quoteName } from "../table/sql.ts";

/** Makes what reads the changes of a collection in their order. One statement reads them and the revision in one state. */
export function postgresFeed(pool: PostgresPool, { name }: StoredCollection): Engine["changes"] {
  /** Makes the statement. Its parameters are the collection, the place, the most changes, the most characters, and the owner. */
  const textOf = (isOfOwner: boolean): string => {
    const isOwned = isOfOwner ? "AND owner = $5" : "";
    const order = isOfOwner ? "owner, revision" : "revision";
    return `WITH counter AS MATERIALIZED (
        SELECT revision AS head, coalesce($2::bigint, revision) AS after,
          (SELECT era FROM waymark_era) AS era, (current_setting('transaction_read_only') = 'on')::integer::bigint AS read_only
        FROM waymark_collections WHERE name = $1
      )
      SELECT era, head, read_only, NULL, NULL, NULL FROM counter
      UNION ALL
      SELECT NULL, id, revision, updated_at, document, following FROM counter CROSS JOIN LATERAL (
        SELECT *, lead(revision) OVER in_order AS following, sum(size) OVER in_order - size AS before
        FROM (
          (SELECT id, revision, size, updated_at, document FROM ${quoteName(name)}
            WHERE revision > after ${isOwned} ORDER BY ${order} LIMIT $3 + 1)
          UNION ALL
          (SELECT id, revision, 0, NULL, NULL FROM waymark_removals
            WHERE collection = $1 AND revision > after ${isOwned} ORDER BY revision LIMIT $3 + 1)
          ORDER BY revision LIMIT $3 + 1
        ) AS either
        WINDOW in_order AS (ORDER BY revision ROWS UNBOUNDED PRECEDING)
      ) AS change WHERE before < $4`;
  };

  return async (range) => {
    const { after, owner, most, size } = range;
    const given = after === "now" ? undefined : after;
    const series: ReadSeries<FeedRow> = {
      isBehind: ([head]) => head?.[2] === "1" && Number(head[1]) < (given?.revision ?? 0),
    };
    const statement = {
      name: `waymark changes of ${quoteName(name)}${owner === undefined ? "" : " of an owner"}`,
      text: textOf(owner !== undefined),
      values: [
        name,
        after === "now" ? null : (given?.revision ?? 0),
        most,
        size,
        ...(owner === undefined ? [] : [owner]),
      ],
    };
    const [first, ...rows] = await pool.read<FeedRow>(statement, toSelectionFault, range, series);
    const [era = "", head] = first as HeadRow;
    const revision = Number(head);
    if (given !== undefined && (given.revision > revision || !isInEra(given, era))) throw cursorGone();
    const found = rows.slice(0, most) as readonly ChangeRow[]; // all but the first are changes
    const last = found.at(-1);
    // A change after the last one is known where the statement read one more, whether or not it sent it.
    const hasMore = last?.[5] != null;
    const end = hasMore ? Number(last?.[2]) : revision;
    return { changes: found.map(toChange), place: { era, tx: "0", revision: end }, hasMore, revision: end };
  };
}

type FeedRow = HeadRow | ChangeRow;

type HeadRow = readonly [era: string, head: string, readOnly: string, ...(readonly null[])];

/** A removal has no document. */
type ChangeRow = readonly [
  era: null,
  id: string,
  revision: string,
  updatedAt: string | null,
  json: string | null,
  following: string | null,
];

function toChange([, id, revision, updatedAt, json]: ChangeRow): EngineChanges["changes"][number] {
  if (json === null) return { kind: "removed", id: Number(id), revision: Number(revision) };
  return { kind: "stored", record: toRecord([id, revision, updatedAt, json] as RecordRow<string>) }; // no record lacks one of them
}
