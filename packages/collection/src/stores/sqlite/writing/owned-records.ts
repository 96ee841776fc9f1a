import type { StoredCollection } from "../../../database.ts";
import { limit } from "../connections/statements.ts";

/** The records of a collection that are removed with a record of another one, which owns them or their owners. */
export interface OwnedRecords {
  readonly collection: string;
  /** The query for some of their ids. Its parameters are the id of the owner, and how many. */
  readonly ids: string;
}

/** Returns what is removed with a record of a collection, those that it owns itself first. */
export function ownedRecords(owner: string, all: readonly StoredCollection[], owners = ""): readonly OwnedRecords[] {
  const owned = all.filter((definition) => definition.owner?.collection === owner);
  return owned.flatMap(({ name }) => {
    // The tables are read in this order, whatever SQLite knows of them.
    const tables = owners === "" ? `"${name}"` : `${owners} CROSS JOIN "${name}" ON "${name}".owner = "${owner}".id`;
    const [first = ""] = tables.split(" ");
    const ids = `SELECT "${name}".id FROM ${tables} WHERE ${first}.owner = ? ${limit}`;
    return [{ collection: name, ids }, ...ownedRecords(name, all, tables)];
  });
}

/** An owner of more records than this is removed after them, in steps. As many lines of a request are stored together, or none. */
export const mostTogether = 20_000;

/** In records, which are removed in about 50 ms. */
export const stepOfRemoval = 2_000;

/** In milliseconds, between the steps: other processes look for their turn once in a millisecond. */
export const pauseOfRemoval = 10;
