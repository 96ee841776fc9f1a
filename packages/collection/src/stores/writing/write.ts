import { isDeepStrictEqual } from "node:util";
import type { Creation, EachCreation, Idempotency, Removal, Replacement } from "../contract/store.ts";

/**
 * A change to make. Members are the JSON text of an object, times are in milliseconds since the epoch. In a collection with an owner,
 * `owner` is the owner whose record is created or may be changed; undefined for any.
 */
export type Write =
  | (NewRecord & { readonly kind: "create"; readonly idempotency?: Idempotency | undefined })
  /** One of many creations, whose outcome does not have the record. */
  | (NewRecord & { readonly kind: "add"; readonly origin?: Origin | undefined })
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

/** Where a record comes from. */
export interface Origin {
  /** The key of its source. */
  readonly key: string;
  /** Its position there, from 0. */
  readonly position: number;
}

export type CreateWrite = Extract<Write, { readonly kind: "create" }>;
export type AddWrite = Extract<Write, { readonly kind: "add" }>;

export const isNew = (write: Write): write is CreateWrite | AddWrite => write.kind === "create" || write.kind === "add";

/** The outcome of a change. */
export type OutcomeOf<W extends Write> = {
  readonly create: Creation;
  readonly add: EachCreation;
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
