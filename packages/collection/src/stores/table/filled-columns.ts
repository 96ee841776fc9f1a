import { hash } from "node:crypto";
import type { DatabaseOptions, StoredCollection } from "../../database.ts";
import { foldVersion } from "../../members/fold.ts";
import { comparedValue, toMemberValue, valueAlong, valueAt, valuesAt } from "../../members/value.ts";
import { damagedReason, StoreDamaged, StoreUnavailable } from "../contract/errors.ts";
import type { ListMember, MemberType, SelectableMember } from "../contract/selection.ts";

/** A column of a collection's table that the store fills with a member of each document. */
export interface MemberColumn {
  readonly member: string;
  /** Part of the column's name, so that a member gets another column when its type changes. */
  readonly kind: ColumnKind;
  /** The rule that makes the values. When it changes, the column is filled again. */
  readonly content: string;
  readonly toValue: (document: unknown) => string | number | null;
}

/** Returns the name of the column of a member that the store keeps itself. */
export const storeColumn = (member: string): string => storeColumns[member] ?? member;

const storeColumns: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" };

export type ColumnKind = "unique" | "folded" | "text" | "number" | "time";

/** Makes the column for filters and order. */
export function selectableColumn({ name, type }: SelectableMember): MemberColumn {
  const path = name.split(".");
  const toValue = (document: unknown): string | number | null => {
    const value = toMemberValue(valueAlong(document, path), type);
    return value === null ? null : comparedValue(value, type);
  };
  return { member: name, kind: columnKinds[type], content: contents[type] ?? "value", toValue };
}

const contents: Readonly<Partial<Record<MemberType, string>>> = { boolean: "boolean", text: `folded ${foldVersion}` };

const columnKinds: Readonly<Record<MemberType, ColumnKind>> = {
  text: "folded",
  exact: "text",
  date: "text",
  number: "number",
  boolean: "text",
  time: "time",
};

/** Returns the values of a list as they are compared, each once, and without that of its single member. */
export function listValues(document: unknown, { name, type, single }: ListMember): readonly string[] {
  const compared = new Set<string>();
  for (const value of valuesAt(document, name)) {
    if (typeof value === "string") compared.add(comparedValue(value, type));
  }
  if (compared.size === 0) return [];
  const one = single && valueAt(document, single);
  if (typeof one === "string") compared.delete(comparedValue(one, type));
  return [...compared];
}

/**
 * Writes that the text of a document may have some of these members, so that only such documents have to be parsed.
 *
 * @param contains makes the condition that the text contains a part
 */
export function hasSome(members: readonly string[], contains: (part: string) => string): string {
  const names = new Set(members.map((member) => member.split(".")[0]));
  return Array.from(names, (name) => contains(`"${name}":`)).join(" OR ");
}

/** Makes the column whose values are unique. */
export function uniqueColumn(member: string): MemberColumn {
  return { member, kind: "unique", content: "key", toValue: (document) => uniqueKey(document, member) };
}

/** Returns the keys by which the unique members of a document are compared. */
export function uniqueKeys(document: unknown, members: readonly string[]): readonly (string | null)[] {
  return members.map((member) => uniqueKey(document, member));
}

/**
 * Returns the key of a unique member; null where the document lacks it. The key is the JSON text of the value, so that 1 and "1"
 * differ, or a hash of a long text.
 */
function uniqueKey(document: unknown, member: string): string | null {
  const value = valueAt(document, member) ?? null;
  if (value === null) return null;
  const key = JSON.stringify(value);
  return Buffer.byteLength(key) <= longestKey ? key : hash("sha256", key);
}

/** In bytes: PostgreSQL allows 2,704 in an entry of an index. */
const longestKey = 2000;

/**
 * The part of every shape that stands for the indexes of the feed, and for removals with a revision. Programs that know nothing of
 * these make no changes to a table of this shape.
 */
export const feedColumn: { readonly name: string; readonly content: string } = { name: "changes", content: "revision" };

/** The shape of a collection's table, which is stored with the counters of the collection. */
export interface TableShape {
  /** The collection that owns the records. */
  readonly owner: string | null;
  /** The rules that fill the columns, by name of the column. */
  readonly columns: Readonly<Record<string, string>>;
}

/** Returns the shape of a table with these columns as text: the same text for the same shape. */
export function tableShape(
  { owner }: StoredCollection,
  columns: readonly { readonly name: string; readonly content: string }[],
): string {
  const shape: TableShape = {
    owner: owner?.collection ?? null,
    columns: Object.fromEntries(columns.map(({ name, content }) => [name, content])),
  };
  return JSON.stringify(shape);
}

/**
 * Reads a shape.
 *
 * @throws StoreDamaged when another program than this one has written the text
 */
export const parseTableShape = (form: string): TableShape => parseNoted<TableShape>(form);

function parseNoted<T>(text: string): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StoreDamaged(damagedReason, { cause: error });
  }
}

/** Reports the members that could be selected by, or were unique, in a table of one shape, and that one of another shape lacks. */
export function reportForgotten(
  collection: string,
  present: string,
  due: string,
  onForgotten: DatabaseOptions["onForgotten"],
): void {
  if (present === due) return;
  const forgotten = membersIn(present).difference(membersIn(due));
  if (forgotten.size > 0) onForgotten?.(collection, [...forgotten]);
}

/** The members that the columns of a shape are named after; SQLite has those of all lists in the rule of one. */
function membersIn(form: string): ReadonlySet<string> {
  const { columns } = parseTableShape(form);
  const ofLists = parseNoted<readonly (readonly [member: string])[]>(columns["values"] ?? "[]");
  const named = Object.keys(columns).flatMap(
    (column) => /^(?:unique|folded|text|number|time|list)_(.*)$/s.exec(column)?.[1] ?? [],
  );
  return new Set([...named, ...ofLists.map(([member]) => member)]);
}

/** Makes the error for a change after another program has changed the table's shape: this program would not fill its columns. */
export const columnsChanged = (collection: string): StoreUnavailable =>
  new StoreUnavailable(
    `Another version of this program has changed the columns of ${collection}: start this one again`,
  );
