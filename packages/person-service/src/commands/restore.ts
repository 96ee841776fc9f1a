import { displayAddress, isPostgresAddress, openSnapshot } from "@waymark/collection";
import { databaseOption } from "../options.ts";
import { type Command, CommandRefused } from "./command.ts";
import { loadPeople } from "./copy.ts";

/** Loads a backup into an empty database. */
export const restoreCommand: Command = {
  about: "Loads a backup into a database that is empty, or not there yet.",
  note: "The backup is read through first, and not changed.",
  operand: "FILE",
  options: { database: { ...databaseOption, about: `${databaseOption.about}; made if it is a file that is missing` } },
  async run(given, io) {
    if (isPostgresAddress(given.operand)) throw new CommandRefused("A backup is a file; use the command copy.");
    const database = given.value("database") ?? "";
    const count = await loadPeople(await openSnapshot(given.operand, { verify: true }), database, io);
    io.print(`restored ${count} people from ${given.operand} to ${displayAddress(database)}`);
  },
};
