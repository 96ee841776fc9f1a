import {
  backupSqliteFile,
  displayAddress,
  isPostgresAddress,
  openDatabase,
  openSnapshot,
  type Snapshot,
  StoreUnavailable,
} from "@waymark/collection";
import { personCollection } from "../person/collection.ts";
import { type Command, CommandError, type CommandStreams } from "./command.ts";
import { databaseAddress, databaseOption } from "./options.ts";

/** Copies all people from one database to another. */
export const copyCommand: Command = {
  about: "Copies everybody to an empty database: SQLite to PostgreSQL, back, or alike.",
  note: "People keep their ids, revisions and entity tags. The copy is of the moment at which it begins, whatever is written to the source meanwhile. If it breaks off, the same command goes on where it was, and takes over what has changed; until it is done, the target is of no use for anything else.",
  options: {
    from: {
      usageError: databaseAddress("--from"),
      value: "DATABASE",
      about: "the database to copy: a file, or postgres://...",
      required: true,
    },
    to: {
      usageError: databaseAddress("--to"),
      value: "DATABASE",
      about: "the one to copy to, made if it is a file that is missing",
      required: true,
    },
  },
  async run(given, io) {
    const from = given.value("from") ?? "";
    const to = given.value("to") ?? "";
    const snapshot = await openSnapshot(from);
    const count = await loadPeople(snapshot, to, io);
    io.print(`copied ${count} people from ${displayAddress(from)} to ${displayAddress(to)}`);
  },
};

/**
 * Loads the people of a snapshot into the database at an address, with progress, and closes the snapshot. Returns how many
 * people there are.
 *
 * @throws CommandError (rejects) where the same command can continue
 */
async function loadPeople(snapshot: Snapshot, to: string, io: CommandStreams): Promise<number> {
  try {
    const target = await openDatabase(to, { collections: [personCollection], forLoading: true });
    try {
      const report = reportProgress(io);
      let count = 0;
      await target.load(snapshot, {
        onProgress: ({ stored, total }) => {
          count = total;
          report(stored, total, "people");
        },
      });
      return count;
    } finally {
      await target.close();
    }
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    throw new CommandError(`${error.message}. The same command goes on where this one was.`);
  } finally {
    await snapshot.close();
  }
}

/** Writes an SQLite database to a file while it is in use. */
export const backupCommand: Command = {
  about: "Writes a database of SQLite to a new file, while a service uses it.",
  note: "The file has everything that was answered before, and nothing by halves. It has its name once it is whole and on disk.",
  operand: "FILE",
  options: { database: { ...databaseOption, about: "the SQLite file to back up" } },
  async run(given, io) {
    const database = given.value("database") ?? "";
    if (isPostgresAddress(database)) {
      throw new CommandError(
        "A database of PostgreSQL is backed up by its own pg_dump; to have it in a file of SQLite, use the command copy.",
      );
    }
    const report = reportProgress(io);
    await backupSqliteFile(database, given.operand, {
      onProgress: (share) => report(Math.floor(share * 100), 100, "%"),
    });
    io.print(`backed up ${database} to ${given.operand}`);
  },
};

/** Loads a backup into an empty database. */
export const restoreCommand: Command = {
  about: "Loads a backup into a database that is empty, or not there yet.",
  note: "The backup is read through first, and not changed.",
  operand: "FILE",
  options: { database: { ...databaseOption, about: `${databaseOption.about}; made if it is a file that is missing` } },
  async run(given, io) {
    if (isPostgresAddress(given.operand)) throw new CommandError("A backup is a file; use the command copy.");
    const database = given.value("database") ?? "";
    const count = await loadPeople(await openSnapshot(given.operand, { verify: true }), database, io);
    io.print(`restored ${count} people from ${given.operand} to ${displayAddress(database)}`);
  },
};

/** Reports progress. */
type Report = (done: number, total: number, unit: string) => void;

/** Reports progress as a bar on a terminal, and as a line for each tenth elsewhere. */
export function reportProgress({ tell, draw }: Pick<CommandStreams, "tell" | "draw">): Report {
  let tenth = -1;
  return (done, total, unit) => {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    const count = unit === "%" ? `${done} %` : `${done} of ${total} ${unit}`;
    if (draw !== undefined) {
      const filled = Math.floor(share * barLength);
      draw(`[${"#".repeat(filled)}${".".repeat(barLength - filled)}] ${count}`);
    } else if (Math.floor(share * 10) > tenth) {
      tenth = Math.floor(share * 10);
      tell(count);
    }
  };
}

const barLength = 30;
