import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/** Opens a database file as another program would, for as long as `use` takes. */
export function withDatabase(file: string, use: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(file);
  try {
    use(database);
  } finally {
    database.close();
  }
}

/** Counts the commits in the write-ahead log of a file: the frames that say how large the file is after them. */
export function commitsIn(file: string): number {
  const log = readFileSync(`${file}-wal`);
  const pageSize = log.readUInt32BE(8);
  let commits = 0;
  for (let frame = 32; frame < log.length; frame += 24 + pageSize) {
    if (log.readUInt32BE(frame + 4) > 0) commits++;
  }
  return commits;
}
