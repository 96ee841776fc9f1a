/** A validator for a representation (RFC 9110 §8.8.3). */
export interface EntityTag {
  /** A weak one says that two representations mean the same, not that they are the same bytes. */
  readonly weak: boolean;
  /** With its quotation marks. */
  readonly opaque: string;
}

/**
 * The entity tags of an If-Match or If-None-Match field, or `*` for any; a field that is malformed names none.
 *
 * ```ts
 * parseEntityTags('"a,b", W/"c"');   // [{ weak: false, opaque: '"a,b"' }, { weak: true, opaque: '"c"' }]
 * ```
 */
export function parseEntityTags(field: string): readonly EntityTag[] | "*" {
  if (/^[\t ]*\*[\t ]*$/.test(field)) return "*";
  if (!list.test(field)) return [];
  return Array.from(field.matchAll(member), ([, weak, opaque]) => ({
    weak: weak !== undefined,
    opaque: opaque as string, // The group takes part in every match.
  }));
}

/** Strong comparison (RFC 9110 §8.8.3.2): neither is weak. */
export function matchesStrongly(a: EntityTag, b: EntityTag): boolean {
  return !a.weak && !b.weak && a.opaque === b.opaque;
}

/** Weak comparison: whether or not either is weak. */
export function matchesWeakly(a: EntityTag, b: EntityTag): boolean {
  return a.opaque === b.opaque;
}

const tag = String.raw`(W/)?("[\x21\x23-\x7e\x80-\xff]*")`;
const member = new RegExp(tag, "g");
// Empty members are allowed (RFC 9110 §5.6.1.2).
const list = new RegExp(String.raw`^[\t ,]*${tag}(?:[\t ]*,[\t ,]*${tag})*[\t ,]*$`);
