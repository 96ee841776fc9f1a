import { heldByAnother } from "../handlers/refusals.ts";
import type { Store } from "../store.ts";
import { ForetoldConflicts } from "./foretold-conflicts.ts";
import type { LineErrors } from "./report.ts";
import { inBatches, type SpooledDocument } from "./spool.ts";

/** How many documents could be stored, and where that stopped because there were enough errors. */
interface Storable {
  readonly valid: number;
  /** The last line that was compared with the stored records; undefined when all were. */
  readonly stoppedAfter?: number;
}

/**
 * Counts the documents that could be stored now, and adds the conflicts of the others to the errors: with stored records, and with
 * documents before them. Stores nothing.
 */
export async function countStorable(
  store: Store,
  documents: AsyncIterable<SpooledDocument>,
  errors: LineErrors,
): Promise<Storable> {
  let valid = 0;
  const foretold = new ForetoldConflicts(store, store.unique);
  for await (const batch of inBatches(documents)) {
    const conflicts = await foretold.of(batch.map(({ document }) => document));
    for (const [i, { line }] of batch.entries()) {
      const member = conflicts[i];
      if (member === undefined) valid++;
      else errors.add(line, [heldByAnother(member)]);
      if (errors.areEnough) return { valid, stoppedAfter: line };
    }
  }
  return { valid };
}
