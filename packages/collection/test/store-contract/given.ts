import assert from "node:assert/strict";
import type { Creation, Database, Document, Replacement, Store, StoredRecord } from "../../src/index.ts";

/** The time at which everything in these tests is stored. */
export const noon: Date = new Date("2026-06-15T12:00:00.000Z");

/** The body of a test that uses the store of the people in an empty database with this clock, by default at noon. */
export type WithStore = (
  use: (store: Store, database: Database) => Promise<void>,
  now?: () => Date,
) => () => Promise<void>;

/** The record that a document becomes. */
export async function create(store: Store, document: Document): Promise<StoredRecord> {
  const creation: Creation = await store.create(document);
  assert.ok(creation.kind === "created", `a conflict on ${"member" in creation ? creation.member : ""}`);
  return creation.record;
}

/** The record that says what the document says. */
export async function replace(
  store: Store,
  id: number,
  document: Document,
  expectedRevision?: number,
): Promise<StoredRecord> {
  const replacement: Replacement = await store.replace(id, document, expectedRevision);
  assert.ok(replacement.kind === "replaced", replacement.kind);
  return replacement.record;
}

/** Every record in one array. */
export async function everything(store: Store): Promise<readonly StoredRecord[]> {
  return (await Array.fromAsync(store.list())).flat();
}
