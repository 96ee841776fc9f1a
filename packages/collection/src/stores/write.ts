import { isDeepStrictEqual } from "node:util";
import type { CollectionDefinition } from "../database.ts";
import type { Creation, Document, Idempotency, Removal, Replacement } from "../store.ts";

/**
 * A change that is to be made; members are the JSON text of an object, the time is in milliseconds since the epoch. Where
 * the collection has an owner, that is the owner whose record is created or may be changed; undefined for any.
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

/** What became of a change. */
export type OutcomeOf<W extends Write> = W extends { readonly kind: "create" }
  ? Creation
  : W extends { readonly kind: "replace" }
    ? Replacement
    : Removal;

/** What a record is to say, as a change has it. */
export type WrittenContent = Pick<CreateWrite, "members" | "owner" | "time">;

/**
 * What a document has a record say.
 *
 * @param owner whose it is to be; undefined where the document says so, or the collection has no owner
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

/** What the store knows of a record beside its document; times in milliseconds since the epoch. */
interface Stamp {
  readonly id: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * The JSON text of a document's members in their order, but for those that the store sets: `{"name":"Ada"}`.
 *
 * @param owner the id of the record's owner, and the member that has it, which is put first
 */
export function toMembersJson(document: Document, owner?: OwnerOf): string {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = { ...noStamp, ...document };
  // Named before, it keeps the first place, and after, the value.
  return JSON.stringify(owner === undefined ? members : { ...ownerMember(owner), ...members, ...ownerMember(owner) });
}

/** By whom a record is owned. */
interface OwnerOf {
  readonly member: string;
  readonly id: number;
}

const ownerMember = ({ member, id }: OwnerOf): object => ({ [member]: id });

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
  return id === undefined ? undefined : requireId(id, "id");
}

/**
 * The id of the owner that a document brings along.
 *
 * @throws RangeError when it has none, or what is none
 */
function givenOwner(document: Document, member: string): OwnerOf {
  const id: unknown = Object.getOwnPropertyDescriptor(document, member)?.value;
  return { member, id: requireId(id, member) };
}

function requireId(id: unknown, member: string): number {
  if (typeof id === "number" && Number.isSafeInteger(id) && id >= 1) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}

const noStamp: { readonly id?: unknown; readonly createdAt?: unknown; readonly updatedAt?: unknown } = {};
