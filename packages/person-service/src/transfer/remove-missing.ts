import type { StoredRecord } from "@waymark/collection";
import { type ImportOptions, type ImportResult, importPeople, newMatching } from "./import-people.ts";

export interface ListResult extends ImportResult {
  /** Stored people whom the file does not have. */
  readonly missing: number;
  readonly removed: number;
  /** Why nobody was removed, nor stored or changed; where people were `refused-later` they were. Undefined where nothing was in the way. */
  readonly heldBack: "empty" | "refused" | "too-many" | "refused-later" | undefined;
}

/**
 * Makes the stored people those of a file: imports it, and removes whom it does not have, at most so many. A dry run comes first: where
 * a person of the file would be refused, where it has nobody, or where it lacks too many, nothing is changed.
 */
export async function importAndRemove(options: ImportOptions, most: number): Promise<ListResult> {
  const { store, isDryRun } = options;
  const matching = newMatching(options);
  const checked = await importPeople({ ...options, isDryRun: true }, matching);
  const missing: Pick<StoredRecord, "id" | "revision">[] = [];
  for await (const records of store?.list() ?? []) {
    for (const record of records) {
      if (matching.isMissing(record)) missing.push({ id: record.id, revision: record.revision });
    }
  }
  const counts = { missing: missing.length, removed: 0 };
  const { stored, updated, known, skipped, refused, brokenOff } = checked;
  const heldBack =
    refused > 0
      ? "refused"
      : stored + updated + known + skipped === 0
        ? "empty"
        : missing.length > most
          ? "too-many"
          : undefined;
  if (isDryRun || heldBack !== undefined || brokenOff !== undefined) return { ...checked, ...counts, heldBack };
  // What is left out has been noted.
  const done = await importPeople({ ...options, onNote: undefined });
  if (done.brokenOff !== undefined || store === undefined) return { ...done, ...counts, heldBack: undefined };
  // Another program made changes meanwhile.
  if (done.refused > 0) return { ...done, ...counts, heldBack: "refused-later" };
  let removed = 0;
  for (let start = 0; start < missing.length; start += atOnce) {
    const some = missing.slice(start, start + atOnce);
    const removals = await Promise.all(some.map(({ id, revision }) => store.remove(id, revision)));
    removed += removals.filter(({ kind }) => kind === "removed").length;
  }
  return { ...done, missing: missing.length, removed, heldBack: undefined };
}

const atOnce = 1000;
