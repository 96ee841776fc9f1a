import assert from "node:assert/strict";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as elapse } from "node:timers/promises";
import { execute, startReplication } from "../../../../collection/test/tools/start-postgres.ts";
import { runProgram, type ServiceProcess, startService } from "../../tools/programs/service-process.ts";
import { Ledger } from "./ledger.ts";

/** What a failover came to. */
export interface FailoverReport {
  readonly acknowledged: number;
  readonly lists: number;
  /** What contradicts an answer; there is to be nothing. */
  readonly violations: readonly string[];
  /** The longest time without an acknowledged change, in milliseconds. */
  readonly longestPause: number;
}

/** How many clients store people. */
const clients = 8;
/** How long each of them, and of those that read, waits after each person; and those that list after each list. In milliseconds. */
const betweenPeople = 20;
const betweenLists = 5;

/**
 * Runs the service on a primary and its synchronous standby while clients store people, read some of them and lists; kills the primary,
 * promotes the standby, copies the database while it is changed, and compares the answers with what is stored.
 *
 * @param length how long the clients go on before the kill and after it, in milliseconds
 * @param instances of the service on the database, over which the clients are spread
 */
export async function survivesFailover(length: number, instances: number): Promise<FailoverReport> {
  await using servers = await startReplication("-c", "fsync=off");
  const { primary, standby } = servers;
  await execute(primary.url, "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await execute(primary.url, "SELECT pg_reload_conf()");
  const synchronous = "SELECT 1 FROM pg_stat_replication WHERE sync_state = 'sync'";
  while ((await execute(primary.url, synchronous)).length === 0) await elapse(20);
  // The service uses the one that takes changes.
  const { username, password, pathname } = new URL(primary.url);
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(",");
  const url = `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`;

  await using scope = new AsyncDisposableStack();
  const services: ServiceProcess[] = [];
  for (let n = 0; n < instances; n++) services.push(scope.use(await startService("--database", url)));
  const ledger = new Ledger();
  const over = new AbortController();
  scope.defer(() => over.abort());
  const load = services.flatMap((service, n) => [
    read(service, ledger, over.signal),
    list(service, ledger, over.signal),
    ...Array.from({ length: Math.ceil((clients - n) / instances) }, () => store(service, ledger, over.signal)),
  ]);
  let killed = 0;
  const failOver = async (): Promise<void> => {
    await elapse(length);
    killed = performance.now();
    await primary.kill();
    await standby.promote();
    // Changes are acknowledged again, at a moment at which the kill has been felt.
    let before: number;
    do {
      before = ledger.acknowledged.length;
      await elapse(500, undefined, { signal: over.signal });
    } while (ledger.acknowledged.length === before || performance.now() < killed + length);
    await elapse(length);
    ledger.seeCopy(await identifiersInCopy(url));
    over.abort();
  };
  await Promise.all([...load, failOver()]);
  ledger.seeStored(await execute(standby.url, "SELECT id, revision, document FROM person"));
  const { acknowledged, lists, violations } = ledger;
  return { acknowledged: acknowledged.length, lists, violations, longestPause: ledger.longestPause(killed) };
}

async function store({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await elapse(betweenPeople)) {
    const identifier = ledger.nextIdentifier();
    const sent = performance.now();
    const headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ name: "Ada", identifier });
    const answer = await fetch(`${url}/person`, { method: "POST", headers, body });
    const content = await answer.text();
    const id = Number(answer.headers.get("Location")?.split("/").at(-1));
    if (answer.status === 200) ledger.acknowledge(identifier, id, sent);
    else assert.equal(answer.status, 503, content);
    if (content.includes("Nothing was changed")) ledger.refused.push(identifier);
  }
}

/** Reads one of those that were acknowledged last. */
async function read({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  for (; !signal.aborted; await elapse(betweenPeople)) {
    const recent = ledger.acknowledged.slice(-20);
    const path = `/person/${recent[Math.floor(Math.random() * recent.length)]?.id}`;
    const answer = await fetch(url + path);
    const content = await answer.text();
    if (answer.status === 200) ledger.see(path, answer.headers.get("ETag") ?? "", content);
  }
}

/** Reads the newest people, and at once asks whether the list has changed. */
async function list({ url }: ServiceProcess, ledger: Ledger, signal: AbortSignal): Promise<void> {
  const newest = `${url}/person?sort=-createdAt&limit=100&fields=identifier`;
  for (; !signal.aborted; await elapse(betweenLists)) {
    const answer = await fetch(newest);
    const content = await answer.text();
    const tag = answer.headers.get("ETag");
    if (answer.status !== 200 || tag === null) continue;
    const confirmed = performance.now();
    const { status } = await fetch(newest, { headers: { "If-None-Match": tag } });
    const people: readonly { readonly identifier: string }[] = JSON.parse(content);
    const identifiers = people.map(({ identifier }) => identifier);
    if (status === 304) ledger.seeList(tag, identifiers, confirmed);
  }
}

/** Copies a database to an SQLite file while others write to it, and returns the identifiers of all people in the copy. */
async function identifiersInCopy(database: string): Promise<ReadonlySet<unknown>> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "copy-"));
  const file = join(directory.path, "people.db");
  const { code, stderr } = await runProgram("copy", "--from", database, "--to", file);
  assert.equal(code, 0, stderr);
  using copy = new DatabaseSync(file, { readOnly: true });
  const rows = copy.prepare("SELECT document FROM person").all();
  return new Set(rows.map(({ document }) => JSON.parse(String(document)).identifier));
}
