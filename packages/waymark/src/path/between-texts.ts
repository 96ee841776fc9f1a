import type { SegmentExpression } from "./pattern.ts";

/** What a variable or `*` takes of a segment, between two texts. */
export interface Gap {
  /** undefined for `*`. */
  readonly name: string | undefined;
  /** The fewest characters. */
  readonly least: 0 | 1;
}

/**
 * Returns what takes a segment with these texts, and anything in the gaps between them, of which the leftmost takes as much as it
 * can. It is found from the end, where each text is as far right as it can be: a regular expression tries all places of all texts, and
 * takes minutes to refuse a path of 8,000 characters by `{a}-{b}-{c}.json`.
 *
 * @param texts one more than gaps; only the first and the last may be empty
 */
export function betweenTexts(texts: readonly string[], gaps: readonly Gap[]): SegmentExpression {
  const [first = "", last = ""] = [texts[0], texts.at(-1)];
  const exec: SegmentExpression["exec"] = (segment) => {
    if (!segment.startsWith(first) || !segment.endsWith(last)) return null;
    const groups: Record<string, string> = {};
    let end = segment.length - last.length;
    for (let i = gaps.length - 1; i >= 0; i--) {
      const [{ name, least }, before] = [gaps[i] as Gap, texts[i] as string]; // there is a text before each
      const at = i === 0 ? 0 : segment.lastIndexOf(before, end - least - before.length);
      const start = at + before.length;
      if (at < 0 || start + least > end) return null;
      if (name !== undefined) groups[name] = segment.slice(start, end);
      end = at;
    }
    return { groups };
  };
  return { exec, test: (segment) => exec(segment) !== null };
}
