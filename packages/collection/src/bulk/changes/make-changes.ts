import type { Awaitable } from "waymark";
import type { StandardSchemaV1 } from "waymark/content";
import { heldByAnother } from "../handlers/refusals.ts";
import type { ChangeNote } from "../layers/change-note.ts";
import { RightsEnded } from "../layers/readmission.ts";
import { StoreOutcomeUnknown, StoreUnavailable } from "../stores/contract/errors.ts";
import type { BulkConflict, ListChange, Store, StoredRecord } from "../stores/contract/store.ts";
import { type Seen, SeenValues, UndoneLines } from "./earlier-lines.ts";
import type { BrokenOff, Judgement, Made, Progress } from "./outcomes.ts";
import type { LineErrors } from "./report.ts";
import { inBatches, type SpooledDocument } from "./spool/spool.ts";
import { BulkTimeExceeded, type BulkWork } from "./work.ts";

/** The lines of a request, which are to become changes. */
export interface Lines {
  readonly store: Store;
  readonly work: BulkWork;
  readonly errors: LineErrors;
  /** Reads them, from the first one at each call. */
  read(): AsyncIterable<SpooledDocument>;
  /** Judges the next lines, by the records that are stored now and by what the lines before were about. */
  judge(lines: readonly SpooledDocument[], seen: Seen): Awaitable<readonly Judgement[]>;
  /** What other lists must not have at the same time: the values by which a line finds its record. Default: none. */
  readonly lockOf?: ((line: SpooledDocument) => string | undefined) | undefined;
  /** Returns the records to be removed when all lines have been judged; throws where they must not be. Default: none. */
  readonly missing?: ((seen: Seen) => AsyncIterable<StoredRecord>) | undefined;
  /** Throws where the caller may not make this change to the record. Default: any may be made. */
  readonly admit?: ((method: "PATCH" | "DELETE", id: number) => void) | undefined;
  /** Called before a transaction ends, in which all lines were judged. */
  readonly confirm?: (() => Promise<void>) | undefined;
  /** Whether everything is undone. */
  readonly isDryRun: boolean;
  /** `whole`: all or none. `steps`: all or none of each step, until one fails. `each`: the good ones, in steps. */
  readonly mode: "whole" | "steps" | "each";
  /** How many lines an earlier request has done, and what became of them. */
  readonly done: Progress;
  /** Keeps how far the changes are, together with them. */
  readonly keep?: KeptProgress | undefined;
}

/** What is kept of a list that may come again. */
export interface KeptProgress {
  readonly key: string;
  /** Returns what to keep with a step. */
  text(progress: Progress): string;
  /** Called when a step with the text is stored. */
  stored(): void;
  /** Called in each transaction; throws where another request has stored a step meanwhile. */
  confirm(): Promise<void>;
}

/**
 * Makes the changes that lines come to, in one transaction or in steps of a thousand: each judges its lines when it has begun, and
 * makes them, all or none. Of a dry run they are undone.
 *
 * @param note takes what is changed
 * @throws StoreUnavailable, BulkTimeExceeded and RightsEnded (rejects) where nothing is stored
 */
export async function makeChanges(lines: Lines, note: ChangeNote | undefined): Promise<Made> {
  const run = new Run(lines, note);
  if (lines.mode === "whole")
    await run.step(() => inBatches(lines.work.each(lines.read()), mostJudged), { isLast: true });
  else await run.steps();
  return run.made;
}

class Run {
  readonly #lines: Lines;
  readonly #note: ChangeNote | undefined;
  readonly #seen = new SeenValues();
  readonly #undone: UndoneLines | undefined;
  #progress: Progress;
  #isInvalid = false;
  #isOwnerless = false;
  #lastLine = 0;
  #brokenOff: BrokenOff | undefined;

  constructor(lines: Lines, note: ChangeNote | undefined) {
    this.#lines = lines;
    this.#note = note;
    this.#progress = lines.done;
    this.#undone = lines.isDryRun && lines.mode !== "whole" ? new UndoneLines(lines.store.unique) : undefined;
  }

  get made(): Made {
    const { tried: _tried, isDone: _isDone, ...counts } = this.#progress;
    return {
      ...counts,
      isInvalid: this.#isInvalid,
      isOwnerless: this.#isOwnerless,
      brokenOff: this.#brokenOff,
    };
  }

