import { type ItemRepresentation, jsonLdRepresentation, type ListRepresentation } from "@waymark/collection";
import type { StoredPerson } from "./person.ts";

/**
 * A person as a schema.org `Person` in JSON-LD. Most members are terms of that vocabulary as they are. `id` is not: its
 * context makes that the node's own `@id`. Nor are the times, which are those of the record, a `CreativeWork` about the
 * person.
 */
export const personJsonLd: ItemRepresentation & ListRepresentation = jsonLdRepresentation({
  context: "https://schema.org",
  toNode,
});

/** @param members of a stored person, of which a client may have chosen some */
function toNode(members: Partial<StoredPerson>): object {
  const { id: _id, address, worksFor, createdAt, updatedAt, ...terms } = members;
  return {
    "@type": "Person",
    ...terms,
    ...(address !== undefined && { address: { "@type": "PostalAddress", ...address } }),
    ...(worksFor !== undefined && { worksFor: { "@type": "Organization", name: worksFor } }),
    ...((createdAt ?? updatedAt) !== undefined && {
      subjectOf: { "@type": "CreativeWork", dateCreated: createdAt, dateModified: updatedAt },
    }),
  };
}
