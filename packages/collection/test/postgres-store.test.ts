import { type Database, type DatabaseOptions, openPostgresDatabase } from "../src/index.ts";
import { execute, newPostgresDatabase } from "./postgres-server.ts";
import { describeStore } from "./store-contract.ts";

const openApart = async (options: DatabaseOptions): Promise<Database> =>
  openPostgresDatabase(await newPostgresDatabase(), options);

let url: string | undefined;

const openEmptied = async (options: DatabaseOptions): Promise<Database> => {
  if (url === undefined) {
    url = await newPostgresDatabase();
  } else {
    // Emptied, since it takes a tenth of the time that making the tables anew would take; whoever owns whom.
    const tables = ["waymark_keys", "waymark_removals", ...options.collections.map(({ name }) => name)];
    await execute(
      url,
      `SET session_replication_role = replica; UPDATE waymark_collections SET revision = 0, last_id = 0;
      ${tables.map((table) => `DELETE FROM ${table}`).join(";")}`,
    );
  }
  return openPostgresDatabase(url, options);
};

describeStore("PostgreSQL", openEmptied, openApart);
