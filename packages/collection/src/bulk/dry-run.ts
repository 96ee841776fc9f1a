import { excerpt } from "waymark/internal";
import { heldByAnother } from "../handlers/refusals.ts";
import { readQuery, reportUnknown } from "../lists/parameters.ts";
import { valueAt } from "../member-value.ts";
import type { Store } from "../store.ts";
import { HeldValues } from "./held-values.ts";
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
  const held = new HeldValues();
  for await (const batch of inBatches(documents)) {
    const conflicts = await store.conflicts(batch.map(({ document }) => document));
    for (const [i, { line, document }] of batch.entries()) {
      const keys = keysOf(document, store.unique);
      const member = conflicts[i] ?? keys.find(({ key }) => held.has(key))?.member;
      if (member === undefined) {
        valid++;
        for (const { key } of keys) held.add(key);
      } else errors.add(line, [{ message: heldByAnother(member), path: [member] }]);
      if (errors.areEnough) return { valid, stoppedAfter: line };
    }
  }
  return { valid };
}

/** Returns the values of a document that no other may have. */
function keysOf(
  document: object,
  unique: readonly string[],
): readonly { readonly member: string; readonly key: string }[] {
  return ["id", ...unique].flatMap((member) => {
    const value = valueAt(document, member) ?? null;
    return value === null ? [] : [{ member, key: `${member} ${JSON.stringify(value)}` }];
  });
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
