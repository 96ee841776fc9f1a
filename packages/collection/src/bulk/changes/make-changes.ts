import type { StandardSchemaV1 } from "waymark/content";
import type { ChangeNote } from "../../layers/change-note.ts";
import { RightsEnded } from "../../layers/readmission.ts";
import { StoreOutcomeUnknown, StoreUnavailable } from "../../stores/contract/errors.ts";
import type { StoredRecord } from "../../stores/contract/store.ts";
import { inBatches, type SpooledDocument } from "../spool/spool.ts";
import { attempt, type Change, type Step } from "./attempt.ts";
import { SeenValues, UndoneLines } from "./earlier-lines.ts";
import type { BrokenOff, Lines, Made, Progress } from "./lines.ts";
import { BulkTimeExceeded } from "./work.ts";

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
      const earlier = { seen, known, undone: this.#undone, done: this.#progress };
      const tried = await attempt(this.#lines, { read, judge, isLast }, earlier);
      if (tried.isOwnerless) {
        this.#isOwnerless = true;
        return;
      }
      for (const [position, issues] of tried.conflicts) known.set(position, issues);
      if (mode === "each" && tried.conflicts.size > 0) continue;
      seen.keep();
      for (const { line, issues } of tried.faults) errors.add(line, issues);
      this.#isInvalid ||= tried.isInvalid;
      if (tried.isKept || this.#lines.isDryRun) this.#progress = tried.progress;
      if (tried.isKept) {
        this.#lines.keep?.stored();
        this.#notes(tried.changes);
      }
      if (this.#undone !== undefined) for (const { judgement } of tried.changes) this.#undone.add(judgement);
      if (tried.stoppedAfter !== undefined) this.#brokenOff = { reason: "errors", line: tried.stoppedAfter };
      return;
    }
  }

  #notes(changes: readonly Change[]): void {
    const note = this.#note;
    if (note === undefined) return;
    for (const { judgement } of changes) {
      note.add(noteOf[judgement.kind], judgement.kind === "create" ? undefined : judgement.record.id);
    }
  }
}

async function* spooled(
  records: AsyncIterable<StoredRecord> | readonly [],
): AsyncGenerator<SpooledDocument, void, undefined> {
  for await (const record of records) yield { line: 0, document: record, size: record.json.length };
}

const removals: Lines["judge"] = (lines) =>
  lines.map(({ document }) => ({ kind: "remove", record: document as StoredRecord })); // see `spooled`

const noteOf = { create: "created", change: "changed", remove: "removed" } as const;

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
