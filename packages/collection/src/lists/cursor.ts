import { createHash } from "node:crypto";
import { excerpt, nearestName, orNearest } from "waymark/content";
import {
  defaultOrder,
  type MemberType,
  type MemberValue,
  type SelectableMember,
  type Selection,
  type SortKey,
} from "../selection.ts";
import type { Report } from "./parameters.ts";

/**
 * Encodes a place in a selection as an opaque text of `A-Z`, `a-z`, `0-9`, `-` and `_`: the values of the record at the place, and
 * a fingerprint of the selection, so that the text is not valid in another selection.
 */
export function toCursor(selection: Selection & Ordered, values: readonly MemberValue[]): string {
  return Buffer.from(JSON.stringify([fingerprint(selection), ...values])).toString("base64url");
}

/** Decodes the values of the record at a place; undefined when the text was not made by `toCursor` for this selection. */
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
  const types = new Map(members.map(({ name, type }) => [name, type]));
  const isValid = selection.order.every(({ member }, i) => isValueOf(member, types.get(member), values[i]));
  // Each value was found to be of its member's type.
  return isValid ? (values as readonly MemberValue[]) : undefined;
}

interface Ordered {
  readonly order: readonly SortKey[];
}

/** Returns a digest of a selection that does not depend on the order of its filters. */
function fingerprint({ filters = [], words = [], order }: Selection & Ordered): string {
  const asked = [filters.map((filter) => JSON.stringify(filter)).toSorted(), words, order];
  return createHash("sha256").update(JSON.stringify(asked)).digest("base64url").slice(0, 11);
}

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

/**
 * Reads the order in the parameter `sort`: `familyName,-birthDate`, with a minus sign for descending. Records that are equal in
 * all these members are ordered by id, in the direction of the last member.
 */
export function parseSort(text: string, members: readonly SelectableMember[], report: Report): readonly SortKey[] {
  const sent = text.split(",");
  if (sent.length > mostKeys) {
    report("sort", `names ${sent.length} members; at most ${mostKeys} are allowed`);
    return defaultOrder;
  }
  const keys: SortKey[] = [];
  for (const key of sent) {
    const descending = key.startsWith("-");
    const member = descending ? key.slice(1) : key;
    if (!members.some(({ name }) => name === member)) {
      const names = members.map(({ name }) => name);
      const [, sorted = member, direction = ""] = /^(.*?)[ :.]+(asc|desc)$/i.exec(member) ?? [];
      const nearest = nearestName(sorted, names);
      const meant = nearest && (direction.toLowerCase() === "desc" ? `-${nearest}` : nearest);
      report("sort", `cannot sort by ${excerpt(member)}${orNearest(meant)}`, names);
    } else if (keys.some((earlier) => earlier.member === member)) {
      report("sort", `names ${member} twice`);
    } else {
      keys.push({ member, descending });
    }
  }
  return toTotalOrder(keys);
}

/** Ends the order with the id. Members after the id are dropped: no two records have the same id. */
function toTotalOrder(keys: readonly SortKey[]): readonly SortKey[] {
  const id = keys.findIndex(({ member }) => member === "id");
  if (id >= 0) return keys.slice(0, id + 1);
  return [...keys, { member: "id", descending: keys.at(-1)?.descending ?? false }];
}

const mostKeys = 8;
