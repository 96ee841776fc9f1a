import type { CollectionDefinition, Database, DatabaseOptions } from "../../src/index.ts";
import { describeDatabase } from "./database.ts";
import { describeFeed } from "./feed.ts";
import { noon, type WithStore } from "./given.ts";
import { describeList } from "./reading/list.ts";
import { describeSearch } from "./reading/search.ts";
import { describeSelection } from "./reading/selection.ts";
import { selectable } from "./reading/selection-model.ts";
import { describeRevision } from "./revision.ts";
import { describeTransaction } from "./transaction.ts";
import { describeBulkChange } from "./writing/bulk-change.ts";
import { describeBulkCreation } from "./writing/bulk-creation.ts";
import { describeConflicts } from "./writing/conflicts.ts";
import { describeCreation } from "./writing/creation.ts";
import { describeIdempotency } from "./writing/idempotency.ts";
import { describeLoading, type WithDatabases } from "./writing/loading.ts";
import { describeOwner } from "./writing/owner.ts";
import { describeRemoval } from "./writing/removal.ts";
import { describeReplacement } from "./writing/replacement.ts";

export { create, everything, noon, replace } from "./given.ts";
export { describeSelection } from "./reading/selection.ts";
export { describeEndOfTransactions } from "./transaction.ts";

type Open = (options: DatabaseOptions) => Promise<Database>;

/**
 * What every store does. `open` gives an empty database with these collections and this clock, closed after the test; it may be the same
 * one for every test, `openApart` gives another one each time.
 */
export function describeStore(name: string, open: Open, openApart: Open = open): void {
  describeCreation(name, withStoreOf(open));
  describeReads(name, open);
  describeChanges(name, open, openApart);
  describeQueries(name, open);
}

/** What of this depends on how the store reads its database: by one connection or by several, from this thread or from another. */
export function describeReads(name: string, open: Open): void {
  const withStore = withStoreOf(open);
  describeRevision(name, withStore);
  describeList(name, withStore);
  describeDatabase(name, withStore);
}

/** What of this depends on the database and its statements only. */
export function describeQueries(name: string, open: Open): void {
  const withStore = withStoreOf(open);
  describeSelection(name, withStore);
  describeSearch(name, withStore);
}

/** What of this depends on how changes are counted. */
export function describeChanges(name: string, open: Open, openApart: Open): void {
  const withStore = withStoreOf(open);
  describeConflicts(name, withStore);
  describeReplacement(name, withStore);
  describeRemoval(name, withStore);
  describeBulkChange(name, withStore);
  describeBulkCreation(name, withStore);
  describeOwner(name, withStore);
  describeIdempotency(name, withStore);
  describeFeed(name, withStore);
  describeTransaction(name, withStore);
  describeTransfer(name, open, openApart);
}

/** What of this depends on how a database is read as a whole, and filled with what was read. */
export function describeTransfer(name: string, open: Open, openApart: Open = open): void {
  const withDatabases: WithDatabases = (count, use) => async () => {
    const opening = Array.from({ length: count }, () => openApart({ collections, now: () => noon }));
    const databases = await Promise.all(opening);
    try {
      await use(databases);
    } finally {
      for (const database of databases) await database.close();
    }
  };
  describeLoading(name, withStoreOf(open), withDatabases);
}

/** Gives each test a store of the database that `open` gives. */
export function withStoreOf(open: Open): WithStore {
  return (use, now = () => noon) =>
    async () => {
      const database = await open({ collections, now });
      try {
        await use(database.store("person"), database);
      } finally {
        await database.close();
      }
    };
}

const collections: readonly CollectionDefinition[] = [
  {
    name: "person",
    members: {
      identifier: { unique: true },
      "custom.staffNumber": { unique: true },
      ...selectable,
      name: { filter: "text", search: true },
      "address.addressLocality": { search: true },
      telephone: { search: "digits" },
      "telephones.value": { list: true, search: "digits" },
    },
  },
  { name: "page", owner: { collection: "book", member: "bookId" } },
  {
    name: "book",
    members: {
      isbn: { unique: true },
      title: { filter: "text", search: true },
    },
    owner: { collection: "person", member: "personId" },
  },
];
