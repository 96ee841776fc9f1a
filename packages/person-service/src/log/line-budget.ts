/**
 * Makes a function that returns whether another line may be written: at most so many in a second.
 *
 * @param now a clock in milliseconds
 */
export function lineBudget(most: number, now: () => number): () => boolean {
  let second = 0;
  let lines = 0;
  return () => {
    const current = Math.floor(now() / 1000);
    if (current !== second) lines = 0;
    second = current;
    return ++lines <= most;
  };
}
