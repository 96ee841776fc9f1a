import { type Database, type DatabaseOptions, openPostgresDatabase } from "../src/index.ts";
import { emptiedPostgresDatabase, emptiedPostgresDatabases } from "./postgres-server.ts";
import { describeStore } from "./store-contract.ts";

const openWith =
  (emptied: ReturnType<typeof emptiedPostgresDatabase>) =>
  async (options: DatabaseOptions): Promise<Database> =>
    openPostgresDatabase(await emptied(options.collections), options);

describeStore("PostgreSQL", openWith(emptiedPostgresDatabase()), openWith(emptiedPostgresDatabases(3)));
