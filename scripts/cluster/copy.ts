import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runProgram } from "../../packages/person-service/test/service-process.ts";

/** Copies a database to an SQLite file while others write to it, and returns the identifiers of all people in the copy. */
export async function identifiersInCopy(database: string): Promise<ReadonlySet<string>> {
  const directory = await mkdtemp(join(tmpdir(), "copy-"));
  try {
    const file = join(directory, "people.db");
    const { code, stderr } = await runProgram("copy", "--from", database, "--to", file);
    if (code !== 0) throw new Error(`The copy has failed: ${stderr}`);
    const copy = new DatabaseSync(file, { readOnly: true });
    const rows = copy.prepare("SELECT document FROM person").all();
    copy.close();
    return new Set(rows.map(({ document }) => JSON.parse(String(document)).identifier));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
