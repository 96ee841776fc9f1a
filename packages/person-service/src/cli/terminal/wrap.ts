/**
 * Wraps a text into lines of at most `length` characters, unless a single word is longer.
 *
 * @param indent put before each line but the first
 */
export function wrap(text: string, length: number, indent = ""): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `${indent}${word}`);
  }
  return lines;
}
