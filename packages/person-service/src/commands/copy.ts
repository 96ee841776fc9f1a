import { displayAddress, openDatabase, openSnapshot, type Snapshot, StoreUnavailable } from "@waymark/collection";
import { personCollection } from "../person/person-collection.ts";
import { reportProgress } from "../progress.ts";
import { type Command, CommandRefused, type CommandStreams } from "./command.ts";

/** Copies all people from one database to another. */
export const copyCommand: Command = {
  about: "Copies everybody to an empty database: SQLite to PostgreSQL, back, or alike.",
  note: "People keep their ids, revisions and entity tags. The copy is of the moment at which it begins, whatever is written to the source meanwhile. If it breaks off, the same command goes on where it was, and takes over what has changed; until it is done, the target is of no use for anything else.",
  options: {
    from: { value: "DATABASE", about: "the database to copy: a file, or postgres://...", required: true },
    to: { value: "DATABASE", about: "the one to copy to, made if it is a file that is missing", required: true },
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
 * Loads the people of a snapshot, which it closes, into the database at an address, and says how far it is. Gives how many they are.
 *
 * @throws CommandRefused (rejects) where it can be gone on with
 */
export async function loadPeople(snapshot: Snapshot, to: string, io: CommandStreams): Promise<number> {
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
    throw new CommandRefused(`${error.message}. The same command goes on where this one was.`);
  } finally {
    await snapshot.close();
  }
}
