import { parseStrictJson } from "waymark/content";

/**
 * Writes a list in one cell of a table: texts with `; ` between them, with a backslash before a `;`, a `\` or a first `[`; a list of
 * anything else as JSON.
 *
 * ```ts
 * toListCell(["friend", "book; club"]);   // "friend; book\\; club"
 * toListCell([1, 2]);                     // "[1,2]"
 * ```
 */
export function toListCell(values: readonly unknown[]): string {
  const isPlain = (value: unknown): value is string =>
    typeof value === "string" && value !== "" && value.trim() === value;
  if (values.length === 0 || !values.every(isPlain)) return JSON.stringify(values);
  return values.map((value) => value.replaceAll(/^\[|[\\;]/g, "\\$&")).join("; ");
}

/** Reads a list from a cell as `toListCell` writes it. What is not JSON is a list of texts. */
export function parseListCell(text: string): readonly unknown[] {
  if (text.startsWith("[")) {
    try {
      const values: unknown = parseStrictJson(text);
      if (Array.isArray(values)) return values;
    } catch {
      // A text that begins with a bracket.
    }
  }
  const values = [""];
  for (const [piece] of text.matchAll(/\\[\\;[]|\\|;|[^\\;]+/g)) {
    if (piece === ";") values.push("");
    else values[values.length - 1] += piece.length === 2 && piece.startsWith("\\") ? piece.slice(1) : piece;
  }
  return values.map((value) => value.trim()).filter((value) => value !== "");
}
