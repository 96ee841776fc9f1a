import { wording } from "waymark/internal";
import type { StoredCollection } from "../../database.ts";
import { type Document, isRecordId } from "../contract/store.ts";
import type { NewRecord, Stamp } from "./write.ts";

/**
 * Makes the content of a record from a document: the JSON text of its members in their order, without those that the store sets. The
 * member that has the id of the owner comes first.
 *
 * @param given the owner of the record; undefined where the document names it, or the collection has no owner
 * @param time in milliseconds since the epoch
 * @throws RangeError when the document is to name its owner, and does not, or by a malformed id
 * @throws TypeError when the document is a promise, or not an object: a promise is one for the compiler, and without members
 */
export function writtenContent(
  { owner: ownership }: StoredCollection,
  document: Document,
  given: number | undefined,
  time: number,
): Omit<NewRecord, "id"> {
  if (document instanceof Promise) throw new TypeError("A document is an object, not a promise: write await before it");
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    throw new TypeError(`A document is an object with the members of a record, not ${wording.typeName(document)}`);
  }
  const members = mustBeCopied(document) ? withoutStamp(document) : document;
  if (ownership === undefined) return { members: JSON.stringify(members), owner: undefined, time };
  const { member } = ownership;
  const owner = given ?? requireId(Object.getOwnPropertyDescriptor(document, member)?.value, member);
  // The first mention sets the place of the member, the last one its value.
  return { members: JSON.stringify({ [member]: owner, ...members, [member]: owner }), owner, time };
}

/** A copy takes as long as the text. A document that would make its own JSON is copied for its members. */
const mustBeCopied = (document: object): boolean =>
  "id" in document || "createdAt" in document || "updatedAt" in document || "toJSON" in document;

function withoutStamp(document: Partial<Stamp>): object {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...members } = document;
  return members;
}

/**
 * Returns the id of a document; undefined without one.
 *
 * @throws RangeError when it is not an integer from 1 to 2^53-1
 */
export function givenId(document: Document): number | undefined {
  const id: unknown = Object.hasOwn(document, "id") ? (document as Partial<Stamp>).id : undefined; // it has an id
  return id === undefined ? undefined : requireId(id, "id");
}

function requireId(id: unknown, member: string): number {
  if (isRecordId(id)) return id;
  throw new RangeError(
    `The ${member} of a record is an integer from 1 to ${Number.MAX_SAFE_INTEGER}, not ${String(id)}`,
  );
}
