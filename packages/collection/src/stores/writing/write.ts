import { isDeepStrictEqual } from "node:util";
import type { Creation, Idempotency, Removal, Replacement } from "../contract/store.ts";

/**
 * A change to make. Members are the JSON text of an object, times are in milliseconds since the epoch. In a collection with an owner,
 * `owner` is the owner whose record is created or may be changed; undefined for any.
 */
export type Write =
  | (NewRecord & { readonly kind: "create"; readonly idempotency?: Idempotency | undefined })
  | {
      readonly kind: "replace";
      readonly id: number;
      readonly members: string;
      readonly time: number;
      readonly expectedRevision: number | undefined;
      readonly owner?: number | undefined;
    }
  | {
      readonly kind: "remove";
      readonly id: number;
      readonly expectedRevision: number | undefined;
      readonly owner?: number | undefined;
    };

/** A record to create. */
export interface NewRecord {
  readonly id: number | undefined;
  readonly members: string;
  readonly time: number;
  readonly owner?: number | undefined;
}

export type CreateWrite = Extract<Write, { readonly kind: "create" }>;
export type RemoveWrite = Extract<Write, { readonly kind: "remove" }>;

export const isNew = (write: Write): write is CreateWrite => write.kind === "create";

/** Whether a write creates a record for which nothing but what must be unique has to be known. */
export const dependsOnNothing = (write: Write): write is CreateWrite =>
  isNew(write) && write.id === undefined && write.idempotency === undefined;

/** The outcome of a change. */
export type OutcomeOf<W extends Write> = {
  readonly create: Creation;
  readonly replace: Replacement;
  readonly remove: Removal;
}[W["kind"]];

/** The values of a record that the store sets; times in milliseconds since the epoch. */
export interface Stamp {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Makes the JSON text of a record: `id`, the members unchanged, the times (RFC 3339, UTC, milliseconds). */
export function toStoredJson(members: string, stamp: Stamp): string {
  const createdAt = toIsoTime(stamp.createdAt);
  const updatedAt = stamp.updatedAt === stamp.createdAt ? createdAt : toIsoTime(stamp.updatedAt);
  const separated = members === "{}" ? "" : `,${members.slice(1, -1)}`;
  return `{"id":${stamp.id}${separated},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`;
}

/** Many records in a row are of one millisecond. */
function toIsoTime(time: number): string {
  if (time !== lastTime.time) lastTime = { time, text: new Date(time).toISOString() };
  return lastTime.text;
}

let lastTime = { time: 0, text: new Date(0).toISOString() };

/** Returns whether two texts of `toStoredJson` have equal members, in any order. */
export function saySame(one: string, other: string): boolean {
  // Another order of members does not change the length.
  return one === other || (one.length === other.length && isDeepStrictEqual(JSON.parse(one), JSON.parse(other)));
}
