import { type JsonObject, withoutPath } from "../../members/json-object.ts";
import { StoreUnavailable } from "../contract/errors.ts";
import type { SnapshotKey } from "../contract/snapshot.ts";
import type { BulkConflict, BulkCreation, BulkOptions, Document } from "../contract/store.ts";
import type { CreateWrite, OutcomeOf, Write } from "./write.ts";

/** Documents to store together, or changes to make together, all or none. */
export interface BulkSource extends BulkConditions {
  readonly documents: Iterable<Document> | AsyncIterable<Document>;
  /** A method, so that it may take the kind of documents that there are. */
  toWrite(document: Document): Write;
  /** The hashes of what other changes must not have at the same time. */
  readonly locks: readonly number[];
  /** Returns what is to become of the changes when all are made. */
  end(): BulkEnd;
}

/** What is to become of changes that have been made. */
export interface BulkEnd {
  readonly isUndone: boolean;
  /** What is kept with them. */
  readonly keyed: SnapshotKey | undefined;
}

export interface BulkConditions extends Required<BulkOptions> {
  /** The owner whose records `onlyIfEmpty` concerns; undefined for all owners. */
  readonly owner: number | undefined;
}

/** Reads the documents while they are stored. */
export class BulkReader {
  readonly #documents: Iterator<Document> | AsyncIterator<Document>;
  readonly #source: BulkSource;
  readonly #most: number;
  readonly #toError: (reason: string) => Error;

  /**
   * @param most the most writes to be stored together
   * @param toError makes the error where no document arrives in time
   */
  constructor(
    source: BulkSource,
    most: number = mostWrites,
    toError = (reason: string): Error => new StoreUnavailable(reason),
  ) {
    const { documents } = source;
    this.#most = most;
    this.#toError = toError;
    this.#documents =
      Symbol.asyncIterator in documents ? documents[Symbol.asyncIterator]() : documents[Symbol.iterator]();
    this.#source = source;
  }

  /**
   * Returns the next writes to store together; an empty list at the end.
   *
   * @throws that error, by default StoreUnavailable (rejects) when no document arrives in time; errors of the documents themselves
   */
  async next(): Promise<readonly Write[]> {
    const stalled = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      stalled.reject(this.#toError(`The records to be stored did not come for ${patience / 1000} s`));
    }, patience);
    try {
      const writes: Write[] = [];
      for (let characters = 0; characters < mostCharacters && writes.length < this.#most; ) {
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

/**
 * Makes changes within a transaction, in steps of some at once, each in the state that those before it have left.
 *
 * @param next returns the writes of the next step; none at the end
 */
export async function makeAll(
  unique: readonly string[],
  next: () => Promise<readonly Write[]>,
  make: (step: readonly Write[]) => Promise<readonly OutcomeOf<Write>[]>,
): Promise<BulkCreation> {
  const tally = new BulkTally(unique);
  for (let step = await next(); step.length > 0; step = await next()) {
    for (const [i, outcome] of (await make(step)).entries()) tally.add(step[i] as Write, outcome); // as many
    if (tally.isDecided) return tally.outcome;
  }
  const atEnd = tally.atEnd();
  for (let step = atEnd.next(); !step.done; ) step = atEnd.next(await make(step.value));
  return tally.outcome;
}

/**
 * Counts the changes that are made, and collects the conflicts of the others. One that wants a value which another record has is made
 * at the end: a later change may give the value up.
 */
export class BulkTally {
  readonly #unique: readonly string[];
  readonly #conflicts: BulkConflict[] = [];
  #waiting: WaitingWrite[] = [];
  #waitingCharacters = 0;
  /** Whether values may be given up, since not all changes are creations. */
  #isMixed = false;
  #isOwnerless = false;
  #count = 0;

  /** @param unique the members with unique values */
  constructor(unique: readonly string[]) {
    this.#unique = unique;
  }

  /** Adds the outcome of the next change. */
  add(write: Write, outcome: OutcomeOf<Write>): void {
    const position = ++this.#count;
    this.#isMixed ||= write.kind !== "create";
    const waits =
      outcome.kind === "conflict" && outcome.member !== "id" && this.#waitingCharacters < mostWaitingCharacters;
    if (waits && write.kind !== "remove") {
      this.#waiting.push({ position, write, outcome });
      this.#waitingCharacters += write.members.length;
    } else this.#conclude(position, outcome);
  }

  /**
   * Yields the changes to make when all have been added, and takes their outcomes: records that change give up their unique values,
   * then get the new ones.
   */
  *atEnd(): Generator<readonly Write[], void, readonly OutcomeOf<Write>[]> {
    if (!this.#isMixed) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const some of inSteps(waiting)) {
      yield some.flatMap(({ write }) => (write.kind === "replace" ? [this.#withoutValues(write)] : []));
    }
    for (const some of inSteps(waiting)) {
      // Their revisions were compared before.
      const outcomes = yield some.map(({ write }) =>
        write.kind === "replace" ? { ...write, expectedRevision: undefined } : write,
      );
      for (const [i, { position }] of some.entries()) this.#conclude(position, outcomes[i] as OutcomeOf<Write>); // as many
    }
  }

  /** Whether further documents would not change the outcome. */
  get isDecided(): boolean {
    const waiting = this.#isMixed ? 0 : this.#waiting.length;
    return this.#isOwnerless || this.#conflicts.length + waiting >= mostConflicts;
  }

  get outcome(): BulkCreation {
    if (this.#isOwnerless) return { kind: "ownerless" };
    const waiting = this.#waiting.map(({ position, outcome }) => ({
      position,
      member: outcome.kind === "conflict" ? outcome.member : undefined,
    }));
    const all = [...this.#conflicts, ...waiting].toSorted((one, other) => one.position - other.position);
    const conflicts = all.slice(0, mostConflicts);
    return conflicts.length > 0 ? { kind: "refused", conflicts } : { kind: "created", count: this.#count };
  }

  #conclude(position: number, outcome: OutcomeOf<Write>): void {
    if (outcome.kind === "ownerless") this.#isOwnerless = true;
    if (outcome.kind === "changed" || outcome.kind === "missing") this.#conflicts.push({ position, member: undefined });
    if (outcome.kind === "conflict") this.#conflicts.push({ position, member: outcome.member });
  }

  #withoutValues(write: ReplaceWrite): Write {
    const rest = this.#unique.reduce<JsonObject>(
      (members, name) => withoutPath(members, name.split(".")),
      JSON.parse(write.members),
    );
    return { ...write, members: JSON.stringify(rest) };
  }
}

type ReplaceWrite = Extract<Write, { readonly kind: "replace" }>;

interface WaitingWrite {
  readonly position: number;
  readonly write: CreateWrite | ReplaceWrite;
  readonly outcome: OutcomeOf<Write>;
}

function* inSteps(waiting: readonly WaitingWrite[]): Generator<readonly WaitingWrite[], void, undefined> {
  for (let start = 0; start < waiting.length; start += mostWrites) yield waiting.slice(start, start + mostWrites);
}

/** More conflicts would help nobody, and take memory. */
export const mostConflicts = 1000;

/** In characters of JSON: they are in memory. */
const mostWaitingCharacters = 67_108_864;
