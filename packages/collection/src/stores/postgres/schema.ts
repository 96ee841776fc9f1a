import { hasSome, type TableShape, tableShape } from "../filled-columns.ts";
import { dueShape, type FilledColumn, filledColumns } from "./columns.ts";
import type { PostgresConnection } from "./connection.ts";
import { sqlState, sqlStateOf, UnusableDatabase } from "./fault.ts";
import { isThere, lockLayout } from "./migrations.ts";
import type { PartitionedCollection } from "./partitions.ts";
import { sentTypeOf, sourceOf, storedFrom } from "./rows.ts";
import { digestOf, nameOf, partitionTerm, quoteName, quoteText, toArrayText } from "./sql.ts";

/**
 * Makes the table of a collection where it is missing, and gives it exactly the columns that the definition asks for, filled,
 * within the transaction of the connection. Writes and locks nothing where the table is right. Returns the number of partitions of
 * the collection.
 *
 * Each statement must be repeatable: with an engine that makes tables outside of transactions, a start may continue where another
 * was interrupted. Until all is done, no program stores records in the table.
 *
 * @throws UnusableDatabase when the table belongs to another program or has another number of partitions, or when records share a
 *   value that must be unique
 */
export async function prepareCollection(
  connection: PostgresConnection,
  definition: PartitionedCollection,
): Promise<number> {
  const found = await findCollection(connection, definition);
  if (found !== undefined && isMade(found, definition)) return found.partitions;
  await lockLayout(connection);
  const present = await findCollection(connection, definition);
  if (present !== undefined && isMade(present, definition)) return present.partitions;
  await makeTable(connection, definition, present?.form);
  await note(connection, definition.name, tableShape(definition, [])); // no program stores records in a table of this form
  const partitions = present?.partitions ?? definition.partitions ?? 1;
  await makeColumns(connection, { ...definition, partitions }, present?.form);
  await note(connection, definition.name, dueShape(definition));
  return partitions;
}

async function makeTable(
  connection: PostgresConnection,
  definition: PartitionedCollection,
  present: string | undefined,
): Promise<void> {
  const { name: collection, owner, partitions = 1 } = definition;
  const table = quoteName(collection);
  if (await isThere(connection, table)) {
    if (present === undefined) {
      throw new UnusableDatabase(
        `it has a table ${table} of another program; name another database, or another schema by ?options=-c search_path=…`,
      );
    }
    await dropWithOtherOwner(connection, definition, present);
  }
  await connection.query({
    text: `INSERT INTO waymark_collections (name, partition, revision, last_id, form, seal, epoch)
      SELECT $1, partition, 0, 0, '', 0, coalesce((SELECT max(epoch) FROM waymark_collections), 1)
        FROM unnest($2::integer[]) AS rows (partition) ON CONFLICT DO NOTHING`,
    values: [collection, toArrayText([...Array(partitions).keys()])],
  });
  const statements = [
    `CREATE TABLE IF NOT EXISTS ${table} (
      id bigint PRIMARY KEY,
      revision bigint NOT NULL,
      created_at bigint NOT NULL, -- milliseconds since the epoch
      updated_at bigint NOT NULL,
      ${owner === undefined ? "" : `owner bigint NOT NULL REFERENCES ${quoteName(owner.collection)} (id),`}
      document text NOT NULL      -- the text that is sent
    )`,
    ...(owner === undefined ? [] : [makeIndex(collection, "owner", "(owner ASC, id ASC)")]),
  ];
  for (const text of statements) await connection.query({ text });
}

/**
 * Drops the indexes of a collection's table that storing and removing by id do not need. To store 60,000 records and make them
 * afterwards takes four fifths of the server's processor time.
 */
export async function dropIndexes(connection: PostgresConnection, definition: PartitionedCollection): Promise<void> {
  const columns = filledColumns(definition).filter(({ index }) => index !== undefined);
  const others = [...timeColumns, ...feedIndexes(definition).map(({ name }) => name)];
  const names = [...others, ...columns.map(({ name }) => name)].map((column) => nameOf(definition.name, column));
  for (const name of names) await connection.query({ text: `DROP INDEX IF EXISTS ${quoteName(name)}` });
}

/**
 * Makes the missing indexes of a collection's table, of which the definition has the number of partitions.
 *
 * @throws UnusableDatabase when records share a value that must be unique
 */
export async function makeIndexes(connection: PostgresConnection, definition: PartitionedCollection): Promise<void> {
  const { name: collection, owner } = definition;
  const ofOwner = owner === undefined ? "" : "owner ASC, ";
  for (const column of timeColumns) {
    await connection.query({ text: makeIndex(collection, column, `(${ofOwner}${column} ASC, id ASC)`) });
  }
  for (const index of feedIndexes(definition)) {
    await connection.query({ text: makeIndex(collection, index.name, index.definition) });
  }
  for (const column of filledColumns(definition)) await indexColumn(connection, collection, column);
}

