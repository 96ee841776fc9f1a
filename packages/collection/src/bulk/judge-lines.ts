import { heldByAnother } from "../handlers/refusals.ts";
import type { ListChange, Store } from "../stores/contract/store.ts";
import { foretoldConflicts } from "./foretold-conflicts.ts";
import { claimOf, type Judgement, type Matching } from "./matching.ts";
import type { LineErrors } from "./report.ts";
import { inBatches, type Spool } from "./spool.ts";
import type { BulkWork } from "./work.ts";

/** The lines of a request that are judged by stored records. */
export interface JudgedLines {
  readonly store: Store;
  readonly matching: Matching;
  /** The lines as they were sent, and where what they become is put aside. */
  readonly lines: Spool;
  readonly plan: Spool;
  readonly work: BulkWork;
  readonly errors: LineErrors;
  /** Whether conflicts are looked for, since nothing will be stored. */
  readonly isDryRun: boolean;
  /** The most records that may be removed because no line has them; undefined where none are. */
  readonly most: number | undefined;
  /** Throws where the caller may not make this change to the record. */
  readonly admit: (method: "PATCH" | "DELETE", id: number) => void;
}

/** What the judgement of many records comes to. */
export interface Verdict {
  /** Whether one is refused for what it would be, rather than for what is stored. */
  readonly isInvalid: boolean;
  /** The last line or record that was judged, where there were enough errors. */
  readonly stoppedAfter: number | undefined;
}

/** What the lines come to. */
export interface Judged extends Verdict {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly skipped: number;
  /** The stored records that no line has; undefined where that was not asked. */
  readonly missing: number | undefined;
}

/** Judges the lines, adds what is wrong with them to the errors, and puts the changes aside. Changes nothing. */
export async function judgeLines(request: JudgedLines): Promise<Judged> {
  const { store, matching, lines, plan, work, errors, isDryRun, most, admit } = request;
  const counts = { created: 0, updated: 0, unchanged: 0, skipped: 0 };
  const foretold = isDryRun ? foretoldConflicts(store, store.unique) : undefined;
  // Those that cannot be read are among the errors.
  let isInvalid = errors.lines > 0;
  for await (const batch of inBatches(work.each(lines.documents()), atOnce)) {
    const judgements = await matching.judge(batch.map(({ document }) => document));
    const conflicts = await foretold?.(judgements.map((judgement) => claimOf(judgement, store.unique)));
    for (const [i, judgement] of judgements.entries()) {
      const { line } = batch[i] as (typeof batch)[number]; // there are as many
      const member = conflicts?.[i];
      if (judgement.kind === "refuse") {
        isInvalid ||= !judgement.isConflict;
        errors.add(line, judgement.issues);
      } else if (member !== undefined) {
        errors.add(line, [heldByAnother(member)]);
      } else {
        counts[kinds[judgement.kind]]++;
        if (judgement.kind === "change") admit("PATCH", judgement.record.id);
        const change = changeOf(judgement);
        const written = change && plan.add(line, change);
        if (written !== undefined) await written;
      }
      if (errors.areEnough) return { ...counts, missing: undefined, isInvalid, stoppedAfter: line };
    }
  }
  const missing = most === undefined ? undefined : await planRemovals(request, most);
  return { ...counts, missing, isInvalid, stoppedAfter: undefined };
}

/** Lines are validated at least twice: a hundred take a few milliseconds. */
const atOnce = 100;

const kinds = { create: "created", change: "updated", unchanged: "unchanged", skip: "skipped" } as const;

function changeOf(judgement: Judgement): ListChange | undefined {
  if (judgement.kind === "create") return { kind: "create", document: judgement.document };
  if (judgement.kind !== "change") return undefined;
  const { record, document } = judgement;
  return { kind: "replace", id: record.id, expectedRevision: record.revision, document };
}

/** Puts aside the removals of the records that no line has, as long as there are not too many; returns how many there are. */
async function planRemovals({ store, matching, plan, work, admit }: JudgedLines, most: number): Promise<number> {
  let missing = 0;
  for await (const records of store.list()) {
    for (const record of records) {
      const pause = work.next();
      if (pause !== undefined) await pause;
      if (!matching.isMissing(record)) continue;
      admit("DELETE", record.id);
      missing++;
      const { id, revision: expectedRevision } = record;
      const written = missing > most ? undefined : plan.add(0, { kind: "remove", id, expectedRevision });
      if (written !== undefined) await written;
    }
  }
  return missing;
}
