import { SeenOnce } from "../seen-once.ts";
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
  readonly #known = new Map<string, KnownFields>();
  readonly #seen = new SeenOnce(256);
  #count = 0;

  /** Returns the fields with these bytes, if they have come more than once. */
  find(bytes: Buffer, start: number, end: number): KnownFields | undefined {
    return this.#known.get(bytes.toString("latin1", start, end));
  }

  /** Notes that the fields have come; returns those that are shared, once they are. */
  add(fields: KnownFields): KnownFields {
    if (!mayRepeat(fields.section)) return fields;
    const text = fields.bytes.toString("latin1");
    const shared = this.#known.get(text);
    if (shared !== undefined || !this.#seen.add(text)) return shared ?? fields;
    if (this.#known.size === mostKnown) this.#known.clear();
    const known = { ...fields, number: ++this.#count };
    this.#known.set(text, known);
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

/** Returns whether the bytes at a place are these. */
export const sameBytes = (some: Buffer, bytes: Buffer, start: number, end: number): boolean =>
  some.length === end - start && some.compare(bytes, start, end) === 0;
