import { existsSync } from "node:fs";
import type { DatabaseKind } from "../database-kind.ts";
import { openSqliteDatabase } from "./database.ts";
import { openSqliteSnapshot } from "./snapshot.ts";

/** SQLite. Every text can be the path of a file, so this kind is the last that is asked. */
export const sqlite: DatabaseKind = {
  name: "SQLite",
  addresses: "the path of a file",
  takes: () => true,
  display: (file) => file,
  fileOf: (file) => (file === ":memory:" ? undefined : file),
  isMissing: (file) => !existsSync(file),
  open: openSqliteDatabase,
  openSnapshot: async (file, options) => openSqliteSnapshot(file, options),
};
