import type { DocumentSource } from "../contract/store.ts";
import type { AddWrite, NewRecord, Origin, Write } from "./write.ts";

// The positions of a source whose records are stored are kept as the bits of hexadecimal digits, in a row of the table of idempotency
// keys for a thousand or so: a key for each record would take more room than a third of the record.

/** Returns the creations of records, each with its position in the source. */
export function toAdditions(records: readonly NewRecord[], source: DocumentSource | undefined): readonly AddWrite[] {
  return records.map((record, i) => {
    const position = source?.positions[i];
    if (source === undefined || position === undefined) return { ...record, kind: "add" };
    return { ...record, kind: "add", origin: { key: source.key, position } };
  });
}

/** Returns the key of the row that has the position of a record in its source. */
export const rowKeyOf = ({ key, position }: Origin): string => `${key} ${Math.floor(position / positionsInRow)}`;

/** Returns the key on which a new record depends; undefined without one. */
export function keyOfWrite(write: Write): string | undefined {
  if (write.kind === "create") return write.idempotency?.key;
  return write.kind === "add" && write.origin !== undefined ? rowKeyOf(write.origin) : undefined;
}

/** Returns whether a row has a position. */
export function hasPosition(digits: string, { position }: Origin): boolean {
  const place = position % positionsInRow;
  return (digitAt(digits, place >> 2) & (1 << (place & 3))) !== 0;
}

/** Returns a row with one more position. */
export function withPosition(digits: string, { position }: Origin): string {
  const place = position % positionsInRow;
  const at = place >> 2;
  const digit = (digitAt(digits, at) | (1 << (place & 3))).toString(16);
  return digits.slice(0, at).padEnd(at, "0") + digit + digits.slice(at + 1);
}

const digitAt = (digits: string, at: number): number => Number.parseInt(digits.charAt(at) || "0", 16);

const positionsInRow = 1024;
