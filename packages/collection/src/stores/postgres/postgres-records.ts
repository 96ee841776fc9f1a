import type { Ownership } from "../../database.ts";
import type { StoredRecord } from "../../store.ts";

/** The columns of a `RecordRow`. */
export const recordColumns = "id, revision, updated_at, document";

export type RecordRow = readonly [id: string, revision: string, updatedAt: string, document: string];

export const toRecord = ([id, revision, updatedAt, json]: RecordRow): StoredRecord => ({
  id: Number(id),
  revision: Number(revision),
  updatedAt: Number(updatedAt),
  json,
});

/** The expression for the owner's id, where the collection has an owner. */
export const ownerColumn = (owner: Ownership | undefined): string => (owner === undefined ? "NULL" : "owner");
