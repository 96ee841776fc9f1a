import { setTimeout as elapse } from "node:timers/promises";
import { toStoreFault } from "./postgres-fault.ts";

const attempts = 5;

/**
 * What work comes to, which is tried up to five times where that may help.
 *
 * @throws StoreUnavailable (rejects) when the database cannot be used just now; else what the work throws
 */
export async function attempt<T>(work: () => Promise<T>, mayBeRepeated: (error: unknown) => boolean): Promise<T> {
  for (let made = 1; ; made++) {
    try {
      return await work();
    } catch (error) {
      if (made === attempts || !mayBeRepeated(error)) throw toStoreFault(error);
      await elapse(Math.random() * 10 * 2 ** made); // milliseconds; those who met are not to meet again
    }
  }
}
