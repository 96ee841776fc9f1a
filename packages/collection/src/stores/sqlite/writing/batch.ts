import type { DocumentSource, EachCreation } from "../../contract/store.ts";
import { toAdditions } from "../../writing/origins.ts";
import type { NewRecord, OutcomeOf, Write } from "../../writing/write.ts";

/** A change, and the collection that it is made to. */
export interface AddressedWrite {
  readonly collection: string;
  readonly write: Write;
}

/** Records to create, each for itself: what is sent for a thousand of them is a fifth of as many changes. */
export interface EachWrite {
  readonly kind: "each";
  readonly records: readonly NewRecord[];
  readonly source: DocumentSource | undefined;
}

/** What is to be done together. */
export type Batch = readonly (AddressedWrite | { readonly collection: string; readonly write: EachWrite })[];

interface Failed {
  readonly kind: "failed";
  readonly error: Error;
}

/** The outcome of a change within its batch. */
export type WriteOutcome = OutcomeOf<Write> | Failed;

export interface EachOutcomes {
  readonly kind: "each";
  readonly outcomes: readonly (EachCreation | Failed)[];
}

/** The outcome of an element of a batch. */
export type BatchedOutcome = WriteOutcome | EachOutcomes;

/** Returns the number of changes in an element of a batch. */
export const changesIn = (write: Write | EachWrite): number => (write.kind === "each" ? write.records.length : 1);

/** Returns the changes of a batch one by one. */
export function singly(batch: Batch): readonly AddressedWrite[] {
  return batch.flatMap(({ collection, write }): readonly AddressedWrite[] => {
    if (write.kind !== "each") return [{ collection, write }];
    return toAdditions(write.records, write.source).map((addition) => ({ collection, write: addition }));
  });
}

/** Returns the outcomes of a batch from those of its changes one by one. */
export function together(batch: Batch, outcomes: readonly WriteOutcome[]): readonly BatchedOutcome[] {
  let next = 0;
  return batch.map(({ write }) => {
    const first = next;
    next += changesIn(write);
    if (write.kind !== "each") return outcomes[first] as WriteOutcome; // there is one for each change
    return { kind: "each", outcomes: outcomes.slice(first, next) as EachOutcomes["outcomes"] }; // those of creations
  });
}
