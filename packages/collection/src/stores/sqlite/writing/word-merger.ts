import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCollection } from "../../../database.ts";
import { numberIn, prepareChange } from "../connections/statements.ts";
import { wordsTable } from "../table/words.ts";

/** Must be closed before its database. */
export interface WordMerger {
  /** Must be called when records may have been removed, or have lost words. */
  removed(): void;
  close(): void;
}

/**
 * Removes the words of removed and replaced records from the file. SQLite itself only marks them as removed until it merges that
 * part of its index, which may never happen. The merger merges the parts into one in small steps, in a tenth of the thread's time,
 * soon after a removal, and again every ten minutes while records are removed.
 */
export function wordMerger(database: DatabaseSync, collections: readonly StoredCollection[]): WordMerger {
  /** Whether records may have been removed since the current round began. */
  let isDue = true;
  /** The remaining merges of the current round. */
  let left: StatementSync[] = [];
  let isBegun = false;
  let mayBeginAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const merges = collections
    .filter(({ fullText }) => fullText.length > 0)
    .map(({ name }) => {
      const table = wordsTable(name);
      return prepareChange(database, `INSERT INTO "${table}" ("${table}", rank) VALUES ('merge', ?)`);
    });

  const schedule = (milliseconds: number): void => {
    clearTimeout(timer);
    if (merges.length > 0) timer = setTimeout(advance, milliseconds);
  };

  /** Makes a step, and schedules the next one. */
  const advance = (): void => {
    if (left.length === 0) {
      if (!isDue) return;
      isDue = false;
      left = [...merges];
      isBegun = false;
      mayBeginAt = performance.now() + pause;
    }
    const began = performance.now();
    try {
      // A negative number begins a merge of all parts, a positive one continues it.
      if (!database.isTransaction && !mergeParts(isBegun ? pages : -pages)) {
        left.pop();
        isBegun = false;
      }
    } catch {
      // Another process is writing, or the disk is full: the next change will report that.
      schedule(calm);
      return;
    }
    if (left.length > 0) schedule(9 * (performance.now() - began));
    else if (isDue) schedule(mayBeginAt - performance.now());
  };

  /** Merges about this number of pages; returns whether there was anything to merge. */
  const mergeParts = (count: number): boolean => {
    const before = changes();
    left.at(-1)?.run(count);
    isBegun = true;
    return changes() - before > 1;
  };
  const changes = (): number => numberIn(database, "SELECT total_changes()");

  // For the words that an earlier process has left. Not at once, because a change has just started the thread.
  schedule(pause);
  return {
    removed() {
      isDue = true;
      // The first removal after a while begins a round soon.
      if (left.length === 0) schedule(Math.max(calm, mayBeginAt - performance.now()));
    },
    close() {
      clearTimeout(timer);
    },
  };
}

/** In pages of 4 KiB, for a step of about 5 ms. */
const pages = 16;
/** In milliseconds, between the beginnings of two rounds: a round writes the whole index, 8 s of work for 300,000 people. */
const pause = 600_000;
/** In milliseconds. */
const calm = 1_000;
