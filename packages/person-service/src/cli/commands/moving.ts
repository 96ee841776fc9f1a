import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  backupSqliteFile,
  type CollectionDefinition,
  type Database,
  openDatabase,
  openSnapshot,
  type Snapshot,
  StoreUnavailable,
} from "@waymark/collection";
import { displayAddress, kindOf, type RestoreProgress } from "@waymark/collection/internal";
import { wording } from "waymark/internal";
import { personCollectionOf } from "../../person/collection.ts";
import { type MemberList, ourMembers } from "../../person/members/member-list.ts";
import { ownObject } from "../../person/members/members.ts";
import { sendEverybodyAgain, webhookCollection } from "../../webhooks/state.ts";
import { databaseAddress, faultInKept, isSameDatabase } from "../settings/schemas.ts";
import { judged, setting } from "../settings/setting.ts";
import { databaseSettings, membersIn } from "../settings/settings.ts";
import { CommandError, withFile } from "../terminal/command-error.ts";
import { type CommandStreams, countPeople, reportProgress } from "../terminal/streams.ts";
import { type Command, command } from "./command.ts";

/** Copies all people from one database to another. */
export const copyCommand: Command = command({
  about: "Copies all people to an empty database: from SQLite to PostgreSQL, back, or between two of a kind.",
  notes: [
    "People keep their ids, revisions and entity tags. The copy has the state of one moment, that at which its last step began, whatever is written to the source meanwhile.",
    "If it breaks off, run the same command again: it continues, and takes over what has changed. Until it is done, the target cannot be used.",
  ],
  examples: [["person-service copy --from people.db --to postgres://db.example.org/people", "SQLite to PostgreSQL"]],
  options: {
    from: setting(judged(databaseAddress), {
      value: "DATABASE",
      about: "the database to copy: a file, or postgres://...",
      required: true,
    }),
    to: setting(judged(databaseAddress), {
      value: "DATABASE",
      about: "the database to copy to; a file is made if it is missing",
      required: true,
    }),
  },
  faultIn: ({ values: { from, to } }) =>
    isSameDatabase(from, to) ? "--from and --to are the same database." : faultInKept("copy", to),
  async run({ values: { from, to } }, io) {
    const count = await restorePeople(() => openSnapshot(from), to, io, { inSteps: true });
    io.print(`copied ${countPeople(count)} from ${displayAddress(from)} to ${displayAddress(to)}`);
  },
});

interface RestoreSteps {
  /** The members that people may have. Default: no others than ours. */
  readonly members?: MemberList;
  /** Whether to go on with later snapshots: others change the source meanwhile, and an old snapshot makes that slow. */
  readonly inSteps?: boolean;
  /** Whether it is an older state, in which the source does not go on. */
  readonly isOlder?: boolean;
}

/**
 * Loads the people of a database into the one at an address, with progress. Returns how many people there are.
 *
 * @param open opens a snapshot of the source
 * @throws CommandError (rejects) where the same command can continue
 */
