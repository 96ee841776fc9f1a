import { excerpt } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import { readQuery, reportUnknown } from "../lists/parameters.ts";
import type { Store } from "../store.ts";
import type { LineErrors } from "./report.ts";
import { inBatches, type SpooledDocument } from "./spool.ts";

/** Counts the documents that could be stored now, and adds the conflicts of the others to the errors. Stores nothing. */
export async function countStorable(
  store: Store,
  documents: AsyncIterable<SpooledDocument>,
  errors: LineErrors,
): Promise<number> {
  let count = 0;
  for await (const batch of inBatches(documents)) {
    const conflicts = await store.conflicts(batch.map(({ document }) => document));
    for (const [i, { line }] of batch.entries()) {
      const member = conflicts[i];
      if (member === undefined) count++;
      else errors.add(line, [{ message: heldByAnother(member), path: [member] }]);
    }
  }
  return count;
}

/**
 * Returns whether the query asks for a dry run (`?dry-run=true`), which validates the records and stores nothing. It is a parameter
 * and not a preference, because a server that does not know a preference would ignore it and store them.
 *
 * @throws HttpError 400 `invalid-parameters` for anything else
 */
export function readDryRun(search: string): boolean {
  if (search === "") return false;
  return readQuery(search, (parameters, report) => {
    for (const [name, value] of parameters) {
      if (name !== "dry-run") reportUnknown(name, { names: ["dry-run"], filters: [], members: [] }, report);
      else if (value !== "true") report(name, `must be true, not ${excerpt(value)}`);
    }
    return parameters.has("dry-run");
  });
}
