import { toPointer, type ValidationIssue } from "waymark";

/** What is wrong with a record of a list. */
export interface LineError {
  /** The line on which the record begins, from 1. */
  readonly line: number;
  /** A JSON Pointer into the record, as a URI fragment; `#` is the whole. */
  readonly pointer: string;
  readonly detail: string;
}

/** What is wrong with the records of a list: all of it is counted, and the first 1,000 are kept. */
export class LineErrors {
  readonly #told: LineError[] = [];
  #count = 0;
  #lines = 0;

  /** All that is wrong with one record. */
  add(line: number, issues: readonly ValidationIssue[]): void {
    this.#lines++;
    this.#count += issues.length;
    for (const { message, path } of issues.slice(0, mostTold - this.#told.length)) {
      this.#told.push({ line, pointer: shortPointer(path), detail: shortened(message) });
    }
  }

  /** How many records something is wrong with. */
  get lines(): number {
    return this.#lines;
  }

  /** How many things are wrong, in words that go on from "there": `are 3 faults in 2 records`. */
  get counted(): string {
    const faults = this.#count === 1 ? "is 1 fault" : `are ${inWords(this.#count)} faults`;
    const place = this.#lines === 1 ? `on line ${this.#told[0]?.line}` : `in ${inWords(this.#lines)} records`;
    const rest =
      this.omitted === 0 ? "" : `; the first ${inWords(mostTold)} are told, and ${inWords(this.omitted)} are not`;
    return `${faults} ${place}${rest}`;
  }

  /** How many are counted and not kept. */
  get omitted(): number {
    return this.#count - this.#told.length;
  }

  /** The members of an answer that tell of them, in the order of the lines. */
  toMembers(): { readonly refused: number; readonly errors: readonly LineError[]; readonly omitted?: number } {
    const errors = this.#told.toSorted((one, other) => one.line - other.line);
    return { refused: this.#lines, errors, ...(this.omitted > 0 && { omitted: this.omitted }) };
  }
}

/** Nobody reads more. What is told of each is short too, so that an answer is no longer than a few hundred KB. */
const mostTold = 1000;
const longestPointer = 200;
const longestDetail = 300;

const inWords = (count: number): string => count.toLocaleString("en");

/** The pointer; to the whole where it is very long, since half of a pointer leads astray. */
function shortPointer(path: ValidationIssue["path"]): string {
  const pointer = toPointer(path);
  return pointer.length <= longestPointer ? pointer : toPointer();
}

function shortened(detail: string): string {
  return detail.length <= longestDetail ? detail : `${detail.slice(0, longestDetail).toWellFormed()}…`;
}
