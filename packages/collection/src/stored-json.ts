import type { Document } from "./store.ts";

/** What the store knows of a record beside its document; times in milliseconds since the epoch. */
export interface Stamp {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The JSON text of a record: `id`, the document's members in their order, the times (RFC 3339, UTC, milliseconds). */
export function toStoredJson(document: Document, stamp: Stamp): string {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = { ...noStamp, ...document };
  const createdAt = new Date(stamp.createdAt).toISOString();
  const updatedAt = new Date(stamp.updatedAt).toISOString();
  return JSON.stringify({ id: stamp.id, ...members, createdAt, updatedAt });
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
