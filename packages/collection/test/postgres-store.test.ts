import { type Database, type DatabaseOptions, openPostgresDatabase } from "../src/index.ts";
import { emptiedPostgresDatabase, newPostgresDatabase } from "./postgres-server.ts";
import { describeStore } from "./store-contract.ts";

const openApart = async (options: DatabaseOptions): Promise<Database> =>
  openPostgresDatabase(await newPostgresDatabase(), options);

const emptied = emptiedPostgresDatabase();
const openEmptied = async (options: DatabaseOptions): Promise<Database> =>
  openPostgresDatabase(await emptied(options.collections), options);

describeStore("PostgreSQL", openEmptied, openApart);
