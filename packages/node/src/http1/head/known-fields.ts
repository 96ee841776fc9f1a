import { SeenOnce } from "../../memory/seen-once.ts";
import type { HeadLimits } from "../../messages/head-fields.ts";
import { FieldLines, type FieldSection } from "./field-section.ts";

/** The fields of heads that have these bytes. */
export interface KnownFields {
  readonly bytes: Buffer;
  readonly section: FieldSection;
  /** That of the bytes (`hashOf`). */
  readonly hash: number;
}

/**
 * The fields that several heads of a server have had, on whatever connection: those that browsers and programs send with each
 * request. Fields that come once, such as those with a precondition, do not drive them out, and nothing of them is kept. There are
 * two generations: when the younger is full, the elder goes.
 */
export class SharedFields {
  /** By the hashes of their bytes: of two with one hash, the first is shared. */
  #younger = new Map<number, KnownFields>();
  #elder = new Map<number, KnownFields>();
  /** The bytes of the younger. */
  #size = 0;
  readonly #seen = new SeenOnce(8_192);
  /** The last that were parsed, as a rule each with other lines than the rest. */
  readonly #parsed: FieldLines[] = [];

  /** Returns the fields with these bytes, which have this hash, if they have come more than once. */
  find(hash: number, bytes: Buffer, start: number, end: number): KnownFields | undefined {
    const known = this.#younger.get(hash) ?? this.#elder.get(hash);
    return known !== undefined && sameBytes(known.bytes, bytes, start, end) ? known : undefined;
  }

  /**
   * Returns the fields that have the lines of some that were parsed, but for values; undefined where none are like them, and where that
   * takes comparing twice as many bytes as there are: a client may send what differs from many in its last line only.
   */
  findLike(bytes: Buffer, start: number, end: number, limits: HeadLimits): FieldSection | undefined {
    let left = 2 * (end - start);
    for (let i = 0; i < this.#parsed.length && left > 0; i++) {
      const section = (this.#parsed[i] as FieldLines).withOtherValues(bytes, start, end, limits);
      if (typeof section !== "number") {
        if (i > 0) this.#parsed.unshift(...this.#parsed.splice(i, 1));
        return section;
      }
      left -= section;
    }
    return undefined;
  }

  /** Keeps the lines of fields that were parsed, for others that are like them. Those before content differ in its length. */
  addLines(bytes: Buffer, section: FieldSection): void {
    if (section.length > longestKnown || !section.mayRepeat) return;
    this.#parsed.unshift(new FieldLines(Buffer.from(bytes), section));
    this.#parsed.length = Math.min(this.#parsed.length, mostParsed);
  }

  /** Keeps the fields with these bytes, if they have come before; returns them then. */
  add(hash: number, bytes: Buffer, section: FieldSection): KnownFields | undefined {
    if (section.length > longestKnown || !this.#seen.addHash(hash)) return undefined;
    const known = { bytes: Buffer.from(bytes), section, hash };
    if (!section.mayRepeat || this.#younger.has(hash)) return known;
    this.#size += bytes.length + sizeOfSection;
    if (this.#size > mostBytes) {
      [this.#elder, this.#younger, this.#size] = [this.#younger, new Map(), 0];
    }
    this.#younger.set(hash, known);
    return known;
  }
}

/** Browsers differ in their lines, and so do heads with and without a cookie. */
const mostParsed = 16;

/** Of a generation, roughly: some 1,500 heads of usual length. */
const mostBytes = 3 * 2 ** 20;

/** What the fields of a head take beside their bytes. */
const sizeOfSection = 1_500;

/** Fields longer than this are not kept for the next request, so that an idle connection does not hold much. */
const longestKnown = 4_096;

/**
 * Hashes fields by two products, each of every other byte, which takes half the time of one (300 bytes: 0.13 and 0.25 µs). The last
 * of an odd number of bytes is a line feed, and left out.
 */
export function hashOf(bytes: Buffer, start: number, end: number): number {
  let even = 1;
  let odd = end - start;
  for (let i = start; i + 1 < end; i += 2) {
    // All are there.
    even = Math.imul(even ^ (bytes[i] as number), 0x9e3779b1);
    odd = Math.imul(odd ^ (bytes[i + 1] as number), 0x85ebca6b);
  }
  const hash = even ^ odd;
  return hash ^ (hash >>> 13);
}

/** Returns whether the bytes at a place are these. */
export const sameBytes = (some: Buffer, bytes: Buffer, start: number, end: number): boolean =>
  some.length === end - start && some.compare(bytes, start, end) === 0;
