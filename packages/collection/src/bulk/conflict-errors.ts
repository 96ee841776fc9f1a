import { createHash } from "node:crypto";
import { heldByAnother } from "../handlers/refusals.ts";
import type { BulkConflict, Document } from "../store.ts";
import { LineErrors } from "./line-errors.ts";
import type { Spool, SpooledDocument } from "./spool.ts";

/**
 * Which lines have a value that there is already, and whether a line before or a record has it. The documents are read twice
 * more, and nothing of them is kept.
 *
 * @param conflicts in the order of their positions
 */
export async function conflictErrors(spool: Spool, conflicts: readonly BulkConflict[]): Promise<LineErrors> {
  const found = await findConflicts(spool, conflicts);
  const firstLines = await findFirstLines(spool, found);
  const errors = new LineErrors();
  for (const { line, member, key } of found) {
    const first = firstLines.get(key);
    const isOfLine = first !== undefined && first < line;
    errors.add(line, [
      { path: [member], message: isOfLine ? `is that which line ${first} has` : heldByAnother(member) },
    ]);
  }
  return errors;
}

interface Conflict {
  readonly line: number;
  readonly member: string;
  readonly key: string;
}

async function findConflicts(spool: Spool, conflicts: readonly BulkConflict[]): Promise<readonly Conflict[]> {
  const found: Conflict[] = [];
  let position = 0;
  for await (const { line, document } of spool.documents()) {
    position++;
    const conflict = conflicts[found.length];
    if (conflict === undefined) break;
    if (conflict.position !== position) continue;
    found.push({ line, member: conflict.member, key: keyOf(document, conflict.member) });
  }
  return found;
}

async function findFirstLines(spool: Spool, conflicts: readonly Conflict[]): Promise<ReadonlyMap<string, number>> {
  const members = new Set(conflicts.map(({ member }) => member));
  const wanted = new Set(conflicts.map(({ key }) => key));
  const lines = new Map<string, number>();
  const look = ({ line, document }: SpooledDocument, member: string): void => {
    const key = keyOf(document, member);
    if (wanted.delete(key)) lines.set(key, line);
  };
  for await (const spooled of spool.documents()) {
    if (wanted.size === 0) break;
    for (const member of members) look(spooled, member);
  }
  return lines;
}

/** Stands for a member and its value; short, however long that is. */
function keyOf(document: Document, member: string): string {
  const { [member]: value } = document as Readonly<Record<string, unknown>>; // of JSON
  return createHash("sha256")
    .update(JSON.stringify([member, value]))
    .digest("base64");
}
