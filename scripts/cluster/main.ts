import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { execute, startReplication } from "../../packages/collection/test/tools/start-postgres.ts";
import { identifiersInCopy } from "./copy.ts";
import { Ledger } from "./ledger.ts";
import { startLoad } from "./load.ts";

// Runs the service on a primary and its synchronous standby, kills the primary, promotes the standby, and compares the answers
// with what is stored.

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "3" },
    instances: { type: "string", default: "1" },
  },
});
const milliseconds = Number(values.seconds) * 1000;

await using servers = await startReplication("-c", "fsync=off");
const { primary, standby } = servers;
await execute(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
await execute(primary.url, "SELECT pg_reload_conf()");
const synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
while ((await execute(primary.url, synchronous)).length === 0) await pause(200);

// The service uses the one that takes changes.
const { username, password, pathname } = new URL(primary.url);
const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
const url = `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;

const ledger = new Ledger();
await using _load = await startLoad(url, ledger, Number(values.instances));
await pause(milliseconds);
const began = performance.now();
await primary.kill();
await standby.promote();
await untilAcknowledged(began + milliseconds);
await pause(milliseconds);
ledger.seeCopy(await identifiersInCopy(url));
const violations = await ledger.check(() => execute(standby.url, "SELECT id, revision, document FROM person"));

const { length, end } = ledger.longestPause(began);
const { lists, copies } = ledger.examined;
const found = Object.entries(violations).map(([what, count]) => `${what} ${count}`);
process.stdout.write(
  `acknowledged ${ledger.acknowledged}, lists ${lists}, copies ${copies}; ${found.join(", ")}; longest pause ${(length / 1000).toFixed(1)} s, until ${(end / 1000).toFixed(1)} s after the kill\n`,
);
process.exitCode = Object.values(violations).every((count) => count === 0) ? 0 : 1;

/** Resolves when changes are acknowledged again, and not before a moment at which the kill has been felt. */
async function untilAcknowledged(felt: number): Promise<void> {
  for (let before = ledger.acknowledged; ; before = ledger.acknowledged) {
    await pause(500);
    if (ledger.acknowledged > before && performance.now() > felt) return;
  }
}
