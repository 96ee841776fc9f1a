import { it } from "node:test";
import { survivesCrashes, type Victim } from "./crash.ts";
import { type DatabaseKind, databaseKinds, sqlite } from "./databases.ts";

/** How often the service is killed: the variable CRASH_ROUNDS, or a thousand times. */
const rounds = Number(process.env["CRASH_ROUNDS"] ?? 1000);

const cases: readonly { readonly kind: DatabaseKind; readonly victim: Victim; readonly what: string }[] = [
  ...databaseKinds.map((kind) => ({
    kind,
    victim: "process" as const,
    what: `it is killed ${rounds} times (${kind.name})`,
  })),
  { kind: sqlite, victim: "worker", what: `one of two workers is killed ${rounds} times` },
  { kind: sqlite, victim: "workers", what: `two workers are killed ${rounds} times with the process that writes` },
];

for (const { kind, victim, what } of cases) {
  it(`keeps each person whom it acknowledged, though ${what}`, async (t) => {
    const { acknowledged, unacknowledged } = await survivesCrashes(kind, rounds, victim);
    const { stored, lost } = unacknowledged;
    t.diagnostic(`${acknowledged} people acknowledged; of those in hand ${stored} were stored and ${lost} were not`);
  });
}
