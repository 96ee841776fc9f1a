/**
 * Makes a function to ask before a line is written: at most so many are in a second. Returns how many were left out since the last one;
 * undefined where this one is to be left out, too.
 *
 * @param now a clock in milliseconds
 */
export function lineBudget(most: number, now: () => number): () => number | undefined {
  let [second, lines, leftOut] = [0, 0, 0];
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) lines = 0;
    second = current;
    if (++lines > most) {
      leftOut++;
      return undefined;
    }
    const omitted = leftOut;
    leftOut = 0;
    return omitted;
  };
}
