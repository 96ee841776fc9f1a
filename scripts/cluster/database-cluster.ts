import { setTimeout as pause } from "node:timers/promises";

/** Databases and what stands before them, as real programs on this machine, with the faults that can be driven. */
export interface DatabaseCluster extends AsyncDisposable {
  /** The URL for the service. */
  readonly url: string;
  /** What can go wrong, by name. Each function resolves once the fault is there. */
  readonly faults: ReadonlyMap<string, () => Promise<void>>;
  /** Mends what a fault left behind; resolves once all parts work together again. */
  mend(): Promise<void>;
  /** Runs a query on the database that takes changes, past the service. */
  query(text: string): Promise<readonly (readonly unknown[])[]>;
}

/** Is thrown if a cluster cannot be started here. The message says what is missing. */
export class CannotStart extends Error {}

/** Waits until a condition holds, and asks for it again and again. */
export async function until(what: string, holds: () => Promise<boolean>, seconds = 120): Promise<void> {
  for (const deadline = performance.now() + seconds * 1000; ; await pause(200)) {
    if (await holds().catch(() => false)) return;
    if (performance.now() > deadline) throw new Error(`After ${seconds} s: not ${what}`);
  }
}
