import { setImmediate as nextTurn } from "node:timers/promises";

/** Resolves with the milliseconds of the longest turn of the event loop until the work is done. */
export async function longestTurn(work: () => unknown): Promise<number> {
  let isDone = false;
  let longest = 0;
  await nextTurn();
  let last = performance.now();
  const working = Promise.resolve(work()).finally(() => {
    isDone = true;
  });
  // Once more than until it is done, for what it did at last.
  for (let isLast = false; !isLast; ) {
    isLast = isDone;
    await nextTurn();
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  await working;
  return longest;
}
