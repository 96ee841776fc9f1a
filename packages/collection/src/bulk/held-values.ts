import { hash } from "node:crypto";

/**
 * Remembers texts, in at most 32 bytes each: a digest of 64 bits. That two of a million different texts have the same one happens
 * once in 30 million files.
 */
export class HeldValues {
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
