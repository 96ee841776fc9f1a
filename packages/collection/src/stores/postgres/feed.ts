import { StoreCursorGone } from "../../store-errors.ts";
import type { EngineChanges, FeedRange } from "../engine.ts";
import { isSealOf } from "../feed-cursor.ts";
import { type RecordRow, toRecord } from "../rows.ts";
import { toSelectionFault } from "./fault.ts";
import type { PartitionedCollection } from "./partitions.ts";
import type { PostgresPool, ReadSeries } from "./pool.ts";
import { partitionTerm, quoteName, toArrayText } from "./sql.ts";

/** Reads the changes of a collection, each partition in its order. One statement reads them, the counters and the seals in one state. */
export class PostgresFeed {
  readonly #pool: PostgresPool;
  readonly #collection: string;
  readonly #partitions: number;

  constructor(pool: PostgresPool, { name, partitions = 1 }: PartitionedCollection) {
    this.#pool = pool;
    this.#collection = name;
    this.#partitions = partitions;
  }

  /**
   * @throws StoreCursorGone (rejects) when the database does not have the changes up to the places, or has others there
   * @throws StoreUnavailable (rejects) when the server is a standby that does not have them yet
   */
  async read({ after, owner, most, size, signal, caller }: FeedRange): Promise<EngineChanges> {
    const given = after === "now" ? undefined : after;
    if (given !== undefined && this.#partitions % given.length !== 0) throw gone(this.#collection);
    // In a copy with more partitions, each has the ids of one partition of before.
    const places = Array.from({ length: this.#partitions }, (_, partition) => given?.[partition % given.length]);
    const series: ReadSeries<FeedRow> = {
      isBehind: (rows) => headsOf(rows).some(({ head, readOnly }, i) => readOnly && head < (places[i]?.revision ?? 0)),
    };
    const statement = {
      name: `waymark changes of ${quoteName(this.#collection)}${owner === undefined ? "" : " of an owner"}`,
      text: owner === undefined ? this.#text(false) : this.#text(true),
      values: [
        this.#collection,
        toArrayText(places.map((place) => place?.revision ?? (after === "now" ? null : 0))),
        most,
        atOnce(most, this.#partitions),
        size,
        ...(owner === undefined ? [] : [owner]),
      ],
    };
    const options = { ...(signal && { signal }), ...(caller !== undefined && { caller }) };
    const rows = await this.#pool.read<FeedRow>(statement, toSelectionFault, options, series);
    const heads = headsOf(rows);
    const isGone = heads.some(({ head, sealBefore }, i) => {
      const place = places[i];
      return place !== undefined && (place.revision > head || !isSealOf(place.seal, sealBefore));
    });
    if (isGone || heads.length !== this.#partitions) throw gone(this.#collection);
    return {
      changes: rows.slice(1).map(toChange),
      places: heads.map(({ end, seal }) => ({ revision: end, seal })),
      hasMore: heads.some(({ head, end }) => end < head),
    };
  }

  /**
   * Makes the statement. Its parameters are the collection, the places, the most changes of all and of a partition, the size, and the
   * owner. The first of its rows is that of the partitions.
   *
   * The partitions take turns, so that none waits for the others. Where a partition has nothing more, its new place is its last
   * revision.
   */
  #text(isOfOwner: boolean): string {
    const table = quoteName(this.#collection);
    const term = partitionTerm(this.#partitions);
    const isInPartition = term === undefined ? "" : `AND ${term} = partition`;
    const isOwned = isOfOwner ? "AND owner = $6" : "";
    const order = isOfOwner ? "owner, revision" : "revision";
    return `WITH counter AS MATERIALIZED (
        SELECT partition, revision AS head, coalesce(asked.after, revision) AS after,
          CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only
        FROM waymark_collections
        JOIN unnest($2::bigint[]) WITH ORDINALITY AS asked (after, place) ON asked.place = partition + 1
        WHERE name = $1
      ), found AS MATERIALIZED (
        SELECT partition, change.*, row_number() OVER (PARTITION BY partition ORDER BY revision) AS turn
        FROM counter CROSS JOIN LATERAL (
          SELECT * FROM (
            (SELECT id, revision, size, false AS is_removal FROM ${table}
              WHERE revision > after ${isInPartition} ${isOwned} ORDER BY ${order} LIMIT $4)
            UNION ALL
            (SELECT id, revision, 0, true FROM waymark_removals
              WHERE collection = $1 AND waymark_removals.partition = counter.partition AND revision > after ${isOwned}
              ORDER BY revision LIMIT $4)
          ) AS either ORDER BY revision LIMIT $4
        ) AS change
      ), sized AS MATERIALIZED (
        SELECT *, row_number() OVER in_turn <= $3 AND sum(size) OVER in_turn - size < $5 AS is_sent FROM found
        WINDOW in_turn AS (ORDER BY turn, partition ROWS UNBOUNDED PRECEDING)
      ), place AS (
        SELECT counter.partition, head, after, read_only,
          CASE WHEN count(sized.id) < $4 AND count(sized.id) = count(sized.id) FILTER (WHERE is_sent) THEN greatest(head, after)
            ELSE coalesce(max(sized.revision) FILTER (WHERE is_sent), after) END AS ending
        FROM counter LEFT JOIN sized ON sized.partition = counter.partition
        GROUP BY counter.partition, head, after, read_only
      )
      SELECT string_agg(concat_ws(' ', head, read_only, ending, coalesce(${sealAt("after")}, -1), coalesce(${sealAt("ending")}, 0)), ',' ORDER BY partition),
        NULL, NULL, NULL, NULL, 0 AS turn, 0 AS partition FROM place
      UNION ALL
      SELECT NULL, sized.id, sized.revision, record.updated_at, record.document, turn, sized.partition
      FROM sized LEFT JOIN LATERAL (SELECT * FROM ${table} WHERE id = sized.id AND NOT is_removal LIMIT 1) AS record ON true
      WHERE is_sent ORDER BY turn, partition`;
  }
}

/** The heads of the partitions as one text, or a change; a removal has no document. */
type FeedRow = readonly [
  heads: string | null,
  ...([id: string, revision: string, updatedAt: string | null, json: string | null] | [null, null, null, null]),
];

/** The state of a partition. */
interface PartitionHead {
  /** Its last revision. */
  readonly head: number;
  readonly readOnly: boolean;
  /** The place behind the changes that are read, and its seal. */
  readonly end: number;
  readonly seal: number;
  /** The seal at the place before them; undefined without a place before them. */
  readonly sealBefore: number | undefined;
}

function headsOf([row]: readonly FeedRow[]): readonly PartitionHead[] {
  const texts = row?.[0]?.split(",") ?? [];
  return texts.map((text) => {
    const [head = 0, readOnly, end = 0, sealBefore = -1, seal = 0] = text.split(" ").map(Number);
    return { head, readOnly: readOnly === 1, end, seal, sealBefore: sealBefore < 0 ? undefined : sealBefore };
  });
}

function toChange([, id, revision, updatedAt, json]: FeedRow): EngineChanges["changes"][number] {
  if (json === null) return { kind: "removed", id: Number(id), revision: Number(revision) };
  return { kind: "stored", record: toRecord([id, revision, updatedAt, json] as RecordRow<string>) }; // no record lacks one of them
}

/**
 * Returns how many changes are read of each partition: about twice its share. If one partition has all changes, a page is
 * shorter than it might be; if each read as many as a page has, the server would read them all for every page.
 */
const atOnce = (most: number, partitions: number): number =>
  partitions === 1 ? most : Math.min(most, Math.max(64, Math.ceil((2 * most) / partitions)));

const sealAt = (revision: string): string =>
  `(SELECT seal FROM waymark_seals WHERE collection = $1 AND waymark_seals.partition = place.partition
    AND waymark_seals.revision <= ${revision} ORDER BY waymark_seals.revision DESC LIMIT 1)`;

const gone = (collection: string): StoreCursorGone =>
  new StoreCursorGone(
    `The database does not have the changes of ${collection} before the cursor: begin again without one`,
  );
