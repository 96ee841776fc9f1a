import type { ChangeBatch } from "../store.ts";

/**
 * Shares the work of requests that wait for the same: when a change comes, they get one read, and one text of it. Batches
 * and texts are kept only while requests are being answered with them.
 */
export class SharedChanges {
  readonly #reads = new Map<string, Promise<ChangeBatch>>();
  /** The states of the last reads, by the places behind their batches. */
  readonly #ends = new Map<string, string>();
  readonly #texts = new WeakMap<ChangeBatch, Map<string, Promise<string>>>();

  /** Returns the batch of the read under way with this key; where there is none, reads. The key has all that the batch depends on. */
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

  /** Returns the text of the batch with this key; where there is none, makes it. The key has all that it depends on but the batch. */
  text(batch: ChangeBatch, key: string, make: () => Promise<string>): Promise<string> {
    const ofBatch = this.#texts.get(batch) ?? new Map<string, Promise<string>>();
    this.#texts.set(batch, ofBatch);
    const text = ofBatch.get(key) ?? make();
    ofBatch.set(key, text);
    return text;
  }
}

/** More would be needed only where clients follow at more places than that; those are read for by themselves. */
const mostEnds = 100;
