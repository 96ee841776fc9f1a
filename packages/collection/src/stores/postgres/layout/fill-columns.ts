import { hasSome, type TableShape } from "../../table/filled-columns.ts";
import type { PostgresConnection } from "../connections/connection.ts";
import type { FilledColumn } from "../table/columns.ts";
import { sentTypeOf, sourceOf, storedFrom } from "../table/rows.ts";
import { quoteName, quoteText, toArrayText } from "../table/sql.ts";

/**
 * Fills columns of a collection's table from the documents of its records, in steps. Records that cannot have a value of them are left
 * out, where the columns say so.
 *
 * @param before the rules by which columns of the table were filled, by their names
 */
export async function fillColumns(
  connection: PostgresConnection,
  collection: string,
  columns: readonly FilledColumn[],
  before: TableShape["columns"],
): Promise<void> {
  const members = membersDue(columns, before);
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

/** Returns the members that records must have some of to be filled; undefined where all are. */
function membersDue(columns: readonly FilledColumn[], before: TableShape["columns"]): readonly string[] | undefined {
  const ofEach = columns.map(({ name, dueWith }) => dueWith?.(before[name]));
  return ofEach.every((members) => members !== undefined) ? ofEach.flat() : undefined;
}

/** In records. */
const stepSize = 200;
