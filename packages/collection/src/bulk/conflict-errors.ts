import { hash } from "node:crypto";
import { heldByAnother } from "../handlers/refusals.ts";
import { valueAt } from "../members/value.ts";
import type { BulkConflict, Document } from "../stores/contract/store.ts";
import type { LineErrors } from "./report.ts";
import { documentsAt, type Spool, type SpooledDocument } from "./spool.ts";
import type { BulkWork } from "./work.ts";

/**
 * Adds conflicts to the errors of their lines: whether an earlier line or a stored record has the same value. Reads the documents
 * twice and keeps none of them.
 *
 * @param conflicts in the order of their positions
 */
export async function addConflicts(
  errors: LineErrors,
  conflicts: readonly BulkConflict[],
  spool: Spool,
  work: BulkWork,
): Promise<void> {
  const found: Conflict[] = [];
  for await (const [{ member }, { line, document }] of documentsAt(work.each(spool.documents()), conflicts)) {
    found.push({ line, member, key: keyOf(document, member) });
  }
  const firstLines = await findFirstLines(work.each(spool.documents()), found);
  for (const { line, member, key } of found) {
    const first = firstLines.get(key);
    const isOfLine = first !== undefined && first < line;
    const issue = heldByAnother(member);
    errors.add(line, [isOfLine ? { ...issue, message: `is already used in ${errors.place} ${first}` } : issue]);
  }
}

interface Conflict {
  readonly line: number;
  readonly member: string;
  readonly key: string;
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
const keyOf = (document: Document, member: string): string =>
  hash("sha256", JSON.stringify([member, valueAt(document, member)]), "base64");