async function restorePeople(
  open: () => Promise<Snapshot>,
  to: string,
  io: CommandStreams,
  { members = ourMembers, inSteps = false, isOlder = false }: RestoreSteps = {},
): Promise<number> {
  let snapshot = await open();
  try {
    const people = personCollectionOf(members);
    const hasWebhooks = (await snapshot.counters(webhookCollection.name)).revision > 0;
    await using target = await openDatabase(to, {
      collections: hasWebhooks ? [people, webhookCollection] : [people],
      forRestore: true,
    });
    const report = reportProgress(io);
    let count = 0;
    const onProgress = ({ collection, stored, total }: RestoreProgress): void => {
      if (collection !== people.name) return;
      count = total;
      report(stored, total, "people");
    };
    for (let stopAfter = leastStep; ; ) {
      const began = performance.now();
      if (await target.restore(snapshot, { onProgress, ...(inSteps && { stopAfter }) })) {
        if (hasWebhooks && isOlder) await sendEverybodyAgain(target.store(webhookCollection.name));
        return count;
      }
      // What has changed since the step before was stored first. It must not take the time of the new people.
      stopAfter = Math.max(leastStep, 4 * (performance.now() - began - stopAfter));
      await snapshot.close();
      snapshot = await open();
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandError(`${error.message}. Run the same command again.`);
  } finally {
    await snapshot.close();
  }
}

/** In milliseconds: how long a snapshot is open, at least, before a later one takes its place. */
const leastStep = 30_000;

/** Writes a database to a file while it is in use. */
export const backupCommand: Command = command({
  about: "Writes a database to a new file, also while a service uses it.",
  notes: [
    "The file has every change that was answered before. It gets its name when it is complete and on disk. It is an SQLite file, also of a PostgreSQL database.",
  ],
  operands: ["FILE"],
  options: databaseSettings,
  async run({ operands: [file = ""], values }, io) {
    const { database } = values;
    if (kindOf(database).fileOf(database) === undefined) await backUpServer(database, file, membersIn(values), io);
    else await backUpFile(database, file, io);
    io.print(`backed up ${displayAddress(database)} to ${file}`);
  },
});

async function backUpFile(database: string, file: string, io: CommandStreams): Promise<void> {
  const report = reportProgress(io);
  await backupSqliteFile(database, file, {
    onProgress: (share) => report(Math.floor(share * 100), 100, "%"),
  });
}

/** Copies a database of a server to a file in a folder beside the new one, and backs that up. */
async function backUpServer(database: string, file: string, members: MemberList, io: CommandStreams): Promise<void> {
  if (existsSync(file))
    throw new CommandError(`There is ${wording.quote(file)} already: name a file that is not there yet`);
  const partial = join(dirname(file), `.${basename(file)}.partial-`);
  const folder = await withFile(file, "made", () => mkdtemp(partial));
  try {
    const copy = join(folder, "copy.db");
    await restorePeople(() => openSnapshot(database), copy, io, { members, inSteps: true });
    await backupSqliteFile(copy, file);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Loads a backup into an empty database. */
export const restoreCommand: Command = command({
  about: "Loads a backup into a database that is empty or missing.",
  notes: ["The backup is first read through, and is not changed."],
  operands: ["FILE"],
  options: databaseSettings,
  faultIn: ({ operands: [file], values: { database } }) =>
    isSameDatabase(file, database)
      ? "FILE and --database are the same file: name another database."
      : faultInKept("restore", database),
  async run({ operands: [file = ""], values }, io) {
    if (kindOf(file).fileOf(file) === undefined)
      throw new CommandError("A backup is a file; for a database use the command copy.");
    const { database } = values;
    const count = await restorePeople(() => openSnapshot(file, { verify: true }), database, io, {
      members: membersIn(values),
      isOlder: true,
    });
    io.print(`restored ${countPeople(count)} from ${file} to ${displayAddress(database)}`);
  },
});

/** Makes a database that went back to an older state take changes again. */
export const resumeCommand: Command = command({
  about: "Makes a database that went back to an older state, by a restored backup or a failover, take changes again.",
  notes: [
    "New people get ids and revisions above all that were given since, so that none is given twice. Services that noticed the loss take changes again, without a restart.",
  ],
  examples: [["person-service resume --database postgres://db.example.org/people", "after a failover lost changes"]],
  options: databaseSettings,
  async run({ values }, io) {
    const address = values.database;
    await using database = await openExisting(address, personCollectionOf(membersIn(values)), webhookCollection);
    await database.resume();
    await sendEverybodyAgain(database.store(webhookCollection.name));
    io.print(`resumed ${displayAddress(address)}`);
  },
});

/** Drops what only versions needed that do not run any more. */
export const dropIndexesCommand: Command = command({
  about: "Drops the indexes of a PostgreSQL database that no version of the service uses any more.",
  notes: [
    "A version that was in use within an hour keeps its indexes, so that the new version and the old one can run side by side. A service names unused indexes in its log when it starts. A SQLite file has none.",
  ],
  examples: [["person-service drop-indexes --database postgres://db.example.org/people", "after an update"]],
  options: databaseSettings,
  async run({ values }, io) {
    await using database = await openExisting(
      values.database,
      personCollectionOf(membersIn(values)),
      webhookCollection,
    );
    const dropped = await database.unusedIndexes({ drop: true });
    io.print(dropped.length === 0 ? "no index is unused" : dropped.map((index) => `dropped ${index}`).join("\n"));
  },
});

/**
 * Opens a database that is there: no command that only reads makes one.
 *
 * @throws CommandError (rejects) when it is not there
 */
export async function openExisting(
  address: string,
  ...collections: readonly CollectionDefinition[]
): Promise<Database> {
  if (kindOf(address).isMissing(address))
    throw new CommandError(`The database ${wording.quote(address)} does not exist.`);
  return openDatabase(address, { collections, onForgotten: refuseForgotten });
}

/** Keeps a command from changing a database for a service with other members: the running one would take no changes then. */
export function refuseForgotten(_collection: string, members: readonly string[]): void {
  const own = members.filter((name) => name.startsWith(`${ownObject}.`));
  if (own.length === 0) return;
  throw new CommandError(
    `The database has ${own.join(", ")}, and the settings do not: name those of the service with --config FILE.`,
  );
}
