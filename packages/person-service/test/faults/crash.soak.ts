import { it } from "node:test";
import { databaseKinds } from "../tools/databases.ts";
import { survivesCrashes } from "./crash.ts";

/** How often the service is killed: the variable CRASH_ROUNDS, or a thousand times. */
const rounds = Number(process.env["CRASH_ROUNDS"] ?? 1000);

for (const kind of databaseKinds) {
  it(`keeps each person whom it acknowledged, though it is killed ${rounds} times (${kind.name})`, async (t) => {
    const { acknowledged, unacknowledged } = await survivesCrashes(kind, rounds);
    const { stored, lost } = unacknowledged;
    t.diagnostic(`${acknowledged} people acknowledged; of those in hand ${stored} were stored and ${lost} were not`);
  });
}
