import type { ItemRepresentation, ListRepresentation, StoredRecord } from "@waymark/collection";
import { type MemberList, onceFor } from "../members/member-list.ts";
import type { StoredPerson } from "../members/person.ts";
import { linesOf, type Version } from "./lines-of-person.ts";
import { contentLine, vcardLine } from "./vcard-lines.ts";

/** Sends a person as a vCard 4.0 (RFC 6350) for address books; a list is a sequence of cards. */
export const vcard: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) =>
  cards("vcard", "4.0", members),
);

/** Sends a person as a vCard 3.0 (RFC 2426), for older programs and phones. */
export const vcard3: (members: MemberList) => ItemRepresentation & ListRepresentation = onceFor((members) =>
  cards("vcard3", "3.0", members),
);

function cards(name: string, version: Version, members: MemberList): ItemRepresentation & ListRepresentation {
  const item = ({ json }: StoredRecord): string => {
    const person: StoredPerson = JSON.parse(json); // the schema has validated every stored person
    let card = contentLine(vcardLine("BEGIN", "VCARD")) + contentLine(vcardLine("VERSION", version));
    for (const line of linesOf(person, members, version)) card += contentLine(line);
    return card + contentLine(vcardLine("END", "VCARD"));
  };
  return {
    name,
    extension: "vcf",
    mediaType: `text/vcard;version=${version}`,
    contentType: `text/vcard; charset=utf-8; version=${version}`,
    item,
    list: () => ({ item }),
    // A card needs a name (FN), and its UID and REV identify a person and a state.
    whole: true,
  };
}
