import { it } from "node:test";
import { postgresServer } from "../../../collection/test/tools/postgres-server.ts";
import { survivesOutage } from "./outage.ts";

/** How long the server is away: the variable OUTAGE_SECONDS, or ten seconds. */
const seconds = Number(process.env["OUTAGE_SECONDS"] ?? 10);

it(`gives no wrong answer while its PostgreSQL server is stopped for ${seconds} s, and needs no restart`, async (t) => {
  t.diagnostic(JSON.stringify(await survivesOutage(await postgresServer(), seconds * 1000)));
});
