import type { StoredCollection } from "../../../database.ts";
import type { SnapshotRemoval } from "../../contract/snapshot.ts";
import type { StoredRecord } from "../../contract/store.ts";
import type { StoredRow } from "../../writing/decide.ts";
import { type NewRecord, toStoredJson } from "../../writing/write.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { Statement } from "../connections/session.ts";
import { comparedBy, withoutUnique, wordsBy } from "./columns.ts";
import { idSequence, nextOf, quoteName, quoteText, revisionSequence, toArrayText } from "./sql.ts";

/** The statements that put rows into the table of a collection, any number at once. */
export interface PostgresRows {
  /**
   * Creates records of which none chooses its id, in one statement: each that conflicts with nothing, and has an owner that exists. Returns
   * them in the order of what was given; undefined for each that was not stored.
   */
  create(connection: PostgresConnection, records: readonly NewRecord[]): Promise<readonly (StoredRecord | undefined)[]>;
  /** Stores rows whose ids are new. Returns the revision that each has now, by its id. */
  insert(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<Revisions>;
  /** Stores rows in place of those with the same ids, and returns their revisions. */
  update(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<Revisions>;
  /** Stores rows with their revisions, and replaces those with the same ids where they exist. */
  put(connection: PostgresConnection, rows: readonly StoredRow[]): Promise<unknown>;
  /** Clears the unique values of rows that are stored again in the same transaction, so that other rows can have them. */
  releaseUniqueKeys(connection: PostgresConnection, ids: readonly number[]): Promise<void>;
}

/** Revisions by the ids of their records. */
export type Revisions = readonly (readonly [id: number, revision: number])[];

/** Makes the statements for the rows of a collection. */
export function postgresRows(definition: StoredCollection): PostgresRows {
  const table = quoteName(definition.name);
  const columns = rowColumns(definition);
  const counted = columns.filter(({ name }) => name !== "revision");
  const names = (sent: readonly RowColumn[]): string => sent.map(({ name }) => name).join(", ");
  const changes = counted.slice(1).map(({ name }) => `${name} = rows.${name}`);
  const revision = nextOf(revisionSequence(definition.name));
  const insertion = `INSERT INTO ${table} (revision, tx, ${names(counted)})
    SELECT ${revision}, pg_current_xact_id(), ${names(counted)} FROM ${sourceOf(counted)}
    RETURNING id, revision`;
  const replacement = `UPDATE ${table} AS stored SET revision = ${revision}, tx = pg_current_xact_id(), ${changes.join(", ")}
    FROM ${sourceOf(counted)} WHERE stored.id = rows.id RETURNING stored.id, stored.revision`;
  // The feed has what is restored before all else.
  const restored = `INSERT INTO ${table} (tx, ${names(columns)})
    SELECT '0', ${names(columns)} FROM ${sourceOf(columns)}`;
  const creation = creationOf(definition, columns);

  const statement = (
    name: string,
    text: string,
    rows: readonly StoredRow[],
    sent: readonly RowColumn[] = counted,
  ): Statement => {
    const documents = rows.map(({ record }): unknown => JSON.parse(record.json));
    const values = sent.map(({ toValue }) => toArrayText(rows.map((row, n) => toValue(row, documents[n]))));
    return { name: `waymark ${name} ${table}`, text, values };
  };
  const store = async (connection: PostgresConnection, stored: Statement): Promise<Revisions> => {
    const rows = await connection.query<readonly [id: string, revision: string]>(stored);
    return rows.map(([id, revision]) => [Number(id), Number(revision)]);
  };

  return {
    async create(connection, records) {
      const rows = records.map(({ members, time, owner }): StoredRow => {
        return { record: { id: 0, revision: 0, updatedAt: time, json: members }, createdAt: time, owner };
      });
      const texts = records.map(({ members, time }) => {
        return toStoredJson(members, { id: 0, createdAt: time, updatedAt: time }).slice(beforeMembers.length);
      });
      const { name, text, values } = statement("create in", creation.text, rows, creation.sent);
      const stored = await connection.query<readonly [place: string, id: string, revision: string]>({
        ...(name !== undefined && { name }),
        text,
        values: [toArrayText(texts), ...(values ?? [])],
      });
      const created: (StoredRecord | undefined)[] = records.map(() => undefined);
      for (const [place, id, revision] of stored) {
        const at = Number(place) - 1;
        const json = `{"id":${id}${texts[at]}`;
        created[at] = { id: Number(id), revision: Number(revision), updatedAt: records[at]?.time ?? 0, json };
      }
      return created;
    },
    insert: (connection, rows) => store(connection, statement("insert into", insertion, rows)),
    update: (connection, rows) => store(connection, statement("update", replacement, rows)),
    put(connection, rows) {
      const changes = columns.slice(1).map(({ name }) => `${name} = excluded.${name}`);
      const text = `${restored} ON CONFLICT (id) DO UPDATE SET ${changes.join(", ")}`;
      return connection.query(statement("put into", text, rows, columns));
    },
    async releaseUniqueKeys(connection, ids) {
      if (definition.unique.length === 0 || ids.length === 0) return;
      await connection.query({
        name: `waymark release unique keys of ${table}`,
        text: `UPDATE ${table} SET compared = ${withoutUnique(definition)} WHERE id = ANY($1::bigint[])`,
        values: [toArrayText(ids)],
      });
    },
  };
}

/** The beginning of a document of `toStoredJson` whose id is 0. */
const beforeMembers = '{"id":0';

/**
 * Makes the statement of `create`. Its first parameter has the documents behind their ids, the others the values of the columns that are
 * sent. An id that a record has or had, because a client has chosen it, leaves its record out.
 */
function creationOf(
  definition: StoredCollection,
  columns: readonly RowColumn[],
): { readonly text: string; readonly sent: readonly RowColumn[] } {
  const { name: collection, owner } = definition;
  const table = quoteName(collection);
  const made = new Set(["id", "revision", "updated_at", "document"]);
  const sent = columns.filter(({ name }) => !made.has(name));
  const names = sent.map(({ name }) => name);
  const arrays = ["text", ...sent.map(({ type }) => type)].map((type, position) => `$${position + 1}::${type}[]`);
  const isOwned =
    owner === undefined ? "" : `WHERE EXISTS (SELECT FROM ${quoteName(owner.collection)} WHERE id = owner)`;
  const text = `WITH sent AS MATERIALIZED (
      SELECT *, ${nextOf(idSequence(collection))} AS id
        FROM unnest(${arrays.join(", ")}) WITH ORDINALITY AS rows (members, ${names.join(", ")}, place)
        ${isOwned}
    ), named AS (
      SELECT *, '{"id":' || id || members AS document FROM sent WHERE
        (SELECT id FROM waymark_removals WHERE collection = ${quoteText(collection)} AND waymark_removals.id = sent.id LIMIT 1) IS NULL
    ), stored AS (
      INSERT INTO ${table} (id, revision, tx, updated_at, document, ${names.join(", ")})
        SELECT id, ${nextOf(revisionSequence(collection))}, pg_current_xact_id(), created_at, document,
          ${names.join(", ")} FROM named
        ON CONFLICT DO NOTHING RETURNING id, revision
    )
    SELECT place, id, revision FROM stored JOIN sent USING (id)`;
  return { text, sent };
}

/** A column of the rows that a statement sends. */
interface SentColumn {
  /** The name, quoted. */
  readonly name: string;
  /** The type of its values. */
  readonly type: string;
}

/** Makes the source of the sent rows: each parameter has all values of one column, the first of them is `$1`. */
function sourceOf(columns: readonly SentColumn[]): string {
  const arrays = columns.map(({ type }, position) => `$${position + 1}::${type}[]`);
  return `unnest(${arrays.join(", ")}) AS rows (${columns.map(({ name }) => name).join(", ")})`;
}

interface RowColumn extends SentColumn {
  readonly toValue: (row: StoredRow, document: unknown) => string | number | null;
}

/** The columns of a row, but its transaction. */
function rowColumns(definition: StoredCollection): readonly RowColumn[] {
  const [compared, words] = [comparedBy(definition), wordsBy(definition)];
  const column = (name: string, type: string, toValue: RowColumn["toValue"]): RowColumn => ({ name, type, toValue });
  return [
    column("id", "bigint", ({ record }) => record.id),
    column("revision", "bigint", ({ record }) => record.revision),
    column("created_at", "bigint", ({ createdAt }) => createdAt),
    column("updated_at", "bigint", ({ record }) => record.updatedAt),
    ...(definition.owner === undefined ? [] : [column("owner", "bigint", ({ owner }) => owner ?? null)]),
    column("document", "text", ({ record }) => record.json),
    column("compared", "jsonb", (_row, document) => compared(document)),
    column("words", "jsonb", (_row, document) => words(document)),
  ];
}

/**
 * Removes the records of these removals where they exist, and keeps all of the ids from being assigned again.
 *
 * @param areRestored whether the removals have the revisions that they had; otherwise they are counted now
 */
export type RemoveRecords = (
  connection: PostgresConnection,
  removals: readonly SnapshotRemoval[],
  areRestored?: boolean,
) => Promise<void>;

/**
 * Returns what removes records of a collection with all records that they own, directly or through others. Owned records are
 * removed first, because no record may be without its owner. Each removal of an owned record is counted, and its id is never
 * assigned again.
 */
export function removalOfRecords(
  { name: collection }: StoredCollection,
  collections: readonly StoredCollection[],
): RemoveRecords {
  const statements = [
    ...removalsOfOwned(collection, "$1::bigint[]", collections),
    `DELETE FROM ${quoteName(collection)} WHERE id = ANY($1::bigint[])`,
  ];

  return async (connection, removals, areRestored = false) => {
    const values = [toArrayText(removals.map(({ id }) => id))];
    const [revision, tx] = areRestored
      ? ["rows.revision", "'0'::xid8"]
      : [nextOf(revisionSequence(collection)), "pg_current_xact_id()"];
    await Promise.all([
      ...statements.map((text, position) =>
        connection.query({ name: `waymark remove from ${collection} ${position}`, text, values, isLong: true }),
      ),
      connection.query({
        name: `waymark mark removed from ${collection}${areRestored ? " before" : ""}`,
        text: `INSERT INTO waymark_removals (collection, id, revision, tx, owner)
          SELECT $4, id, ${revision}, ${tx}, owner
            FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS rows (id, revision, owner)
          ON CONFLICT (collection, id) DO UPDATE
            SET revision = excluded.revision, tx = excluded.tx, owner = excluded.owner`,
        values: [
          ...values,
          toArrayText(removals.map(({ revision }) => revision)),
          toArrayText(removals.map(({ owner }) => owner)),
          collection,
        ],
      }),
    ]);
  };
}

/** Makes the statements that remove the records whose owners have some ids, given as an expression; the last level first. */
function removalsOfOwned(owner: string, ids: string, collections: readonly StoredCollection[]): readonly string[] {
  return collections
    .filter((definition) => definition.owner?.collection === owner)
    .flatMap(({ name }) => {
      const condition = `owner = ANY(${ids})`;
      const owned = `ARRAY(SELECT id FROM ${quoteName(name)} WHERE ${condition})`;
      return [
        ...removalsOfOwned(name, owned, collections),
        // The table has the counters of before the update.
        `WITH removed AS (DELETE FROM ${quoteName(name)} WHERE ${condition} RETURNING id, owner)
        INSERT INTO waymark_removals (collection, id, revision, tx, owner)
          SELECT ${quoteText(name)}, id, ${nextOf(revisionSequence(name))}, pg_current_xact_id(), owner FROM removed`,
      ];
    });
}
