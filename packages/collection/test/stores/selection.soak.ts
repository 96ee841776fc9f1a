import { openPostgresDatabase, openSqliteDatabase } from "../../src/index.ts";
import { describeSelection, withStoreOf } from "../store-contract/contract.ts";
import { newPostgresDatabase } from "../tools/postgres-server.ts";

/** How many selections are compared with the model: the variable SELECTIONS, or two thousand. */
const runs = Number(process.env["SELECTIONS"] ?? 2_000);

const inMemory = withStoreOf((options) => openSqliteDatabase(":memory:", options));
describeSelection("SQLite", inMemory, runs);

const onPostgres = withStoreOf(async (options) => openPostgresDatabase(await newPostgresDatabase(), options));
describeSelection("PostgreSQL", onPostgres, runs);