/** The indexes on the revisions, by which the changes are read in their order: all of them, and those of an owner. */
function feedIndexes({
  owner,
  partitions = 1,
}: PartitionedCollection): readonly { readonly name: string; readonly definition: string }[] {
  const term = partitionTerm(partitions);
  const keys = term === undefined ? "revision ASC" : `${term} ASC, revision ASC`;
  const all = { name: "changes", definition: `(${keys})` };
  return owner === undefined ? [all] : [all, { name: "changes_of_owner", definition: `(owner ASC, ${keys})` }];
}

const timeColumns: readonly string[] = ["created_at", "updated_at"];

/**
 * Drops the table where its owner differs from that of the definition.
 *
 * @throws UnusableDatabase when there are records in it
 */
async function dropWithOtherOwner(
  connection: PostgresConnection,
  { name: collection, owner }: PartitionedCollection,
  present: string,
): Promise<void> {
  const { owner: presentOwner }: TableShape = JSON.parse(present);
  const dueOwner = owner?.collection ?? null;
  if (presentOwner === dueOwner) return;
  const table = quoteName(collection);
  const records = await connection.query({ text: `SELECT 1 FROM ${table} LIMIT 1` });
  if (records.length > 0) {
    const [is, due] = [presentOwner, dueOwner].map((name) => (name === null ? "by nobody" : `by ${name}`));
    throw new UnusableDatabase(
      `the records of ${collection} in it are owned ${is}, and are to be owned ${due}; remove them`,
    );
  }
  await connection.query({ text: `DROP TABLE ${table} CASCADE` });
}

/**
 * Drops the columns that the definition does not ask for, makes the missing ones, fills these and those whose content changed, and
 * makes the indexes.
 */
async function makeColumns(
  connection: PostgresConnection,
  definition: PartitionedCollection,
  present: string | undefined,
): Promise<void> {
  const { name: collection } = definition;
  const columns = filledColumns(definition);
  const there = new Set(await columnsOf(connection, quoteName(collection)));
  const unwanted = [...there].filter(
    (name) => !storeColumns.has(name) && columns.every((column) => column.name !== name),
  );
  const missing = columns.filter(({ name }) => !there.has(name));
  const textType = await textTypeOf(connection);
  const alterations = [
    ...unwanted.map((name) => `DROP COLUMN IF EXISTS ${quoteName(name)}`),
    ...missing.map(({ name, type }) => `ADD COLUMN IF NOT EXISTS ${quoteName(name)} ${textType(type)}`),
  ];
  if (alterations.length > 0) {
    await connection.query({ text: `ALTER TABLE ${quoteName(collection)} ${alterations.join(", ")}` });
  }
  const filled: TableShape["columns"] = present === undefined ? {} : (JSON.parse(present) as TableShape).columns;
  const due = columns.filter(({ name, content }) => !there.has(name) || filled[name] !== content);
  await fillColumns(connection, collection, due, membersDue(due, filled));
  await makeIndexes(connection, definition);
}

/** The store's own columns, in contrast to filled ones. */
const storeColumns: ReadonlySet<string> = new Set(["id", "revision", "created_at", "updated_at", "owner", "document"]);

async function columnsOf(connection: PostgresConnection, table: string): Promise<readonly string[]> {
  const rows = await connection.query<readonly [name: string]>({
    text: `SELECT attname FROM pg_attribute
      WHERE attrelid = to_regclass($1)::oid AND attnum > 0 AND NOT attisdropped`,
    values: [table],
  });
  return rows.map(([name]) => name);
}

/**
 * Returns a function that makes the declared type of a column. Text must compare by code points: where the database compares it by
 * the rules of a language, the type says so; elsewhere it does not, because an engine may not allow it.
 */
async function textTypeOf(connection: PostgresConnection): Promise<(type: FilledColumn["type"]) => string> {
  const [[isByCodePoints] = []] = await connection.query({ text: "SELECT 'B'::text < 'a'::text" });
  return (type) => (type.startsWith("text") && isByCodePoints !== "t" ? `${type} COLLATE "C"` : type);
}

async function indexColumn(connection: PostgresConnection, collection: string, column: FilledColumn): Promise<void> {
  const { name, index } = column;
  if (index === undefined) return;
  try {
    await connection.query({ text: makeIndex(collection, name, index.definition, index.unique !== undefined) });
  } catch (error) {
    if (index.unique === undefined || sqlStateOf(error) !== sqlState.uniqueViolation) throw error;
    throw new UnusableDatabase(
      `two records in it have the same ${index.unique}, which is to be unique; change one of them`,
      { cause: error },
    );
  }
}

