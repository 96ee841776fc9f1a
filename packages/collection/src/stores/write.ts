import { isDeepStrictEqual } from "node:util";
import type { CollectionDefinition } from "../database.ts";
import type { Creation, Document, Idempotency, Removal, Replacement } from "../store.ts";

/**
 * A change to make. Members are the JSON text of an object, times are in milliseconds since the epoch. In a collection with an owner,
 * `owner` is the owner whose record is created or may be changed; undefined for any.
 */
export type Write =
  | {
      readonly kind: "create";
      readonly id: number | undefined;
      readonly members: string;
      readonly time: number;
      readonly owner?: number | undefined;
      readonly idempotency?: Idempotency | undefined;
    }
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

export type CreateWrite = Extract<Write, { readonly kind: "create" }>;

/** The outcome of a change. */
export type OutcomeOf<W extends Write> = W extends { readonly kind: "create" }
  ? Creation
  : W extends { readonly kind: "replace" }
    ? Replacement
    : Removal;

/** The content of a record in a change. */
export type WrittenContent = Pick<CreateWrite, "members" | "owner" | "time">;

/**
 * Makes the content of a record from a document.
 *
 * @param owner the owner of the record; undefined where the document names it, or the collection has no owner
 * @param time in milliseconds since the epoch
 */
export function writtenContent(
  definition: CollectionDefinition,
  document: Document,
  owner: number | undefined,
  time: number,
): WrittenContent {
  const ownerOf = ownerOfDocument(definition, document, owner);
  return { members: toMembersJson(document, ownerOf), owner: ownerOf?.id, time };
}

function ownerOfDocument(
  { owner }: CollectionDefinition,
  document: Document,
  id: number | undefined,
): OwnerOf | undefined {
  if (owner === undefined) return undefined;
  return id === undefined ? givenOwner(document, owner.member) : { member: owner.member, id };
}

/** The values of a record that the store sets; times in milliseconds since the epoch. */
export interface Stamp {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * Makes the JSON text of a document's members in their order, without those that the store sets: `{"name":"Ada"}`.
 *
 * @param owner the id of the record's owner, and the member that has it, which is put first
 */
export function toMembersJson(document: Document, owner?: OwnerOf): string {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = { ...noStamp, ...document };
  // The first mention sets the place of the member, the last one its value.
  return JSON.stringify(owner === undefined ? members : { ...ownerMember(owner), ...members, ...ownerMember(owner) });
}

/** The owner of a record. */
interface OwnerOf {
  readonly member: string;
  readonly id: number;
}

const ownerMember = ({ member, id }: OwnerOf): object => ({ [member]: id });

/** Makes the JSON text of a record: `id`, the members unchanged, the times (RFC 3339, UTC, milliseconds). */
export function toStoredJson(members: string, stamp: Stamp): string {
  const createdAt = new Date(stamp.createdAt).toISOString();
  const updatedAt = stamp.updatedAt === stamp.createdAt ? createdAt : new Date(stamp.updatedAt).toISOString();
  const separated = members === "{}" ? "" : `,${members.slice(1, -1)}`;
  return `{"id":${stamp.id}${separated},"createdAt":"${createdAt}","updatedAt":"${updatedAt}"}`;
}

/** Returns whether two texts of `toStoredJson` have equal members, in any order. */
export function saySame(one: string, other: string): boolean {
  // Another order of members does not change the length.
  return one === other || (one.length === other.length && isDeepStrictEqual(JSON.parse(one), JSON.parse(other)));
}

/**
 * Returns the id of a document; undefined without one.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
export function givenId(document: Document): number | undefined {
  const { id } = { ...noStamp, ...document };
  return id === undefined ? undefined : requireId(id, "id");
}

/**
 * Returns the id of the owner that a document names.
 *
 * @throws RangeError when the document names no owner, or the id is malformed
 */
function givenOwner(document: Document, member: string): OwnerOf {
  const id: unknown = Object.getOwnPropertyDescriptor(document, member)?.value;
  return { member, id: requireId(id, member) };
}

/** Returns whether a value can be the id of a record: an integer from 1 to 2^53-1. */
export function isRecordId(id: unknown): id is number {
  return typeof id === "number" && Number.isSafeInteger(id) && id >= 1;
}

function requireId(id: unknown, member: string): number {
  if (isRecordId(id)) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}

const noStamp: { readonly id?: unknown; readonly createdAt?: unknown; readonly updatedAt?: unknown } = {};
