import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { readRowidsAsBigInt } from "../connections/statements.ts";
import { wordsTable } from "../table/words.ts";

/**
 * Removes the words of removed and replaced records from the file. SQLite itself only marks them as removed until it merges that
 * part of its index, which may never happen. The merger merges the parts into one in small steps, in a tenth of the thread's time,
 * soon after a removal, and again every ten minutes while records are removed.
 */
export class WordMerger {
  readonly #database: DatabaseSync;
  readonly #merges: readonly StatementSync[];
  /** Whether records may have been removed since the current round began. */
  #isDue = true;
  /** The remaining merges of the current round. */
  #left: StatementSync[] = [];
  #isBegun = false;
  #mayBeginAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(database: DatabaseSync, collections: readonly StoredCollection[]) {
    this.#database = database;
    this.#merges = collections
      .filter(({ fullText }) => fullText.length > 0)
      .map(({ name }) => {
        const table = wordsTable(name);
        return database.prepare(`INSERT INTO "${table}" ("${table}", rank) VALUES ('merge', ?)`);
      });
    readRowidsAsBigInt(...this.#merges);
    // For the words that an earlier process has left. Not at once, because a change has just started the thread.
    this.#schedule(pause);
  }

  /** Must be called when records may have been removed, or have lost words. */
  removed(): void {
    this.#isDue = true;
    // The first removal after a while begins a round soon.
    if (this.#left.length === 0) this.#schedule(Math.max(calm, this.#mayBeginAt - performance.now()));
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #schedule(milliseconds: number): void {
    clearTimeout(this.#timer);
    if (this.#merges.length > 0) this.#timer = setTimeout(() => this.#advance(), milliseconds);
  }

  /** Makes a step, and schedules the next one. */
  #advance(): void {
    if (this.#left.length === 0) {
      if (!this.#isDue) return;
      this.#isDue = false;
      this.#left = [...this.#merges];
      this.#isBegun = false;
      this.#mayBeginAt = performance.now() + pause;
    }
    const began = performance.now();
    try {
      // A negative number begins a merge of all parts, a positive one continues it.
      if (!this.#database.isTransaction && !this.#merge(this.#isBegun ? pages : -pages)) {
        this.#left.pop();
        this.#isBegun = false;
      }
    } catch {
      // Another process is writing, or the disk is full: the next change will report that.
      this.#schedule(calm);
      return;
    }
    if (this.#left.length > 0) this.#schedule(9 * (performance.now() - began));
    else if (this.#isDue) this.#schedule(this.#mayBeginAt - performance.now());
  }

  /** Merges about this number of pages; returns whether there was anything to merge. */
  #merge(count: number): boolean {
    const before = this.#changes();
    this.#left.at(-1)?.run(count);
    this.#isBegun = true;
    return this.#changes() - before > 1;
  }

  #changes(): number {
    return Number(this.#database.prepare("SELECT total_changes() AS count").get()?.["count"]);
  }
}

/** In pages of 4 KiB, for a step of about 5 ms. */
const pages = 16;
/** In milliseconds, between the beginnings of two rounds: a round writes the whole index, 8 s of work for 300,000 people. */
const pause = 600_000;
/** In milliseconds. */
const calm = 1_000;