const makeIndex = (collection: string, column: string, definition: string, isUnique = false): string =>
  `CREATE ${isUnique ? "UNIQUE " : ""}INDEX IF NOT EXISTS ${quoteName(nameOf(collection, column))}
    ON ${quoteName(collection)} ${definition}`;

/** What the database has of a collection. */
interface FoundCollection {
  /** The shape of its table; undefined before it is made. */
  readonly form: string | undefined;
  /** Whether programs may store records in a table of this shape. */
  readonly isNoted: boolean;
  readonly partitions: number;
}

/**
 * Returns what the database has of a collection; undefined where it has nothing.
 *
 * @throws UnusableDatabase when the definition asks for another number of partitions
 */
async function findCollection(
  connection: PostgresConnection,
  { name, partitions: asked }: PartitionedCollection,
): Promise<FoundCollection | undefined> {
  const [[count, digest, form] = []] = await connection.query({
    text: `SELECT count(*), max(waymark_collections.form), max(waymark_forms.form)
      FROM waymark_collections LEFT JOIN waymark_forms USING (name) WHERE name = $1`,
    values: [name],
  });
  const partitions = Number(count);
  if (partitions === 0) return undefined;
  if (asked !== undefined && asked !== partitions) {
    throw new UnusableDatabase(
      `${name} in it has ${partitions} ${partitions === 1 ? "partition" : "partitions"}, not ${asked}, which was fixed when it was made; ask for ${partitions}, or copy it to another database that is made with ${asked}`,
    );
  }
  if (form == null) return { form: undefined, isNoted: false, partitions };
  return { form, isNoted: digest === digestOf(form), partitions };
}

/** Returns whether nothing needs to be done for a definition. */
const isMade = ({ form, isNoted }: FoundCollection, definition: PartitionedCollection): boolean =>
  form === dueShape(definition) && isNoted;

/** Stores the shape of a table. Only programs that fill its columns in this way then change the collection. */
async function note(connection: PostgresConnection, collection: string, form: string): Promise<void> {
  // In this order, since a bulk request holds the form before the counters.
  await connection.query({
    text: "INSERT INTO waymark_forms (name, form) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET form = excluded.form",
    values: [collection, form],
  });
  await connection.query({
    text: "UPDATE waymark_collections SET form = $2 WHERE name = $1",
    values: [collection, digestOf(form)],
  });
}

/** Returns the members that records must have some of to be filled; undefined where all are. */
function membersDue(columns: readonly FilledColumn[], filled: TableShape["columns"]): readonly string[] | undefined {
  const ofEach = columns.map(({ name, dueWith }) => dueWith?.(filled[name]));
  return ofEach.every((members) => members !== undefined) ? ofEach.flat() : undefined;
}

/** Fills columns of a collection's table from the documents of its records, in steps; with members, of those that may have some of them. */
async function fillColumns(
  connection: PostgresConnection,
  collection: string,
  columns: readonly FilledColumn[],
  members: readonly string[] | undefined,
): Promise<void> {
  if (columns.length === 0 || members?.length === 0) return;
  const mayHave =
    members === undefined ? "" : `AND (${hasSome(members, (name) => `strpos(document, ${quoteText(name)}) > 0`)})`;
  const table = quoteName(collection);
  const sent = columns.map(({ name, type }) => ({ name: quoteName(name), type: sentTypeOf(type) }));
  const changes = columns.map(
    (column) => `${quoteName(column.name)} = ${storedFrom(column)(`rows.${quoteName(column.name)}`)}`,
  );
  const source = sourceOf([{ name: "id", type: "bigint" }, { name: "revision", type: "bigint" }, ...sent]);
  // A record that was changed meanwhile was changed by a program that has filled the columns.
  const text = `UPDATE ${table} AS stored SET ${changes.join(", ")} FROM ${source}
    WHERE stored.id = rows.id AND stored.revision = rows.revision`;
  for (let after = "0"; ; ) {
    const rows = await connection.query<readonly [id: string, revision: string, json: string]>({
      text: `SELECT id, revision, document FROM ${table} WHERE id > $1 ${mayHave} ORDER BY id LIMIT ${stepSize}`,
      values: [after],
    });
    const last = rows.at(-1);
    if (last === undefined) return;
    const documents = rows.map(([_id, _revision, json]): unknown => JSON.parse(json));
    const values = [
      rows.map(([id]) => id),
      rows.map(([_id, revision]) => revision),
      ...columns.map(({ toValue }) => rows.map(([_id, _revision, json], n) => toValue(documents[n], json))),
    ];
    await connection.query({ text, values: values.map(toArrayText) });
    after = last[0];
  }
}

/** In records. */
const stepSize = 200;
