import { randomUUID } from "node:crypto";
import type { PostgresConnection } from "./postgres-connection.ts";
import { quoteName, quoteText } from "./postgres-names.ts";

/**
 * Brings a database of layout 1 to layout 2: what the database made of the documents, by generated columns and triggers, is done by
 * the store from now on. The columns are left out here, and made anew when their collection is prepared.
 *
 * Only PostgreSQL itself can have layout 1, so that this may ask for what other engines lack.
 */
export async function toLayout2(connection: PostgresConnection): Promise<void> {
  await connection.query({
    text: `
      ALTER TABLE waymark_layout ADD COLUMN identity text NOT NULL DEFAULT ${quoteText(randomUUID())};
      ALTER TABLE waymark_layout ALTER COLUMN identity DROP DEFAULT, ADD PRIMARY KEY (version);
      ALTER TABLE waymark_collections DROP COLUMN full_text, ADD COLUMN form text;
    `,
  });
  const collections = await connection.query<readonly [name: string, owner: string | null]>({
    text: `SELECT name, (
        SELECT owners.relname FROM pg_constraint JOIN pg_class AS owners ON owners.oid = confrelid
        WHERE conrelid = to_regclass(quote_ident(name)) AND contype = 'f'
      ) FROM waymark_collections WHERE to_regclass(quote_ident(name)) IS NOT NULL`,
  });
  for (const [name, owner] of collections) await convert(connection, name, owner);
  await connection.query({
    text: `
      DROP FUNCTION waymark_removed(), waymark_text(json), waymark_number(json), waymark_time(json);
      UPDATE waymark_collections SET form = '{"owner":null,"columns":{}}' WHERE form IS NULL; -- their tables are gone
      ALTER TABLE waymark_collections ALTER COLUMN form SET NOT NULL;
    `,
  });
}

async function convert(connection: PostgresConnection, collection: string, owner: string | null): Promise<void> {
  const table = quoteName(collection);
  const generated = await connection.query<readonly [column: string]>({
    text: `SELECT attname FROM pg_attribute
      WHERE attrelid = to_regclass($1) AND attgenerated = 's' AND NOT attisdropped`,
    values: [table],
  });
  const constraints = await connection.query<readonly [constraint: string]>({
    text: "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass($1) AND contype = 'f'",
    values: [table],
  });
  const changes = [
    ...constraints.map(([name]) => `DROP CONSTRAINT ${quoteName(name)}`),
    ...(owner === null ? [] : [`ADD FOREIGN KEY (owner) REFERENCES ${quoteName(owner)} (id)`]),
    ...generated.map(([name]) => `DROP COLUMN ${quoteName(name)}`),
    "DROP COLUMN words",
  ];
  const form = JSON.stringify({ owner, columns: {} });
  await connection.query({
    text: `
      DROP TRIGGER waymark_removed ON ${table};
      ALTER TABLE ${table} ${changes.join(", ")};
      ALTER TABLE ${table} ALTER COLUMN document TYPE text USING coalesce(exact, document::text);
      ALTER TABLE ${table} DROP COLUMN exact;
      UPDATE waymark_collections SET form = ${quoteText(form)} WHERE name = ${quoteText(collection)};
    `,
  });
}
