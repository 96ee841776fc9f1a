import type { CollectionDefinition } from "../database.ts";
import type { Creation, Document, Idempotency, Removal, Replacement } from "../store.ts";
import { givenOwner, type OwnerOf, toMembersJson } from "./stored-json.ts";

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
