import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { runProgram } from "../../packages/person-service/test/tools/programs/service-process.ts";

/** Copies a database to an SQLite file while others write to it, and returns the identifiers of all people in the copy. */
export async function identifiersInCopy(database: string): Promise<ReadonlySet<string>> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "copy-"));
  const file = join(directory.path, "people.db");
  const { code, stderr } = await runProgram("copy", "--from", database, "--to", file);
  if (code !== 0) throw new Error(`The copy has failed: ${stderr}`);
  using copy = new DatabaseSync(file, { readOnly: true });
  const rows = copy.prepare("SELECT document FROM person").all();
  return new Set(rows.map(({ document }) => JSON.parse(String(document)).identifier));
}
