import { type Database, type Document, openPostgresDatabase, type Store, type StoredRecord } from "@waymark/collection";
import { openPersonService } from "person-service";
import { Pool } from "pg";
import { serve } from "waymark/node";
import { toMembersJson, toStoredJson } from "../../packages/collection/src/stored-json.ts";
import { personCollection } from "../../packages/person-service/src/person-collection.ts";
import { announce, databaseArgument } from "./server-program.ts";

// The whole service, but that each request has a statement of its own on a connection of a pool, as most programs do it. It
// does less than ours: nothing is unique here, and changes are not counted.

const url = databaseArgument();
const opened = await openPostgresDatabase(url, { collections: [personCollection] });
const pool = new Pool({ connectionString: url, max: 10 });
await pool.query(
  "CREATE TABLE IF NOT EXISTS each (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, time bigint, members text)",
);

const toRecord = (id: number, time: number, members: string): StoredRecord => {
  return { id, revision: 1, updatedAt: time, json: toStoredJson(members, { id, createdAt: time, updatedAt: time }) };
};
const people: Store = Object.assign(Object.create(opened.store("person")), {
  async find(id: number) {
    const { rows } = await pool.query("SELECT time, members FROM each WHERE id = $1", [id]);
    return rows.length === 0 ? undefined : toRecord(id, Number(rows[0].time), rows[0].members);
  },
  async create(document: Document) {
    const time = Date.now();
    const members = toMembersJson(document);
    const { rows } = await pool.query("INSERT INTO each (time, members) VALUES ($1, $2) RETURNING id", [time, members]);
    return { kind: "created", record: toRecord(Number(rows[0].id), time, members) };
  },
});
const database: Database = Object.assign(Object.create(opened), { store: () => people });
const { app } = await openPersonService({ database });
const { port } = await serve(app, { port: 0 });
announce(port);
