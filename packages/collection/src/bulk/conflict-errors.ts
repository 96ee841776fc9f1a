import { createHash } from "node:crypto";
import { heldByAnother } from "../handlers/refusals.ts";
import { valueAt } from "../member-value.ts";
import type { BulkConflict, Document } from "../store.ts";
import { LineErrors } from "./report.ts";
import type { Spool, SpooledDocument } from "./spool.ts";
import type { BulkWork } from "./work.ts";

/**
 * Finds the lines of conflicting documents, and whether an earlier line or a stored record has the same value. Reads the
 * documents twice and keeps none of them.
 *
 * @param conflicts in the order of their positions
 */
export async function conflictErrors(
  spool: Spool,
  work: BulkWork,
  conflicts: readonly BulkConflict[],
  place: LineErrors["place"],
): Promise<LineErrors> {
  const found = await findConflicts(work.each(spool.documents()), conflicts);
  const firstLines = await findFirstLines(work.each(spool.documents()), found);
  const errors = new LineErrors(place);
  for (const { line, member, key } of found) {
    const first = firstLines.get(key);
    const isOfLine = first !== undefined && first < line;
    const issue = heldByAnother(member);
    errors.add(line, [isOfLine ? { ...issue, message: `is already used in ${place} ${first}` } : issue]);
  }
  return errors;
}

interface Conflict {
  readonly line: number;
  readonly member: string;
  readonly key: string;
}

async function findConflicts(
  documents: AsyncIterable<SpooledDocument>,
  conflicts: readonly BulkConflict[],
): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  let position = 0;
  for await (const { line, document } of documents) {
    position++;
    const conflict = conflicts[found.length];
    if (conflict === undefined) break;
    if (conflict.position !== position) continue;
    found.push({ line, member: conflict.member, key: keyOf(document, conflict.member) });
  }
  return found;
}

async function findFirstLines(
  documents: AsyncIterable<SpooledDocument>,
  conflicts: readonly Conflict[],
): Promise<ReadonlyMap<string, number>> {
  const members = new Set(conflicts.map(({ member }) => member));
  const wanted = new Set(conflicts.map(({ key }) => key));
  const lines = new Map<string, number>();
  const note = ({ line, document }: SpooledDocument, member: string): void => {
    const key = keyOf(document, member);
    if (wanted.delete(key)) lines.set(key, line);
  };
  for await (const spooled of documents) {
    if (wanted.size === 0) break;
    for (const member of members) note(spooled, member);
  }
  return lines;
}

/** Returns a short digest of a member and its value, which may be long. */
function keyOf(document: Document, member: string): string {
  return createHash("sha256")
    .update(JSON.stringify([member, valueAt(document, member)]))
    .digest("base64");
}
