import { typeName } from "waymark/internal";
import type { StoredCollection } from "../../database.ts";
import { type Document, isRecordId } from "../contract/store.ts";
import type { NewRecord, Stamp } from "./write.ts";

/** The content of a record in a change. */
export type WrittenContent = Omit<NewRecord, "id">;

/**
 * Makes the content of a record from a document.
 *
 * @param owner the owner of the record; undefined where the document names it, or the collection has no owner
 * @param time in milliseconds since the epoch
 * @throws TypeError when the document is a promise, or not an object: a promise is one for the compiler, and without members
 */
export function writtenContent(
  definition: StoredCollection,
  document: Document,
  owner: number | undefined,
  time: number,
): WrittenContent {
  if (document instanceof Promise) throw new TypeError("A document is an object, not a promise: write await before it");
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new TypeError(`A document is an object with the members of a record, not ${typeName(document)}`);
  }
  const ownerOf = ownerOfDocument(definition, document, owner);
  return { members: toMembersJson(document, ownerOf), owner: ownerOf?.id, time };
}

function ownerOfDocument({ owner }: StoredCollection, document: Document, id: number | undefined): OwnerOf | undefined {
  if (owner === undefined) return undefined;
  return id === undefined ? givenOwner(document, owner.member) : { member: owner.member, id };
}

/**
 * Makes the JSON text of a document's members in their order, without those that the store sets: `{"name":"Ada"}`.
 *
 * @param owner the id of the record's owner, and the member that has it, which is put first
 */
export function toMembersJson(document: Document, owner?: OwnerOf): string {
  const members = mustBeCopied(document) ? withoutStamp(document) : document;
  // The first mention sets the place of the member, the last one its value.
  return JSON.stringify(owner === undefined ? members : { ...ownerMember(owner), ...members, ...ownerMember(owner) });
}

/** A copy takes as long as the text. A document that would make its own JSON is copied for its members. */
const mustBeCopied = (document: object): boolean =>
  "id" in document || "createdAt" in document || "updatedAt" in document || "toJSON" in document;

function withoutStamp(document: Partial<Stamp>): object {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = document;
  return members;
}

interface OwnerOf {
  readonly member: string;
  readonly id: number;
}

const ownerMember = ({ member, id }: OwnerOf): object => ({ [member]: id });

/**
 * Returns the id of a document; undefined without one.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
export function givenId(document: Document): number | undefined {
  const id: unknown = Object.hasOwn(document, "id") ? (document as Partial<Stamp>).id : undefined; // it has an id
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

function requireId(id: unknown, member: string): number {
  if (isRecordId(id)) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}