  async steps(): Promise<void> {
    const { work, read, missing, keep, done } = this.#lines;
    let passed = 0;
    try {
      for await (const some of inBatches(work.each(read()), mostInStep)) {
        const rest = some.slice(Math.max(0, done.tried - passed));
        passed += some.length;
        if (rest.length > 0 && !(await this.#goesOn(rest))) return;
      }
      for await (const some of inBatches(spooled(missing?.(this.#seen) ?? []), mostInStep)) {
        if (!(await this.#goesOn(some, removals))) return;
      }
      if (keep !== undefined) await this.step(() => inBatches([], 1), { isLast: true });
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined || this.#lastLine === 0) throw error;
      this.#brokenOff = { reason, line: this.#lastLine };
    }
  }

  /** Makes a step; returns whether there is to be another one. */
  async #goesOn(some: readonly SpooledDocument[], judge = this.#lines.judge): Promise<boolean> {
    const { errors, mode, isDryRun } = this.#lines;
    const before = errors.lines;
    await this.step(() => inBatches(some, mostJudged), { judge });
    if (mode === "steps" && errors.lines > before && !isDryRun) {
      this.#brokenOff = { reason: this.#isInvalid ? "errors" : "conflicts", line: this.#lastLine };
      return false;
    }
    this.#lastLine = some.at(-1)?.line ?? this.#lastLine;
    if (errors.areEnough) this.#brokenOff = { reason: "errors", line: this.#lastLine };
    return !(this.#isOwnerless || errors.areEnough);
  }

  /** Makes the changes of some lines in a transaction; of lines that stand for themselves once more without those that conflict. */
  async step(read: Step["read"], { judge = this.#lines.judge, isLast = false }: Partial<Step> = {}): Promise<void> {
    const { mode, errors } = this.#lines;
    const known = new Map<number, readonly StandardSchemaV1.Issue[]>();
    for (;;) {
      const seen = this.#seen.round();
      const attempt = await this.#attempt({ read, judge, isLast }, seen, known);
      if (attempt.isOwnerless) {
        this.#isOwnerless = true;
        return;
      }
      for (const [position, issues] of attempt.conflicts) known.set(position, issues);
      if (mode === "each" && attempt.conflicts.size > 0) continue;
      seen.keep();
      for (const { line, issues } of attempt.faults) errors.add(line, issues);
      this.#isInvalid ||= attempt.isInvalid;
      if (attempt.isKept || this.#lines.isDryRun) this.#progress = attempt.progress;
      if (attempt.isKept) {
        this.#lines.keep?.stored();
        this.#notes(attempt.changes);
      }
      if (this.#undone !== undefined) for (const { judgement } of attempt.changes) this.#undone.add(judgement);
      if (attempt.stoppedAfter !== undefined) this.#brokenOff = { reason: "errors", line: attempt.stoppedAfter };
      return;
    }
  }

  /** @param known what is wrong with lines that conflicted before, by their positions */
  async #attempt(
    { read, judge, isLast }: Step,
    seen: Seen,
    known: ReadonlyMap<number, readonly StandardSchemaV1.Issue[]>,
  ) {
    const { store, lockOf, admit, missing, confirm, isDryRun, mode, errors, keep } = this.#lines;
    const undone = this.#undone;
    const counts = { ...this.#progress };
    const faults: { readonly line: number; readonly issues: readonly StandardSchemaV1.Issue[] }[] = [];
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
          const issues =
            known.get(tried) ?? (judgement.kind === "refuse" ? judgement.issues : undone?.issues(judgement));
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
    const progress = (): Progress => ({ ...counts, tried: this.#progress.tried + tried, isDone: isLast });
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

  #notes(changes: readonly Change[]): void {
    const note = this.#note;
    if (note === undefined) return;
    for (const { judgement } of changes) {
      note.add(noteOf[judgement.kind], judgement.kind === "create" ? undefined : judgement.record.id);
    }
  }
}

/** The lines of a transaction. */
interface Step {
  readonly read: () => AsyncIterable<readonly SpooledDocument[]>;
  readonly judge: Lines["judge"];
  /** Whether no line is left behind them. */
  readonly isLast: boolean;
}

async function* spooled(
  records: AsyncIterable<StoredRecord> | readonly [],
): AsyncGenerator<SpooledDocument, void, undefined> {
  for await (const record of records) yield { line: 0, document: record, size: record.json.length };
}

const removals: Lines["judge"] = (lines) =>
  lines.map(({ document }) => ({ kind: "remove", record: document as StoredRecord })); // see `spooled`

/** A change that was wanted, in its order. */
interface Change {
  readonly line: number;
  /** That of its line in the step, from 1. */
  readonly position: number;
  readonly judgement: ChangeJudgement;
}

type ChangeJudgement = Extract<Judgement, { readonly kind: keyof typeof noteOf }>;

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

const noteOf = { create: "created", change: "changed", remove: "removed" } as const;

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

function reasonOf(error: unknown): BrokenOff["reason"] | undefined {
  if (error instanceof StoreOutcomeUnknown) return "unknown";
  if (error instanceof BulkTimeExceeded) return "time";
  if (error instanceof RightsEnded) return "rights";
  return error instanceof StoreUnavailable ? "store" : undefined;
}

/** Lines are validated at least twice: a hundred take a few milliseconds. */
const mostJudged = 100;

/** A step is one transaction, for which others wait. */
const mostInStep = 1000;
