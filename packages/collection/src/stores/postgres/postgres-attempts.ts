import { setTimeout as elapse } from "node:timers/promises";

/** What work comes to, which is tried up to so many times where that may help. Throws what the work threw last. */
export async function attempt<T>(
  most: number,
  work: () => Promise<T>,
  mayBeRepeated: (error: unknown) => boolean,
): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await work();
    } catch (error) {
      if (made === most || !mayBeRepeated(error)) throw error;
      await elapse(Math.random() * 10 * 2 ** made); // milliseconds; those who met are not to meet again
    }
  }
}
