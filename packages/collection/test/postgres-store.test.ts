import { openPostgresDatabase } from "../src/index.ts";
import { postgresServer } from "./postgres-server.ts";
import { describeStore } from "./store-contract.ts";

describeStore("PostgreSQL", async (now) => {
  const server = await postgresServer();
  const url = await server.createDatabase();
  return openPostgresDatabase(url, { collections: [{ name: "person", unique: ["identifier"] }], now });
});
