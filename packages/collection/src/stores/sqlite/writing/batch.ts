import type { OutcomeOf, Write } from "../../writing/write.ts";

/** A change, and the collection that it is made to. */
export interface AddressedWrite {
  readonly collection: string;
  readonly write: Write;
}

/** The outcome of a change within its batch. */
export type WriteOutcome = OutcomeOf<Write> | { readonly kind: "failed"; readonly error: Error };
