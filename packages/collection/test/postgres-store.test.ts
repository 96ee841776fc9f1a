import { openPostgresDatabase } from "../src/index.ts";
import { postgresServer } from "./postgres-server.ts";
import { describeStore } from "./store-contract.ts";

describeStore("PostgreSQL", async (options) => {
  const server = await postgresServer();
  return openPostgresDatabase(await server.createDatabase(), options);
});
