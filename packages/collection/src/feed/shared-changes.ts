import type { Awaitable } from "waymark";
import { wholeListText } from "../formats/list-text.ts";
import { narrow } from "../lists/fields.ts";
import type { ListSyntax } from "../representation.ts";
import type { TurnShare } from "../shares/turn-share.ts";
import type { ChangeBatch, RecordChange, StoredRecord } from "../stores/contract/store.ts";

/**
 * Shares the work for all who follow from the same place: when a change comes, they get one read, and one text made of it. A few batches
 * are kept for a second, since those who follow are told of a change in turns.
 */
export class SharedChanges {
  readonly #reads = new Map<string, Promise<ChangeBatch>>();
  /** What forgets the last reads, the oldest first. */
  readonly #recent: (() => void)[] = [];
  /** The states of the last reads, by the places behind their batches. */
  readonly #ends = new Map<string, string>();
  readonly #texts = new WeakMap<ChangeBatch, Map<string, Awaitable<string>>>();

  /**
   * Returns the batch of a recent read with this key, or of one under way, or begins one.
   *
   * @param key has all that the batch depends on, the state of the store included
   */
  read(key: string, read: () => Promise<ChangeBatch>): Promise<ChangeBatch> {
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    const reading = read();
    this.#reads.set(key, reading);
    const forget = (): void => {
      if (this.#reads.get(key) === reading) this.#reads.delete(key);
    };
    reading.then(() => {
      setTimeout(forget, keptFor).unref();
      this.#recent.push(forget);
      if (this.#recent.length > mostKept) this.#recent.shift()?.();
    }, forget);
    return reading;
  }

  /** Notes that a read of this state, or of a later one, ended at this place. */
  endsAt(place: string, state: string): void {
    this.#ends.delete(place);
    const [oldest] = this.#ends.size < mostEnds ? [] : this.#ends.keys();
    if (oldest !== undefined) this.#ends.delete(oldest);
    this.#ends.set(place, state);
  }

  /** Returns the state of the last read that ended at the place: behind it there is nothing before another state. */
  stateAt(place: string): string | undefined {
    return this.#ends.get(place);
  }

  /** Returns the text of the batch, in this syntax. The key has all that the syntax depends on. */
  text(batch: ChangeBatch, fields: Fields, { key, syntax }: SharedSyntax, share: TurnShare): Awaitable<string> {
    const ofBatch = this.#texts.get(batch) ?? new Map<string, Awaitable<string>>();
    this.#texts.set(batch, ofBatch);
    const place = JSON.stringify([key, fields]);
    const text = ofBatch.get(place) ?? textOf(batch, fields, syntax(), share);
    ofBatch.set(place, text);
    return text;
  }
}

/** The members to send, with the id; undefined for all. */
type Fields = readonly string[] | undefined;

/** The syntax of a text that several clients get. */
interface SharedSyntax {
  readonly key: string;
  readonly syntax: () => ListSyntax;
}

const textOf = ({ changes }: ChangeBatch, fields: Fields, syntax: ListSyntax, share: TurnShare): Awaitable<string> =>
  wholeListText(
    changes.map((change) => toSent(change, fields)),
    syntax,
    share,
  );

/** Makes the form in which a change is sent: the record with these fields, or `{"id":7,"removed":true}`. */
export function toSent(change: RecordChange, fields: Fields): StoredRecord {
  if (change.kind === "stored") return narrow(change.record, fields);
  const { id, revision } = change;
  return { id, revision, updatedAt: 0, json: `{"id":${id},"removed":true}` };
}

/** In milliseconds. */
const keptFor = 1000;
/** Each batch is bounded in bytes. */
const mostKept = 8;

/** More would be needed only where clients follow at more places than that; those are read for by themselves. */
const mostEnds = 100;
