import { type Database, type DatabaseOptions, openPostgresDatabase } from "../../../src/index.ts";
import { describeEndOfTransactions, describeStore } from "../../store-contract/contract.ts";
import { emptiedPostgresDatabase, emptiedPostgresDatabases, newPostgresDatabase } from "../../tools/postgres-server.ts";

const openWith =
  (emptied: ReturnType<typeof emptiedPostgresDatabase>) =>
  async (options: DatabaseOptions): Promise<Database> =>
    openPostgresDatabase(await emptied(options.collections), options);

describeStore("PostgreSQL", openWith(emptiedPostgresDatabase()), openWith(emptiedPostgresDatabases(3)));
describeEndOfTransactions("PostgreSQL", async () =>
  openPostgresDatabase(await newPostgresDatabase(), { collections: [{ name: "person" }], statementTimeout: 300 }),
);
