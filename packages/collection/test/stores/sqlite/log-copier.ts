import { copyFileSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

// A program that backs up a database file continuously, in the way of Litestream: it keeps a read transaction open, so that nobody
// begins the log again, and copies the log while it grows. From time to time it lets go and has the log written back.

const [file = "", copy = ""] = process.argv.slice(2);
const database = new DatabaseSync(file, { timeout: 5000 });
database.exec(`
  PRAGMA wal_autocheckpoint = 0;
  CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);
  INSERT OR IGNORE INTO _litestream_seq VALUES (1, 0);
`);
let salts = "";
const pause = new Int32Array(new SharedArrayBuffer(4));

const hold = (): void => {
  database.exec("BEGIN; SELECT seq FROM _litestream_seq");
  copyFileSync(file, copy);
  salts = saltsOfLog();
};

const steps: Readonly<Record<string, () => unknown>> = {
  hold,
  /** Copies the log; returns whether it is still the one that was there when it was taken hold of. */
  copy() {
    copyFileSync(`${file}-wal`, `${copy}-wal`);
    return saltsOfLog() === salts;
  },
  /** Has the log written back and begun again, as Litestream does when the log is large; returns how often it tried. */
  checkpoint() {
    database.exec("ROLLBACK");
    database.exec("UPDATE _litestream_seq SET seq = seq + 1");
    const statement = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
    // While the service writes back what it can, SQLite answers that it is busy, and does not wait.
    for (let tries = 1; tries <= 100; tries++) {
      if (statement.get()?.["busy"] === 0) return tries;
      Atomics.wait(pause, 0, 0, 10);
    }
    return null;
  },
};

process.on("message", (step: string) => process.send?.(steps[step]?.() ?? null));

/** What changes whenever the log begins again. */
function saltsOfLog(): string {
  return readFileSync(`${file}-wal`).toString("hex", 16, 24);
}
