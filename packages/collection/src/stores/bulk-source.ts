import {
  type BulkConflict,
  type BulkCreation,
  type BulkOptions,
  type Creation,
  type Document,
  StoreUnavailable,
} from "../store.ts";
import type { CreateWrite } from "./write.ts";

/** Documents that are stored together, all or none. */
export interface BulkSource extends BulkConditions {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  readonly toWrite: (document: Document) => CreateWrite;
}

export interface BulkConditions extends Required<BulkOptions> {
  /** The owner that has no records where `onlyIfEmpty` is true; undefined for all owners. */
  readonly owner: number | undefined;
}

/** Takes the documents as they are stored. */
export class BulkReader {
  readonly #documents: Iterator<Document> | AsyncIterator<Document>;
  readonly #toWrite: (document: Document) => CreateWrite;

  constructor({ documents, toWrite }: BulkSource) {
    this.#documents =
      Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
    this.#toWrite = toWrite;
  }

  /**
   * Returns as many writes as are stored at once; an empty list at the end.
   *
   * @throws StoreUnavailable (rejects) when the documents stop coming; their own errors are passed on
   */
  async next(): Promise<readonly CreateWrite[]> {
    const stalled = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      stalled.reject(new StoreUnavailable(`The records to be stored did not come for ${patience / 1000} s`));
    }, patience);
    try {
      const writes: CreateWrite[] = [];
      for (let characters = 0; characters < mostCharacters && writes.length < mostWrites; ) {
        const { done, value } = await Promise.race([this.#documents.next(), stalled.promise]);
        if (done) break;
        const write = this.#toWrite(value);
        characters += write.members.length;
        writes.push(write);
      }
      return writes;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends the documents. Not waited for: a source that stalls may never end. */
  stop(): void {
    Promise.try(() => this.#documents.return?.()).catch(() => undefined);
  }
}

/** Milliseconds in which the next writes must be there: nothing else can be written meanwhile. */
const patience = 10_000;

/** Of JSON; exceeded by at most one record. */
const mostCharacters = 65_536;

const mostWrites = 512;

/** Counts the creations of documents, and gathers why they are refused. */
export class BulkTally {
  readonly #conflicts: BulkConflict[] = [];
  #isOwnerless = false;
  #position = 0;

  add(creation: Creation): void {
    this.#position++;
    if (creation.kind === "ownerless") this.#isOwnerless = true;
    if (creation.kind === "conflict") this.#conflicts.push({ position: this.#position, member: creation.member });
  }

  /** Whether further documents would not change the outcome. */
  get isDecided(): boolean {
    return this.#isOwnerless || this.#conflicts.length >= mostConflicts;
  }

  get outcome(): BulkCreation {
    if (this.#isOwnerless) return { kind: "ownerless" };
    if (this.#conflicts.length > 0) return { kind: "refused", conflicts: this.#conflicts };
    return { kind: "created", count: this.#position };
  }
}

/** More of them would help nobody, and take memory. */
const mostConflicts = 1000;
