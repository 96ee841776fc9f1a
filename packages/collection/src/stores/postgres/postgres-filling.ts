import type { FilledColumn } from "./postgres-columns.ts";
import type { PostgresConnection } from "./postgres-connection.ts";
import { quoteName, toArrayText } from "./postgres-names.ts";
import { sentTypeOf, sourceOf, storedFrom } from "./postgres-rows.ts";

/** Fills columns of a collection's table from the documents of the records that there are, in steps. */
export async function fillColumns(
  connection: PostgresConnection,
  collection: string,
  columns: readonly FilledColumn[],
): Promise<void> {
  if (columns.length === 0) return;
  const table = quoteName(collection);
  const sent = columns.map(({ name, type }) => ({ name: quoteName(name), type: sentTypeOf(type) }));
  const changes = columns.map(
    ({ name, type }) => `${quoteName(name)} = ${storedFrom(type)(`rows.${quoteName(name)}`)}`,
  );
  const source = sourceOf([{ name: "id", type: "bigint" }, { name: "revision", type: "bigint" }, ...sent]);
  // A record that was changed meanwhile was so by a program that has filled them.
  const text = `UPDATE ${table} AS stored SET ${changes.join(", ")} FROM ${source}
    WHERE stored.id = rows.id AND stored.revision = rows.revision`;
  for (let after = "0"; ; ) {
    const rows = await connection.query<readonly [id: string, revision: string, json: string]>({
      text: `SELECT id, revision, document FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${stepSize}`,
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
