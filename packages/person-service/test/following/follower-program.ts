// Keeps a copy of the people of a service in an SQLite file, as a program that is killed at any time may: each page of changes
// and the cursor behind it are stored in one transaction.
//
//   follower-program.ts FILE (forever|once) URL...
//
// It asks one of the instances at the URLs for each page. With "once" it ends when there is nothing more. Where its cursor is of a
// history that was lost, it says so, and begins again with nothing.
import { DatabaseSync } from "node:sqlite";
import { setTimeout as elapse } from "node:timers/promises";

const [file = "", life, ...urls] = process.argv.slice(2);
const database = new DatabaseSync(file);
database.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF; -- it is killed, but the machine is not turned off
  CREATE TABLE IF NOT EXISTS place (only INTEGER PRIMARY KEY, cursor TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, document TEXT NOT NULL);
`);
const store = database.prepare("INSERT OR REPLACE INTO person VALUES (?, ?)");
const remove = database.prepare("DELETE FROM person WHERE id = ?");
const goTo = database.prepare("INSERT OR REPLACE INTO place VALUES (0, ?)");
/** The changes that it got in this life: no cursor leads back. */
const known = new Set<string>();

for (let cursor = String(database.prepare("SELECT cursor FROM place").get()?.["cursor"] ?? ""); ; ) {
  const url = new URL("/person/changes?format=ndjson", urls[Math.floor(Math.random() * urls.length)]);
  url.searchParams.set("limit", String(1 + Math.floor(Math.random() ** 4 * 1000)));
  if (cursor !== "") url.searchParams.set("after", cursor);
  const response = await fetch(url, life === "once" ? {} : { headers: { Prefer: "wait=5" } });
  const text = await response.text();
  if (response.status === 503) {
    await elapse(100); // a standby does not have the changes before the cursor yet
    continue;
  }
  if (response.status === 410) {
    // What it has may be of changes that were lost.
    process.stdout.write("begins again\n");
    database.exec("BEGIN; DELETE FROM person; DELETE FROM place; COMMIT");
    known.clear();
    cursor = "";
    continue;
  }
  const [, next] = /[?&]after=([\w-]+)[^>]*>; rel="next"/.exec(response.headers.get("Link") ?? "") ?? [];
  if (response.status !== 200 || next === undefined) throw new Error(`${url} answers ${response.status}: ${text}`);
  const lines = text.split("\n").slice(0, -1);
  database.exec("BEGIN");
  for (const line of lines) {
    if (known.has(line)) throw new Error(`It gets ${line} twice`);
    known.add(line);
    const { id, removed } = JSON.parse(line);
    if (removed === true) remove.run(id);
    else store.run(id, line);
  }
  goTo.run(next);
  database.exec("COMMIT");
  process.stdout.write(`${lines.length} changes\n`);
  if (life === "once" && lines.length === 0 && next === cursor) break;
  cursor = next;
}
