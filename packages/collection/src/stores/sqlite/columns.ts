import type { CollectionDefinition } from "../../database.ts";
import { type MemberType, storeMembers } from "../../selection.ts";

/** The column in which the values of a member are compared. */
export interface SqliteColumn {
  readonly name: string;
  /** As it is put into a statement. */
  readonly sql: string;
  readonly type: MemberType;
  /** What generates it from the document; undefined for a column of the store. */
  readonly expression: string | undefined;
  /** The index on it, whose entries with one value are by id, after the owner where there is one; undefined for the id, by which the table itself is. */
  readonly index: string | undefined;
}

/** The columns of the members that records can be selected by, by the names of these. */
export function selectableColumns({
  name: collection,
  selectable = [],
}: CollectionDefinition): ReadonlyMap<string, SqliteColumn> {
  const own = storeMembers.map(({ name, type }): readonly [string, SqliteColumn] => {
    const column = storeColumns[name] ?? name;
    return [
      name,
      { name: column, sql: `"${column}"`, type, expression: undefined, index: indexOf(collection, column) },
    ];
  });
  const generated = selectable.map(({ name, type }): readonly [string, SqliteColumn] => {
    const [kind, expression] = generators[type](
      `$${name
        .split(".")
        .map((part) => `."${part}"`)
        .join("")}`,
    );
    const column = `${kind}_${name}`;
    return [name, { name: column, sql: `"${column}"`, type, expression, index: indexOf(collection, column) }];
  });
  return new Map([...own, ...generated]);
}

/** The index on the owners of the records. */
export const ownerIndex = (collection: string): string => `${collection}.owner`;

const indexOf = (collection: string, column: string): string | undefined =>
  column === "id" ? undefined : `${collection}.${column}`; // no collection has a point in its name

const storeColumns: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" };

/**
 * What generates the values that compare as a type says, and the prefix of the column's name, so that a member whose type
 * changes has another column. A member with a value of another type is as absent.
 */
const generators: Readonly<Record<MemberType, (path: string) => readonly [kind: string, expression: string]>> = {
  text: (path) => ["text", textAt(path)],
  "caseless-text": (path) => ["caseless", `lower(${textAt(path)})`], // SQLite's lower is for A to Z alone
  date: (path) => ["text", textAt(path)],
  // As in JavaScript, where a number is no integer of 64 bits.
  number: (path) => [
    "number",
    `CASE WHEN ${typeAt(path)} IN ('integer', 'real') THEN CAST(${valueAt(path)} AS REAL) END`,
  ],
  time: (path) => ["time", millisecondsOf(`upper(${textAt(path)})`)],
};

const valueAt = (path: string): string => `document ->> '${path}'`;
const typeAt = (path: string): string => `json_type(document, '${path}')`;
const textAt = (path: string): string => `CASE ${typeAt(path)} WHEN 'text' THEN ${valueAt(path)} END`;

/**
 * Milliseconds since the epoch for a time of RFC 3339, digits of the second beyond the third left out; NULL for other
 * text, which SQLite might read as a time too, if not as `now`.
 */
function millisecondsOf(text: string): string {
  const [day, seconds] = [`substr(${text}, 1, 10)`, `substr(${text}, 1, 19)`];
  const zone = `ltrim(substr(${text}, 20), '.0123456789')`; // behind what is left of the second
  const hours = `CAST(substr(${zone}, 1, 3) AS INTEGER)`;
  const minutes = `CAST(substr(${zone}, 1, 1) || substr(${zone}, 5) AS INTEGER)`;
  const thousandths = `CAST(round(CAST('0' || substr(${text}, 20, 4) AS REAL) * 1000) AS INTEGER)`;
  return `CASE WHEN ${seconds} GLOB '${"[0-9]".repeat(4)}-${digits}-${digits}T${digits}:${digits}:${digits}'
    AND substr(${text}, 20, 1) IN ('.', 'Z', '+', '-') AND (${zone} = 'Z' OR ${zone} GLOB '[+-][0-2][0-9]:[0-5][0-9]')
    AND substr(${text}, 12, 2) < '24' AND substr(${zone}, 2, 2) < '24'
    AND date(${day}) = ${day} -- which moves the 30th of February on
    THEN (unixepoch(${seconds}) - ${hours} * 3600 - ${minutes} * 60) * 1000 + ${thousandths} END`;
}

const digits = "[0-9][0-9]";
