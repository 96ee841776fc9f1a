import { SeenOnce } from "../memory/seen-once.ts";
import type { FieldSection } from "./field-section.ts";

/** The fields of heads that have these bytes. */
export interface KnownFields {
  readonly bytes: Buffer;
  readonly section: FieldSection;
  /** That of the bytes (`hashOf`). */
  readonly hash: number;
  /** The number by which an `AnswerMemory` knows them; 0 where no answer to a head with them may come from memory. */
  readonly number: number;
}

/**
 * The fields that several heads of a server have had, on whatever connection: those that browsers and programs send with each
 * request. Fields that come once, such as those with a precondition, do not drive them out.
 */
export class SharedFields {
  /** By the hashes of their bytes: of two with one hash, the first is shared. */
  readonly #known = new Map<number, KnownFields>();
  readonly #seen = new SeenOnce(256);
  #count = 0;

  /** Returns the fields with these bytes, which have this hash, if they have come more than once. */
  find(hash: number, bytes: Buffer, start: number, end: number): KnownFields | undefined {
    const known = this.#known.get(hash);
    return known !== undefined && sameBytes(known.bytes, bytes, start, end) ? known : undefined;
  }

  /** Notes that the fields have come; returns those that are shared, once they are. */
  add(fields: KnownFields): KnownFields {
    if (!mayRepeat(fields.section)) return fields;
    const { bytes, hash } = fields;
    const shared = this.#known.get(hash);
    if (shared !== undefined) return sameBytes(shared.bytes, bytes, 0, bytes.length) ? shared : fields;
    if (!this.#seen.addHash(hash)) return fields;
    if (this.#known.size === mostKnown) this.#known.clear();
    const known = { ...fields, number: ++this.#count };
    this.#known.set(hash, known);
    return known;
  }
}

/** Returns whether a head with these fields is answered, has no content, and leaves the connection as it is. */
function mayRepeat(section: FieldSection): boolean {
  const { minorVersion, contentLength, keepsAlive, expectsContinue, asksForUpgrade, refusal } = section;
  const isPlain = keepsAlive && !expectsContinue && !asksForUpgrade;
  return minorVersion === 1 && contentLength === 0 && isPlain && refusal === undefined;
}

const mostKnown = 256;

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
