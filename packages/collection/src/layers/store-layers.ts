// What the stores share that stand over another one, and see or change its records in their own way.

import type { Awaitable } from "waymark";
import type { Removal, Replacement, StoredRecord } from "../stores/contract/store.ts";

/**
 * Attempts a change of a record in the state in which it is found, and again where another change came first, unless a revision is expected.
 */
export async function changeInState<Outcome extends Removal | Replacement>(
  find: (id: number) => Awaitable<StoredRecord | undefined>,
  id: number,
  expectedRevision: number | undefined,
  attempt: (record: StoredRecord) => Promise<Outcome>,
): Promise<Outcome | Extract<Removal, { readonly kind: "missing" | "changed" }>> {
  for (;;) {
    const record = await find(id);
    if (record === undefined) return { kind: "missing" };
    if (expectedRevision !== undefined && record.revision !== expectedRevision) return { kind: "changed", record };
    const outcome = await attempt(record);
    if (outcome.kind !== "changed") return outcome;
  }
}

/** Yields what becomes of each value, which is asked for when the value is wanted. */
export async function* mapped<T>(
  values: Iterable<T> | AsyncIterable<T>,
  map: (value: T) => Awaitable<T>,
): AsyncGenerator<T, void, undefined> {
  for await (const value of values) yield await map(value);
}
