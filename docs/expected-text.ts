/**
 * Whether a text is as a page says: white space at the end of lines, and of the whole, does not count, and `…` stands for
 * any text, also for none.
 */
export function isAsExpected(expected: string, actual: string): boolean {
  const pieces = withoutEnds(expected).split("…").map(RegExp.escape);
  return new RegExp(`^${pieces.join(".*")}$`, "s").test(withoutEnds(actual));
}

const withoutEnds = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
