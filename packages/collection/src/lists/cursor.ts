import {
  defaultOrder,
  type MemberFilter,
  type MemberType,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
} from "../stores/contract/selection.ts";

/**
 * Returns the function that encodes places in a selection, each as an opaque text of `A-Z`, `a-z`, `0-9`, `-` and `_`: the values of
 * the record at the place, and a fingerprint of the selection, so that the text is not valid in another selection.
 */
export function cursorsOf(selection: Selection & Ordered): (values: readonly MemberValue[]) => string {
  const made = fingerprint(selection);
  return (values) => Buffer.from(JSON.stringify([made, ...values])).toString("base64url");
}

/** Decodes the values of the record at a place; undefined when the text was not made by `cursorsOf` for this selection. */
export function parseCursor(
  text: string,
  selection: Selection & Ordered,
  members: readonly SelectableMember[],
): readonly MemberValue[] | undefined {
  const json = Buffer.from(text, "base64url");
  // The decoder skips unknown characters, and each place must have exactly one text.
  if (json.toString("base64url") !== text) return undefined;
  const [made, ...values] = parseArray(json);
  if (made !== fingerprint(selection) || values.length !== selection.order.length) return undefined;
  const typeOf = (member: string): MemberType | undefined => members.find(({ name }) => name === member)?.type;
  const isValid = selection.order.every(({ member }, i) => isValueOf(member, typeOf(member), values[i]));
  // Each value was found to be of its member's type.
  return isValid ? (values as readonly MemberValue[]) : undefined;
}

interface Ordered {
  readonly order: readonly SortKey[];
}

/** Returns a digest of a selection that does not depend on the order of its filters. It finds mistakes, and keeps nobody out. */
function fingerprint({ filters = [], words = [], order }: Selection & Ordered): string {
  // Most lists are not filtered and not sorted; to make their digest each time took 3 % of a page of 20.
  return filters.length === 0 && words.length === 0 && order === defaultOrder ? ofAll : digest(filters, words, order);
}

function digest(filters: readonly MemberFilter[], words: readonly string[], order: readonly SortKey[]): string {
  const asked = filters.map((filter) => JSON.stringify(filter)).toSorted();
  return digestOf(`${asked.join()} ${JSON.stringify([words, order])}`);
}

/** By hand: a hash of `node:crypto` took 8 % of a page of 20. These are two of 32 bits (FNV-1a), of different multipliers. */
function digestOf(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9747b28c];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
  }
  return (one >>> 0).toString(36) + (other >>> 0).toString(36);
}

const ofAll = digest([], [], defaultOrder);

function parseArray(json: Buffer): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(json.toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function isValueOf(member: string, type: MemberType | undefined, value: unknown): boolean {
  if (member === "id") return Number.isSafeInteger(value);
  if (value === null) return true;
  if (type === "number" || type === "time") return Number.isFinite(value);
  return typeof value === "string" && value.isWellFormed() && !value.includes("\u0000");
}
