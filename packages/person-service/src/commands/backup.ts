import { backupSqliteFile, isPostgresAddress } from "@waymark/collection";
import { databaseOption } from "../options.ts";
import { reportProgress } from "../progress.ts";
import { type Command, CommandRefused } from "./command.ts";

/** Writes an SQLite database to a file while it is in use. */
export const backupCommand: Command = {
  about: "Writes a database of SQLite to a new file, while a service uses it.",
  note: "The file has everything that was answered before, and nothing by halves. It has its name once it is whole and on disk.",
  operand: "FILE",
  options: { database: { ...databaseOption, about: "the SQLite file to back up" } },
  async run(given, io) {
    const database = given.value("database") ?? "";
    if (isPostgresAddress(database)) {
      throw new CommandRefused(
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
