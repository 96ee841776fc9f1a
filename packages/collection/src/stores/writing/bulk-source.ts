import { StoreUnavailable } from "../contract/errors.ts";
import type { BulkChange, BulkConflict, BulkOptions, Document } from "../contract/store.ts";
import type { OutcomeOf, Write } from "./write.ts";

/** Documents to store together, or changes to make together, all or none. */
export interface BulkSource extends BulkConditions {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  /** A method, so that it may take the kind of documents that there are. */
  toWrite(document: Document): Write;
  /** Whether there are replacements and removals, too. */
  readonly isMixed: boolean;
}

export interface BulkConditions extends Required<BulkOptions> {
  /** The owner whose records `onlyIfEmpty` concerns; undefined for all owners. */
  readonly owner: number | undefined;
}

/** Reads the documents while they are stored. */
export class BulkReader {
  readonly #documents: Iterator<Document> | AsyncIterator<Document>;
  readonly #source: BulkSource;

  constructor(source: BulkSource) {
    const { documents } = source;
    this.#documents =
      Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
    this.#source = source;
  }

  /**
   * Returns the next writes to store together; an empty list at the end.
   *
   * @throws StoreUnavailable (rejects) when no document arrives in time; errors of the documents themselves
   */
  async next(): Promise<readonly Write[]> {
    const stalled = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      stalled.reject(new StoreUnavailable(`The records to be stored did not come for ${patience / 1000} s`));
    }, patience);
    try {
      const writes: Write[] = [];
      for (let characters = 0; characters < mostCharacters && writes.length < mostWrites; ) {
        const { done, value } = await Promise.race([this.#documents.next(), stalled.promise]);
        if (done) break;
        const write = this.#source.toWrite(value);
        characters += write.kind === "remove" ? 0 : write.members.length;
        writes.push(write);
      }
      return writes;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the documents without waiting: a source that stalls may never end. */
  stop(): void {
    Promise.try(() => this.#documents.return?.()).catch(() => undefined);
  }
}

/** In milliseconds, for the next writes to arrive: nothing else can be written meanwhile. */
const patience = 10_000;

/** In characters of JSON, exceeded by at most one record. */
const mostCharacters = 65_536;

const mostWrites = 512;

/** Counts the changes that are made, and collects the conflicts of the others. */
export class BulkTally {
  readonly #conflicts: BulkConflict[] = [];
  #isOwnerless = false;
  #position = 0;
  /** The first change of a record that is not as it was expected. */
  #late: number | undefined;

  add(outcome: OutcomeOf<Write>): void {
    this.#position++;
    if (outcome.kind === "ownerless") this.#isOwnerless = true;
    if (outcome.kind === "changed" || outcome.kind === "missing") this.#late ??= this.#position;
    if (outcome.kind === "conflict") this.#conflicts.push({ position: this.#position, member: outcome.member });
  }

  /** Whether further documents would not change the outcome. */
  get isDecided(): boolean {
    return this.#isOwnerless || this.#late !== undefined || this.#conflicts.length >= mostConflicts;
  }

  get outcome(): BulkChange {
    if (this.#isOwnerless) return { kind: "ownerless" };
    if (this.#late !== undefined) return { kind: "changed", position: this.#late };
    if (this.#conflicts.length > 0) return { kind: "refused", conflicts: this.#conflicts };
    return { kind: "created", count: this.#position };
  }
}

/** More conflicts would help nobody, and take memory. */
export const mostConflicts = 1000;
