import { type Database, type Document, openPostgresDatabase, type Store, type StoredRecord } from "@waymark/collection";
import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { Pool } from "pg";
import { filledColumns } from "../../packages/collection/src/stores/postgres/table/columns.ts";
import { storedFrom } from "../../packages/collection/src/stores/postgres/table/rows.ts";
import { toStoredCollection } from "../../packages/collection/src/stores/table/definition.ts";
import { toStoredJson } from "../../packages/collection/src/stores/writing/write.ts";
import { toMembersJson } from "../../packages/collection/src/stores/writing/written-content.ts";
import { personCollection } from "../../packages/person-service/src/person/collection.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The whole service on the same tables, but that each request has a statement of its own on a connection of a pool, as most
// programs do it. A new record takes its id and its revision in the statement that stores it.

const url = databaseArgument();
const opened = await openPostgresDatabase(url, { collections: [personCollection] });
const pool = new Pool({ connectionString: url, max: 10 });

const columns = filledColumns(toStoredCollection(personCollection));
const insertion = `WITH counted AS (
    UPDATE waymark_collections SET revision = revision + 1, last_id = last_id + 1 WHERE name = 'person'
    RETURNING revision, last_id
  )
  INSERT INTO person (id, revision, created_at, updated_at, document, ${columns.map(({ name }) => `"${name}"`).join(", ")})
  SELECT last_id, revision, $1, $1, '{"id":' || last_id || $2, ${columns.map((column, n) => storedFrom(column)(`$${n + 3}`)).join(", ")}
  FROM counted RETURNING id, revision, updated_at, document`;
const query = "SELECT id, revision, updated_at, document FROM person WHERE id = $1";

async function ask(name: string, text: string, values: readonly unknown[]): Promise<StoredRecord | undefined> {
  const { rows } = await pool.query({ name, text, values: [...values] });
  if (rows.length === 0) return undefined;
  const [{ id, revision, updated_at: updatedAt, document: json }] = rows;
  return { id: Number(id), revision: Number(revision), updatedAt: Number(updatedAt), json };
}

const people: Store = Object.assign(Object.create(opened.store("person")), {
  find: (id: number) => ask("find", query, [id]),
  async create(document: Document) {
    const time = Date.now();
    const json = toStoredJson(toMembersJson(document), { id: 0, createdAt: time, updatedAt: time });
    const content: unknown = JSON.parse(json);
    const values = columns.map(({ toValue }) => toValue(content, json));
    return { kind: "created", record: await ask("create", insertion, [time, json.slice('{"id":0'.length), ...values]) };
  },
});
const database: Database = Object.assign(Object.create(opened), { store: () => people });
const { app } = await openPersonService({ database });
const { port } = await serve(app, { port: 0 });
announce(port);
