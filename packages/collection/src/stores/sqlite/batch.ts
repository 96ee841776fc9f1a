import type { OutcomeOf, Write } from "../write.ts";

/** A change, and the collection that it is made to. */
export interface AddressedWrite {
  readonly collection: string;
  readonly write: Write;
}

/** The outcome of a change within its batch. */
export type BatchedOutcome = OutcomeOf<Write> | { readonly kind: "failed"; readonly error: Error };

// Between processes, changes and outcomes travel as text: the process in the middle passes the text on without reading it. A
// structured clone would be made and read at every step.

export const toBatchText = (writes: readonly AddressedWrite[]): string => JSON.stringify(writes);

export const fromBatchText = (text: string): readonly AddressedWrite[] => JSON.parse(text);

export const toOutcomesText = (outcomes: readonly BatchedOutcome[]): string =>
  // JSON cannot represent an Error.
  JSON.stringify(
    outcomes.map((outcome) =>
      outcome.kind === "failed" ? { kind: "failed", error: { message: outcome.error.message } } : outcome,
    ),
  );

export function fromOutcomesText(text: string): readonly BatchedOutcome[] {
  const outcomes: readonly BatchedOutcome[] = JSON.parse(text);
  return outcomes.map((outcome) => {
    switch (outcome.kind) {
      case "failed":
        return { kind: "failed", error: new Error(outcome.error.message) };
      case "repeated":
        return "id" in outcome ? { ...outcome, record: outcome.record } : outcome; // undefined when the record is gone
      default:
        return outcome;
    }
  });
}
