import { hash } from "node:crypto";

/** What the lines of a list have been about so far. */
export interface Seen {
  has(text: string): boolean;
  add(text: string): void;
}

/**
 * Remembers texts, in at most 32 bytes each: a digest of 64 bits. That two of a million different texts have the same one happens
 * once in 30 million files.
 */
export class SeenValues implements Seen {
  #slots = new BigUint64Array(1024);
  #count = 0;

  has(text: string): boolean {
    return this.#slots[this.#slotOf(digestOf(text))] !== 0n;
  }

  add(text: string): void {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const digest = digestOf(text);
    const slot = this.#slotOf(digest);
    if (this.#slots[slot] === 0n) this.#count++;
    this.#slots[slot] = digest;
  }

  /** Begins to remember further texts, which are kept when `keep` is called. */
  round(): Seen & { keep(): void } {
    const added = new Set<string>();
    return {
      has: (text) => added.has(text) || this.has(text),
      add: (text) => added.add(text),
      keep: () => {
        for (const text of added) this.add(text);
      },
    };
  }

  /** Returns the place of a digest, or the free one for it. */
  #slotOf(digest: bigint): number {
    const { length } = this.#slots; // a power of two
    let slot = Number(digest & BigInt(length - 1));
    while (this.#slots[slot] !== 0n && this.#slots[slot] !== digest) slot = (slot + 1) & (length - 1);
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new BigUint64Array(before.length * 2);
    for (const digest of before) if (digest !== 0n) this.#slots[this.#slotOf(digest)] = digest;
  }
}

/** Returns a digest other than 0, which marks a free slot. */
const digestOf = (text: string): bigint => hash("sha256", text, "buffer").readBigUInt64LE() || 1n;
