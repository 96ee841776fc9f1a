import type { FieldSection } from "./field-section.ts";

/** The fields of heads that have these bytes. */
export interface KnownFields {
  readonly bytes: Buffer;
  readonly section: FieldSection;
  /** The number by which an `AnswerMemory` knows them; 0 where no answer to a head with them may come from memory. */
  readonly number: number;
}

/**
 * The fields that several heads of a server have had, on whatever connection: those that browsers and programs send with each
 * request. Fields that come once, such as those with a precondition, do not drive them out.
 */
export class SharedFields {
  readonly #known = new Map<number, KnownFields>();
  readonly #seen = new SeenOnce(256);
  #count = 0;

  /** Returns the fields with these bytes, if they have come more than once. */
  find(bytes: Buffer, start: number, end: number): KnownFields | undefined {
    return this.#find(hashBytes(bytes, start, end, 0), bytes, start, end);
  }

  /** Notes that the fields have come; returns those that are shared, once they are. */
  add(fields: KnownFields): KnownFields {
    const { bytes, section } = fields;
    if (!mayRepeat(section)) return fields;
    const hash = hashBytes(bytes, 0, bytes.length, 0);
    const shared = this.#find(hash, bytes, 0, bytes.length);
    if (shared !== undefined || !this.#seen.add(hash)) return shared ?? fields;
    if (this.#known.size === mostKnown) this.#known.clear();
    const known = { ...fields, number: ++this.#count };
    this.#known.set(hash, known);
    return known;
  }

  #find(hash: number, bytes: Buffer, start: number, end: number): KnownFields | undefined {
    const known = this.#known.get(hash);
    return known !== undefined && sameBytes(known.bytes, bytes, start, end) ? known : undefined;
  }
}

/** Returns whether a head with these fields is answered, has no content, and leaves the connection as it is. */
function mayRepeat(section: FieldSection): boolean {
  const { minorVersion, contentLength, keepsAlive, expectsContinue, asksForUpgrade, refusal } = section;
  const isPlain = keepsAlive && !expectsContinue && !asksForUpgrade;
  return minorVersion === 1 && contentLength === 0 && isPlain && refusal === undefined;
}

const mostKnown = 256;

/** Tells what comes again from what comes once, in a fixed space: of two values with one place, the later is known. */
export class SeenOnce {
  readonly #places: Int32Array;

  /** @param count of places, a power of two */
  constructor(count: number) {
    this.#places = new Int32Array(count);
  }

  /** Returns whether the value has come before, as far as that is known. */
  add(value: number): boolean {
    const place = value & (this.#places.length - 1);
    if (this.#places[place] === value) return true;
    this.#places[place] = value;
    return false;
  }
}

// Written by hand: a call of Node for some 30 bytes takes more than to look at them here.

/** Returns a hash of bytes, an integer of 32 bits. Equal hashes do not mean equal bytes. */
export function hashBytes(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed | 1;
  let at = start;
  for (; at + 3 < end; at += 4) {
    const four =
      (bytes[at] as number) | // there are as many
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash = Math.imul(hash ^ four, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < end; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x9e3779b1);
  return hash ^ (hash >>> 13);
}

/** Returns whether the bytes at a place are these. */
export const sameBytes = (some: Buffer, bytes: Buffer, start: number, end: number): boolean =>
  some.length === end - start && some.compare(bytes, start, end) === 0;
