import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Resolves with the milliseconds of the longest turn of the event loop until the work is done: of the processor, since other
 * programs interrupt a turn for as long as they like.
 */
export async function longestTurn(work: () => unknown): Promise<number> {
  let isDone = false;
  let longest = 0;
  await nextTurn();
  let before = process.threadCpuUsage();
  const working = Promise.resolve(work()).finally(() => {
    isDone = true;
  });
  // Once more than until it is done, for what it did at last.
  for (let isLast = false; !isLast; ) {
    isLast = isDone;
    await nextTurn();
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1_000);
    before = process.threadCpuUsage();
  }
  await working;
  return longest;
}
