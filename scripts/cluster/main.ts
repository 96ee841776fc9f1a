import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { startCitus } from "./citus.ts";
import { identifiersInCopy } from "./copy.ts";
import { CannotStart, type DatabaseCluster } from "./database-cluster.ts";
import { startReplicated } from "./failover.ts";
import { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";

// Runs the service on real databases with faults, and compares the answers with what is stored:
//
//   npm run cluster -- failover                       kills a primary, and promotes its synchronous standby
//   PG_BIN=/usr/lib/postgresql/17/bin npm run cluster -- citus
//                                                     kills the worker that has the people; further faults: coordinator, other,
//                                                     failover, coordinator-failover
//
// --instances N has the service run in several processes.

const usage = "Usage: npm run cluster -- failover|citus [FAULT…] [--rounds N] [--seconds N] [--instances N]\n";

const everybody = "SELECT id, revision, document FROM person";

const clusters: ReadonlyMap<string, (faults: readonly string[]) => Promise<DatabaseCluster>> = new Map([
  ["failover", startReplicated],
  ["citus", startCitus],
]);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "1" },
    seconds: { type: "string", default: "3" },
    instances: { type: "string", default: "1" },
  },
});
const [name = "", ...faults] = positionals;
const start = clusters.get(name);
if (start === undefined) {
  process.stderr.write(usage);
  process.exitCode = 2;
} else {
  try {
    const cluster = await start(faults);
    try {
      process.exitCode = await run(cluster);
    } finally {
      await cluster[Symbol.asyncDispose]();
    }
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

/** @returns 0 when nothing is wrong, otherwise 1 */
async function run(cluster: DatabaseCluster): Promise<number> {
  const ledger = new Ledger();
  let wrong = 0;
  const seconds = Number(values.seconds);
  {
    await using _load = await startLoad(cluster.url, ledger, Number(values.instances));
    for (let round = 1; round <= Number(values.rounds); round++) {
      for (const fault of faults.length > 0 ? faults : [...cluster.faults.keys()].slice(0, 1)) {
        const drive = cluster.faults.get(fault);
        if (drive === undefined) throw new CannotStart(`Faults of ${name}: ${[...cluster.faults.keys()].join(", ")}`);
        await pause(seconds * 1000);
        const began = performance.now();
        await drive();
        await untilAcknowledged(ledger, began + seconds * 1000);
        await cluster.mend();
        await pause(seconds * 1000);
        ledger.seeCopy(await identifiersInCopy(cluster.url));
        const { length, end } = ledger.longestPause(began);
        const violations = await ledger.check(() => cluster.query(everybody));
        const found = Object.entries(violations).map(([what, count]) => `${what} ${count}`);
        wrong += Object.values(violations).reduce((sum, count) => sum + count, 0);
        const paused = `longest pause ${(length / 1000).toFixed(1)} s, until ${(end / 1000).toFixed(1)} s after the fault`;
        const { lists, copies } = ledger.examined;
        const total = `acknowledged ${ledger.acknowledged}, lists ${lists}, copies ${copies}`;
        process.stdout.write(`${fault} ${round}: ${total}; ${found.join(", ")}; ${paused}\n`);
      }
    }
  }
  return wrong === 0 ? 0 : 1;
}

/** Resolves when changes are acknowledged again, and not before a moment at which the fault has been felt. */
async function untilAcknowledged(ledger: Ledger, felt: number): Promise<void> {
  for (let before = ledger.acknowledged; ; before = ledger.acknowledged) {
    await pause(500);
    if (ledger.acknowledged > before && performance.now() > felt) return;
  }
}
