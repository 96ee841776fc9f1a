import { StoreCursorGone } from "../../contract/errors.ts";
import type { Engine, EngineChanges, FeedRange } from "../../engine.ts";
import { type FeedPlace, isSealOf } from "../../reading/feed-cursor.ts";
import { type RecordRow, toRecord } from "../../table/rows.ts";
import { toSelectionFault } from "../connections/fault.ts";
import type { PostgresPool, ReadSeries } from "../connections/pool.ts";
import type { PartitionedCollection } from "../table/partitions.ts";
import { partitionTerm, quoteName, toArrayText } from "../table/sql.ts";

/**
 * Makes what reads the changes of a collection, each partition in its order. One statement reads them, the counters and the seals in one
 * state.
 */
export function postgresFeed(pool: PostgresPool, { name, partitions = 1 }: PartitionedCollection): Engine["changes"] {
  /** Reads the changes of all partitions, of which these share the room. */
  const read = async (
    range: FeedRange,
    places: readonly (FeedPlace | undefined)[],
    sharing: readonly number[],
  ): Promise<readonly FoundPart[]> => {
    const { after, owner, most, size } = range;
    const shares = new Map(sharing.map((partition, n) => [partition, Math.ceil((most - n) / sharing.length)]));
    const shareOf = (partition: number): number => Math.max(0, shares.get(partition) ?? 0);
    const series: ReadSeries<FeedRow> = {
      isBehind: (rows) => headsOf(rows).some(({ head, readOnly }, i) => readOnly && head < (places[i]?.revision ?? 0)),
    };
    const statement = {
      name: `waymark changes of ${quoteName(name)}${owner === undefined ? "" : " of an owner"}`,
      text: textOf(owner !== undefined),
      values: [
        name,
        toArrayText(places.map((place) => place?.revision ?? (after === "now" ? null : 0))),
        toArrayText(places.map((_, partition) => shareOf(partition))),
        Math.ceil(most / sharing.length),
        Math.ceil(size / sharing.length),
        ...(owner === undefined ? [] : [owner]),
      ],
    };
    const rows = await pool.read<FeedRow>(statement, toSelectionFault, range, series);
    const heads = headsOf(rows);
    const isGone = heads.some(({ head, sealBefore }, i) => {
      const place = places[i];
      return place !== undefined && (place.revision > head || !isSealOf(place.seal, sealBefore));
    });
    if (isGone || heads.length !== partitions) throw gone(name);
    const byPartition = Map.groupBy(rows.filter(isChange), ([_heads, partition]) => Number(partition));
    return heads.map((head, partition) => {
      const before = after === "now" ? head.head : (places[partition]?.revision ?? 0);
      return partOf(head, before, byPartition.get(partition) ?? [], shareOf(partition) > 0);
    });
  };

  /**
   * Makes the statement. Its parameters are the collection, the places, the most changes of each partition, the greatest of these
   * numbers, the most characters of a partition, and the owner. The first of its rows is that of the partitions.
   */
  const textOf = (isOfOwner: boolean): string => {
    const table = quoteName(name);
    const term = partitionTerm(partitions);
    const isInPartition = term === undefined ? "" : `AND ${term} = partition`;
    const isOwned = isOfOwner ? "AND owner = $6" : "";
    const order = isOfOwner ? "owner, revision" : "revision";
    return `WITH counter AS MATERIALIZED (
        SELECT partition, revision AS head, coalesce(asked.after, revision) AS after, asked.share,
          CASE WHEN current_setting('transaction_read_only') = 'on' THEN 1 ELSE 0 END AS read_only
        FROM waymark_collections
        JOIN unnest($2::bigint[], $3::integer[]) WITH ORDINALITY AS asked (after, share, place) ON asked.place = partition + 1
        WHERE name = $1
      )
      SELECT string_agg(concat_ws(' ', head, read_only, coalesce(${sealAt("after")}, -1), coalesce(${sealAt("head")}, 0)), ',' ORDER BY partition),
        NULL, NULL, NULL, NULL, NULL, NULL FROM counter
      UNION ALL
      SELECT NULL, partition, id, revision, updated_at, document,
        CASE WHEN turn = share OR following IS NULL OR before + size >= $5 THEN concat_ws(' ',
          coalesce(${sealAt("change.revision")}, 0), CASE WHEN turn = share OR following IS NOT NULL THEN 1 ELSE 0 END) END
      FROM counter CROSS JOIN LATERAL (
        SELECT *, row_number() OVER in_order AS turn, lead(revision) OVER in_order AS following,
          sum(size) OVER in_order - size AS before
        FROM (
          SELECT * FROM (
            (SELECT id, revision, size, updated_at, document FROM ${table}
              WHERE revision > after ${isInPartition} ${isOwned} ORDER BY ${order} LIMIT $4)
            UNION ALL
            (SELECT id, revision, 0, NULL, NULL FROM waymark_removals
              WHERE collection = $1 AND waymark_removals.partition = counter.partition AND revision > after ${isOwned}
              ORDER BY revision LIMIT $4)
          ) AS either ORDER BY revision LIMIT $4
        ) AS oldest
        WINDOW in_order AS (ORDER BY revision ROWS UNBOUNDED PRECEDING)
      ) AS change WHERE turn <= share AND before < $5`;
  };

  /**
   * @throws StoreCursorGone (rejects) when the database does not have the changes up to the places, or has others there
   * @throws StoreUnavailable (rejects) when the server is a standby that does not have them yet
   */
  return async (range) => {
    const { after, most } = range;
    const given = after === "now" ? undefined : after;
    if (given !== undefined && partitions % given.length !== 0) throw gone(name);
    // In a copy with more partitions, each has the ids of one partition of before.
    const places = Array.from({ length: partitions }, (_, partition) => given?.[partition % given.length]);
    // Each has the first turn now and then: with few turns, not all have one.
    const first = places.reduce((sum, place) => sum + (place?.revision ?? 0), 0);
    const everyOne = Array.from(places, (_, n) => (first + n) % places.length);
    const found = await read(range, places, everyOne);
    const cut = everyOne.filter((partition) => found[partition]?.hasMore);
    const count = found.reduce((sum, { changes }) => sum + changes.length, 0);
    // Where few partitions have more, or none of those that had a turn, the others share the room of all.
    const areFew = 2 * cut.length <= places.length && 2 * count < most;
    const isShort = cut.length > 0 && (count === 0 || areFew);
    const others = cut.reduce((sum, partition) => sum - (found[partition]?.changes.length ?? 0), count);
    const again = isShort ? await read({ ...range, most: most - others }, places, cut) : [];
    const parts = found.map((part, partition) => (cut.includes(partition) ? (again[partition] ?? part) : part));
    let length = 0;
    for (const partition of everyOne) {
      const part = parts[partition] as FoundPart; // there is one of each
      if (length >= range.size) parts[partition] = { ...part, changes: [], end: part.start, hasMore: part.hasAny };
      else length += lengthOf(part);
    }
    return {
      changes: parts.flatMap(({ changes }) => changes),
      places: parts.map(({ end }) => end),
      hasMore: parts.some(({ hasMore }) => hasMore),
    };
  };
}

