import { eventsUpTo } from "../formats/event-stream.ts";
import { wholeListText } from "../formats/list-text.ts";
import { narrow } from "../lists/fields.ts";
import type { ListSyntax } from "../representation.ts";
import { TurnShare } from "../shares/turn-share.ts";
import type { ChangeBatch, RecordChange, StoredRecord } from "../stores/contract/store.ts";

/**
 * Shares the work for all who follow from the same place: when a change comes, they get one read, and one text made of it.
 * Batches and texts are kept only while requests are being answered with them.
 */
export class SharedChanges {
  readonly #reads = new Map<string, Promise<ChangeBatch>>();
  /** The states of the last reads, by the places behind their batches. */
  readonly #ends = new Map<string, string>();
  readonly #texts = new WeakMap<ChangeBatch, Map<string, Promise<string>>>();

  /** Returns the batch of the read under way with this key, or begins one. The key has all that the batch depends on. */
  read(key: string, read: () => Promise<ChangeBatch>): Promise<ChangeBatch> {
    const known = this.#reads.get(key);
    if (known !== undefined) return known;
    const reading = read().finally(() => this.#reads.delete(key));
    this.#reads.set(key, reading);
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
  text(batch: ChangeBatch, fields: Fields, { key, syntax }: SharedSyntax, share: TurnShare): Promise<string> {
    const ofBatch = this.#texts.get(batch) ?? new Map<string, Promise<string>>();
    this.#texts.set(batch, ofBatch);
    const place = JSON.stringify([key, fields]);
    const text = ofBatch.get(place) ?? textOf(batch, fields, syntax(), share);
    ofBatch.set(place, text);
    return text;
  }
}

/** Returns a batch as events of an event stream, the last of which has the cursor behind the batch. */
export const eventsOf = async (batch: ChangeBatch, fields: Fields): Promise<Uint8Array> =>
  Buffer.from(await textOf(batch, fields, eventsUpTo(batch.cursor), new TurnShare()));

/** The members to send, with the id; undefined for all. */
type Fields = readonly string[] | undefined;

/** The syntax of a text that several clients get. */
interface SharedSyntax {
  readonly key: string;
  readonly syntax: () => ListSyntax;
}

const textOf = ({ changes }: ChangeBatch, fields: Fields, syntax: ListSyntax, share: TurnShare): Promise<string> =>
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

/** More would be needed only where clients follow at more places than that; those are read for by themselves. */
const mostEnds = 100;
