import { createHash } from "node:crypto";
import type { CollectionDefinition } from "../database.ts";
import { comparedValue, memberValue, valueAt } from "../member-value.ts";
import type { MemberType, SelectableMember } from "../selection.ts";
import { StoreUnavailable } from "../store.ts";

/** What the table of a collection has of a member of each record, in a column that the store fills from the documents. */
export interface MemberColumn {
  readonly member: string;
  /** Becomes part of the column's name, so that a member whose type changes gets another column. */
  readonly kind: ColumnKind;
  /** The rule by which the values are made. Where it changes, the column is filled again. */
  readonly content: string;
  readonly toValue: (document: unknown) => string | number | null;
}

export type ColumnKind = "unique" | "text" | "caseless" | "number" | "time";

/** The column by which records are selected and sorted. */
export function selectableColumn({ name, type }: SelectableMember): MemberColumn {
  const toValue = (document: unknown): string | number | null => {
    const value = memberValue(document, name, type);
    return value === null ? null : comparedValue(value, type);
  };
  return { member: name, kind: columnKinds[type], content: "value", toValue };
}

const columnKinds: Readonly<Record<MemberType, ColumnKind>> = {
  text: "text",
  "caseless-text": "caseless",
  date: "text",
  number: "number",
  time: "time",
};

/** The column in which no two records have the same value. */
export function uniqueColumn(member: string): MemberColumn {
  return { member, kind: "unique", content: "key", toValue: (document) => uniqueKey(document, member) };
}

/** What the unique members of a document are compared by. */
export function uniqueKeys(document: unknown, members: readonly string[]): readonly (string | null)[] {
  return members.map((member) => uniqueKey(document, member));
}

/**
 * What a unique member is compared by; null where the document lacks it. It is the JSON text of the value, so that 1 and "1" differ, or
 * a hash where that is too long.
 */
function uniqueKey(document: unknown, member: string): string | null {
  const value = valueAt(document, member) ?? null;
  if (value === null) return null;
  const key = JSON.stringify(value);
  return Buffer.byteLength(key) <= longestKey ? key : createHash("sha256").update(key).digest("hex");
}

/** In bytes: an entry of an index in PostgreSQL has at most 2,704. */
const longestKey = 2000;

/** The shape of the table of a collection, as it is kept beside the counters of the collection. */
export interface TableShape {
  /** The collection that owns the records. */
  readonly owner: string | null;
  /** What the columns are filled with, by their names. */
  readonly columns: Readonly<Record<string, string>>;
}

/** Returns the shape of a table with these columns as text: the same text for the same shape. */
export function tableShape(
  { owner }: CollectionDefinition,
  columns: readonly { readonly name: string; readonly content: string }[],
): string {
  const shape: TableShape = {
    owner: owner?.collection ?? null,
    columns: Object.fromEntries(columns.map(({ name, content }) => [name, content])),
  };
  return JSON.stringify(shape);
}

/** The fault of a change where another program has given the table another shape: this one would not fill its columns. */
export const columnsChanged = (collection: string): StoreUnavailable =>
  new StoreUnavailable(
    `Another version of this program has changed the columns of ${collection}: start this one again`,
  );
