import type { StandardSchemaV1 } from "waymark/content";
import { heldByAnother } from "../../handlers/refusals.ts";
import type { BulkConflict, ListChange } from "../../stores/contract/store.ts";
import type { SpooledDocument } from "../spool/spool.ts";
import type { UndoneLines } from "./earlier-lines.ts";
import type { Judgement, Lines, Made, Progress, Seen } from "./lines.ts";

/**
 * Judges the lines of a step in a transaction, and makes the changes that they come to, all or none.
 *
 * @throws StoreUnavailable, BulkTimeExceeded and RightsEnded (rejects) where nothing is stored
 */
export async function attempt(
  { store, lockOf, admit, missing, confirm, isDryRun, mode, errors, keep }: Lines,
  { read, judge, isLast }: Step,
  { seen, known, undone, done }: Earlier,
): Promise<Attempt> {
  const counts = { ...done };
  const faults: Fault[] = [];
  const changes: Change[] = [];
  let [isInvalid, tried] = [false, 0];
  let stoppedAfter: number | undefined;
  const change = async (line: number, judgement: Judgement): Promise<ListChange | undefined> => {
    if (judgement.kind === "refuse") return undefined;
    counts[countOf[judgement.kind]]++;
    if (judgement.kind === "unchanged" || judgement.kind === "skip") return undefined;
    if (judgement.kind !== "create") admit?.(judgement.kind === "remove" ? "DELETE" : "PATCH", judgement.record.id);
    changes.push({
      line,
      position: tried,
      judgement: undone || judgement.kind !== "create" ? slim(judgement, undone) : created,
    });
    return changeOf(judgement);
  };
  async function* wanted(): AsyncGenerator<ListChange, void, undefined> {
    await keep?.confirm();
    for await (const some of read()) {
      const judgements = await judge(some, seen);
      for (const [i, judgement] of judgements.entries()) {
        const { line } = some[i] as SpooledDocument; // as many
        tried++;
        const issues = known.get(tried) ?? (judgement.kind === "refuse" ? judgement.issues : undone?.issues(judgement));
        if (issues !== undefined) {
          faults.push({ line, issues });
          isInvalid ||= judgement.kind === "refuse" && !judgement.isConflict;
          if (mode !== "whole" || !errors.areEnoughWith(faults)) continue;
          stoppedAfter = line;
          return;
        }
        const made = await change(line, judgement);
        if (made !== undefined) yield made;
      }
    }
    const isRefused = errors.lines + faults.length > 0;
    if (mode === "whole" && missing !== undefined && !isRefused) {
      for await (const record of missing(seen)) {
        const made = await change(0, { kind: "remove", record });
        if (made !== undefined) yield made;
      }
    }
    await confirm?.();
  }
  const progress = (): Progress => ({ ...counts, tried: done.tried + tried, isDone: isLast });
  const isUndone = (): boolean => isDryRun || (mode !== "each" && errors.lines + faults.length > 0);
  const locks = lockOf && (await locksOf(read, lockOf));
  const outcome = await store.changeAll(wanted(), {
    undo: isUndone,
    ...(locks && { locks }),
    ...(keep && { keep: { key: keep.key, text: () => keep.text(progress()) } }),
  });
  const conflicts = new Map<number, readonly StandardSchemaV1.Issue[]>();
  if (outcome.kind === "refused") {
    for (const conflict of outcome.conflicts) {
      const made = changes[conflict.position - 1] as Change; // as many as were wanted
      if (undone?.isFreed(made.judgement, conflict.member)) continue;
      counts[countOf[made.judgement.kind]]--;
      conflicts.set(made.position, [issueOf(conflict)]);
      if (mode !== "each") faults.push({ line: made.line, issues: [issueOf(conflict)] });
    }
  }
  const isOwnerless = outcome.kind === "ownerless";
  const isKept = outcome.kind === "created" && !isUndone();
  return { isOwnerless, conflicts, faults, isInvalid, progress: progress(), isKept, changes, stoppedAfter };
}

/** The lines of a transaction. */
export interface Step {
  readonly read: () => AsyncIterable<readonly SpooledDocument[]>;
  readonly judge: Lines["judge"];
  /** Whether no line is left behind them. */
  readonly isLast: boolean;
}

/** What is known from before. */
interface Earlier {
  readonly seen: Seen;
  /** What is wrong with lines that conflicted in an attempt before, by their positions. */
  readonly known: ReadonlyMap<number, readonly StandardSchemaV1.Issue[]>;
  /** Of a dry run in steps. */
  readonly undone: UndoneLines | undefined;
  readonly done: Progress;
}

/** What is wrong with a line. */
interface Fault {
  readonly line: number;
  readonly issues: readonly StandardSchemaV1.Issue[];
}

/** What became of a transaction. */
interface Attempt extends Pick<Made, "isInvalid" | "isOwnerless"> {
  /** What the store holds against changes, by the positions of their lines. */
  readonly conflicts: ReadonlyMap<number, readonly StandardSchemaV1.Issue[]>;
  readonly faults: readonly Fault[];
  readonly progress: Progress;
  /** Whether the changes are stored. */
  readonly isKept: boolean;
  readonly changes: readonly Change[];
  /** The line behind which nothing was judged, since there were enough errors. */
  readonly stoppedAfter: number | undefined;
}

/** A change that was wanted, in its order. */
export interface Change {
  readonly line: number;
  /** That of its line in the step, from 1. */
  readonly position: number;
  readonly judgement: ChangeJudgement;
}

type ChangeJudgement = Extract<Judgement, { readonly kind: "create" | "change" | "remove" }>;

/** One for all, since nobody asks for the documents. */
const created: ChangeJudgement = { kind: "create", document: {} };

/** Without the document, unless it is needed: a list has thousands. */
const slim = (judgement: ChangeJudgement, undone: object | undefined): ChangeJudgement =>
  undone === undefined && "record" in judgement
    ? { kind: judgement.kind, record: { ...judgement.record, json: "" }, document: {} }
    : judgement;

const countOf = {
  create: "created",
  change: "updated",
  remove: "removed",
  unchanged: "unchanged",
  skip: "skipped",
} as const;

function changeOf(judgement: ChangeJudgement): ListChange {
  if (judgement.kind === "create") return judgement;
  const { id, revision: expectedRevision } = judgement.record;
  if (judgement.kind === "remove") return { kind: "remove", id, expectedRevision };
  return { kind: "replace", id, expectedRevision, document: judgement.document };
}

function issueOf({ member }: BulkConflict): StandardSchemaV1.Issue {
  if (member !== undefined) return heldByAnother(member);
  return { message: "is about a record that another request changed at the same time: send it again", code: "changed" };
}

async function locksOf(
  read: () => AsyncIterable<readonly SpooledDocument[]>,
  lockOf: (line: SpooledDocument) => string | undefined,
): Promise<readonly string[]> {
  const locks = new Set<string>();
  for await (const some of read()) for (const line of some) locks.add(lockOf(line) ?? "");
  return [...locks];
}