/** The heads of the partitions as one text, or a change. */
type FeedRow = readonly [heads: string, ...(readonly null[])] | ChangeRow;

/** A change of a partition. A removal has no document. The last change has a mark: the seal at it, and whether there may be others. */
type ChangeRow = readonly [
  heads: null,
  partition: string,
  id: string,
  revision: string,
  updatedAt: string | null,
  json: string | null,
  mark: string | null,
];

/** The state of a partition. */
interface PartitionHead {
  /** Its last revision. */
  readonly head: number;
  readonly readOnly: boolean;
  /** The seal at the place before the changes, if it has one. */
  readonly sealBefore: number | undefined;
  /** The seal at its last revision. */
  readonly seal: number;
}

/** What was read of a partition. */
interface FoundPart {
  /** The place before the changes, and whether there are any behind it. */
  readonly start: FeedPlace;
  readonly hasAny: boolean;
  readonly changes: EngineChanges["changes"];
  /** The place behind them; the last one where the partition has no others. */
  readonly end: FeedPlace;
  readonly hasMore: boolean;
}

function headsOf(rows: readonly FeedRow[]): readonly PartitionHead[] {
  const texts = rows.find((row) => !isChange(row))?.[0]?.split(",") ?? [];
  return texts.map((text) => {
    const [head = 0, readOnly, sealBefore = -1, seal = 0] = text.split(" ").map(Number);
    return { head, readOnly: readOnly === 1, sealBefore: sealBefore < 0 ? undefined : sealBefore, seal };
  });
}

const isChange = (row: FeedRow): row is ChangeRow => row[0] === null;

/**
 * @param before the revision behind which the changes are
 * @param hasShare whether any were asked for
 */
function partOf(
  { head, seal, sealBefore = 0 }: PartitionHead,
  before: number,
  rows: readonly ChangeRow[],
  hasShare: boolean,
): FoundPart {
  const inOrder = rows.toSorted((one, other) => Number(one[3]) - Number(other[3]));
  const part = { start: { revision: before, seal: sealBefore }, hasAny: before < head, changes: inOrder.map(toChange) };
  const last = inOrder.at(-1);
  const [sealAtLast = 0, isCut] = last?.[6]?.split(" ").map(Number) ?? [];
  if (last === undefined ? hasShare : isCut === 0) {
    return { ...part, end: { revision: Math.max(head, before), seal }, hasMore: false };
  }
  const end = last === undefined ? part.start : { revision: Number(last[3]), seal: sealAtLast };
  return { ...part, end, hasMore: end.revision < head };
}

const lengthOf = ({ changes }: FoundPart): number =>
  changes.reduce((sum, change) => sum + (change.kind === "stored" ? change.record.json.length : 0), 0);

function toChange([, , id, revision, updatedAt, json]: ChangeRow): EngineChanges["changes"][number] {
  if (json === null) return { kind: "removed", id: Number(id), revision: Number(revision) };
  return { kind: "stored", record: toRecord([id, revision, updatedAt, json] as RecordRow<string>) }; // no record lacks one of them
}

const sealAt = (revision: string): string =>
  `(SELECT seal FROM waymark_seals WHERE collection = $1 AND waymark_seals.partition = counter.partition
    AND waymark_seals.revision <= ${revision} ORDER BY waymark_seals.revision DESC LIMIT 1)`;

const gone = (collection: string): StoreCursorGone =>
  new StoreCursorGone(
    `The database does not have the changes of ${collection} before the cursor: begin again without one`,
  );
