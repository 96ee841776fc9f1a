import assert from "node:assert/strict";
import { type Database, openPostgresDatabase, StoreOutcomeUnknown, StoreUnavailable } from "../../../src/index.ts";
import type { PostgresServer } from "../../tools/postgres-server.ts";

/** What the rounds came to. */
export interface ServerCrashReport {
  readonly acknowledged: number;
  /** How many writes failed with nothing changed, and how many with an outcome that was unknown. */
  readonly failed: number;
  readonly unknown: number;
}

const writers = 8;
/** A round lasts until so many records are acknowledged, at random. */
const atMost = 60;

/**
 * Ends a server at random moments while records are created and replaced over two databases, starts it again, and checks
 * what is there: each record that was acknowledged, as it was; none that was refused; each of the others whole or not at all.
 *
 * @param end how the server is ended
 */
export async function survivesServerCrashes(
  server: PostgresServer,
  rounds: number,
  end: (server: PostgresServer) => Promise<void>,
): Promise<ServerCrashReport> {
  const url = await server.createDatabase();
  const open = () =>
    openPostgresDatabase(url, { collections: [{ name: "person", members: { identifier: { unique: true } } }] });
  const databases = [await open(), await open()];
  const total = { acknowledged: 0, failed: 0, unknown: 0 };
  /** What is known of each record by its identifier. */
  const known = new Map<string, "acknowledged" | "failed" | "unknown">();
  try {
    for (let round = 0; round < rounds; round++) {
      const enough = Promise.withResolvers<void>();
      let left = Math.ceil(Math.random() * atMost);
      let isEnding = false;
      const write = async (database: Database, writer: number): Promise<void> => {
        for (let n = 0; !isEnding; n++) {
          const identifier = `${round}/${writer}/${n}`;
          const outcome = await outcomeOf(database, identifier);
          known.set(identifier, outcome);
          total[outcome]++;
          if (outcome === "acknowledged" && --left === 0) enough.resolve();
        }
      };
      const writing = Array.from({ length: writers }, (_, n) => write(databases[n % 2] as Database, n));
      await enough.promise;
      const ending = end(server);
      await ending;
      isEnding = true;
      await Promise.all(writing);
      for (const database of databases) await assert.rejects(database.check(), StoreUnavailable);
      await server.start();
      for (const database of databases) await database.check();
      await reconcile(databases[round % 2] as Database, known);
    }
  } finally {
    await Promise.all(databases.map((database) => database.close()));
  }
  return total;
}

async function outcomeOf(database: Database, identifier: string): Promise<"acknowledged" | "failed" | "unknown"> {
  try {
    const creation = await database.store("person").create({ identifier, description: textOf(identifier) });
    assert.equal(creation.kind, "created");
    return "acknowledged";
  } catch (error) {
    assert.ok(error instanceof StoreUnavailable, String(error));
    return error instanceof StoreOutcomeUnknown ? "unknown" : "failed";
  }
}

async function reconcile(database: Database, known: ReadonlyMap<string, string>): Promise<void> {
  const missing = new Set(known.keys());
  const revisions = new Set<number>();
  for await (const batch of database.store("person").list()) {
    for (const { id, revision, json } of batch) {
      const record: { readonly id: number; readonly identifier: string; readonly description: string } =
        JSON.parse(json);
      assert.ok(missing.delete(record.identifier), `${record.identifier} is there twice, or nobody sent it`);
      assert.notEqual(known.get(record.identifier), "failed", `${record.identifier} was said not to be stored`);
      assert.deepEqual([record.id, record.description], [id, textOf(record.identifier)]);
      assert.ok(!revisions.has(revision), `the revision ${revision} is there twice`);
      revisions.add(revision);
    }
  }
  const lost = [...missing].filter((identifier) => known.get(identifier) === "acknowledged");
  assert.deepEqual(lost, [], "records that were acknowledged are gone");
  assert.ok(Math.max(0, ...revisions) <= (await database.store("person").revision()));
}

/** Of different lengths, so that records lie across the pages of the file in many ways. */
const textOf = (identifier: string): string => `${identifier} `.repeat(identifier.length ** 2 % 97);
