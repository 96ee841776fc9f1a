import type { StandardSchemaV1 } from "waymark/content";
import { schemaIssues, wording } from "waymark/internal";
import type { ListPlace } from "../../formats/list-decoder.ts";

/** An error in one record of a list. */
interface LineError extends ReturnType<typeof schemaIssues.saidForPrograms> {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** A JSON Pointer into the record, as a URI fragment; `#` is the whole record. */
  readonly pointer: string;
  readonly detail: string;
}

/** What has been collected of errors. */
export interface ErrorsState {
  readonly listed: readonly LineError[];
  readonly notes: readonly Pick<LineError, "line" | "detail">[];
  readonly count: number;
  readonly lines: number;
}

/** Collects the errors in the records of a list: counts all of them, and keeps the first of them. */
export class LineErrors {
  /** What the line of a record is; `id` where it is the id of a stored one. */
  readonly place: ListPlace | "id";
  readonly #enough: number | "listed";
  readonly #mostListed: number;
  readonly #listed: LineError[] = [];
  readonly #notes: Pick<LineError, "line" | "detail">[] = [];
  #count = 0;
  #lines = 0;

  /**
   * @param mostListed how many errors are kept
   * @param enough when no more records are looked at: errors in more records than this, or as many errors as are listed
   */
  constructor(
    place: ListPlace | "id" = "line",
    enough: number | "listed" = "listed",
    mostListed: number = mostUsually,
  ) {
    this.place = place;
    this.#enough = enough;
    this.#mostListed = mostListed;
  }

  /** Adds all errors of one record. */
  add(line: number, issues: readonly StandardSchemaV1.Issue[]): void {
    this.#lines++;
    this.#count += issues.length;
    for (const issue of issues.slice(0, this.#mostListed - this.#listed.length)) {
      const detail = shortened(wording.escapeUnprintable(issue.message));
      this.#listed.push({
        line,
        pointer: schemaIssues.toShortPointer(issue.path),
        detail,
        ...schemaIssues.saidForPrograms(issue),
      });
    }
  }

  /** Notes what is left out of a record that is no error of it: the first 100 are listed. */
  note(line: number, detail: string): void {
    if (this.#notes.length < mostNotes)
      this.#notes.push({ line, detail: shortened(wording.escapeUnprintable(detail)) });
  }

  /** What has been collected, to go on with in another request. */
  get state(): ErrorsState {
    return { listed: this.#listed.slice(0, mostUsually), notes: this.#notes, count: this.#count, lines: this.#lines };
  }

  /** Has what was collected be that of an earlier request. */
  restore({ listed, notes, count, lines }: ErrorsState): void {
    this.#listed.splice(0, this.#listed.length, ...listed);
    this.#notes.splice(0, this.#notes.length, ...notes);
    this.#count = count;
    this.#lines = lines;
  }

  /** The number of records with errors. */
  get lines(): number {
    return this.#lines;
  }

  /** How many things are wrong, in words that go on from "there": `are 3 faults in 2 records`. */
  get counted(): string {
    const faults = this.#count === 1 ? "is 1 fault" : `are ${wording.withCommas(this.#count)} faults`;
    const only = `${this.place === "line" ? "on line" : "in record"} ${this.#listed[0]?.line}`;
    const where = this.#lines === 1 ? only : `in ${wording.withCommas(this.#lines)} records`;
    const rest =
      this.omitted === 0
        ? ""
        : `; the first ${wording.withCommas(this.#mostListed)} are listed, ${wording.withCommas(this.omitted)} are not`;
    return `${faults} ${where}${rest}`;
  }

  /** Whether there are so many that no more records are to be looked at: a client can send faulty ones without end. */
  get areEnough(): boolean {
    return this.#enough === "listed" ? this.#listed.length === this.#mostListed : this.#lines > this.#enough;
  }

  /** Whether there would be enough, with these. */
  areEnoughWith(faults: readonly { readonly issues: readonly StandardSchemaV1.Issue[] }[]): boolean {
    if (this.#enough !== "listed") return this.#lines + faults.length > this.#enough;
    return this.#count + faults.reduce((sum, { issues }) => sum + issues.length, 0) >= this.#mostListed;
  }

  /** The number of errors that are counted and not listed. */
  get omitted(): number {
    return this.#count - this.#listed.length;
  }

  /** Returns the members of an answer that report the errors, in the order of the lines. */
  toMembers(): object {
    const sorted = this.#listed.toSorted((one, other) => one.line - other.line);
    const errors = this.place === "id" ? sorted.map(({ line: id, ...error }) => ({ id, ...error })) : sorted;
    return {
      refused: this.#lines,
      errors,
      ...(this.omitted > 0 && { omitted: this.omitted }),
      ...(this.#notes.length > 0 && { notes: this.#notes }),
    };
  }
}

/** The most errors in an answer. Their texts are bounded too: an answer has a few hundred KB at most. */
const mostUsually = 1000;
const mostNotes = 100;
const longestDetail = 300;

function shortened(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail).toWellFormed()}…`;
}
