import { it } from "node:test";
import { postgresServer } from "../../tools/postgres-server.ts";
import { survivesServerCrashes } from "./crashes.ts";

/** How often the server is killed: the variable CRASH_ROUNDS, or a hundred times. */
const rounds = Number(process.env["CRASH_ROUNDS"] ?? 100);

it(`keeps each record that it acknowledged, though its server is killed ${rounds} times`, async (t) => {
  const report = await survivesServerCrashes(await postgresServer(), rounds, (server) => server.kill());
  t.diagnostic(JSON.stringify(report));
});
