import { isDeepStrictEqual } from "node:util";
import type { Document } from "./store.ts";

/** What the store knows of a record beside its document; times in milliseconds since the epoch. */
export interface Stamp {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The JSON text of a document's members in their order, but for those that the store sets: `{"name":"Ada"}`. */
export function toMembersJson(document: Document): string {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = { ...noStamp, ...document };
  return JSON.stringify(members);
}

/** The JSON text of a record: `id`, the members as they stand, the times (RFC 3339, UTC, milliseconds). */
export function toStoredJson(members: string, stamp: Stamp): string {
  const createdAt = new Date(stamp.createdAt).toISOString();
  const updatedAt = new Date(stamp.updatedAt).toISOString();
  const separated = members === "{}" ? "" : `,${members.slice(1, -1)}`;
  return `{"id":${stamp.id}${separated},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`;
}

/** Whether two texts that `toStoredJson` made say the same, in whatever order. */
export function saySame(one: string, other: string): boolean {
  // The order of the members does not change the length.
  return one === other || (one.length === other.length && isDeepStrictEqual(JSON.parse(one), JSON.parse(other)));
}

/**
 * The id that a document brings along; undefined when it has none.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
export function givenId(document: Document): number | undefined {
  const { id } = { ...noStamp, ...document };
  if (id === undefined) return undefined;
  if (typeof id === "number" && Number.isSafeInteger(id) && id >= 1) return id;
  throw new RangeError(`The id of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`);
}

const noStamp: { readonly id?: unknown; readonly createdAt?: unknown; readonly updatedAt?: unknown } = {};
