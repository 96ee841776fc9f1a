import { jsonArrayDecoder, type ListDecoder } from "@waymark/collection";
import { ContentError, type Decoder, jsonDecoder } from "waymark/content";
import type { MemberList } from "../person/member-list.ts";
import { isoDates } from "./dates.ts";
import { isJsContact, personOfJsContact } from "./jscontact-person.ts";
import { toMembers } from "./values.ts";

const mediaTypes = ["application/jscontact+json"];

/** Reads a person from a JSContact card, for clients. */
export const jsContactDecoder = (members: MemberList): Decoder => ({
  mediaTypes,
  charsets: ["utf-8"],
  decode(content, mediaType) {
    const value = jsonDecoder.decode(content, mediaType);
    if (!isJsContact(value)) throw new ContentError(`The content ${notCard}`);
    return toMembers(personOfJsContact(value, members), { members, dates: isoDates });
  },
});

/** Reads people from an array of JSContact cards, for clients. */
export const jsContactListDecoder = (members: MemberList): ListDecoder => ({
  ...jsonArrayDecoder,
  mediaTypes,
  async *decode(pieces, reading) {
    for await (const listed of jsonArrayDecoder.decode(pieces, reading)) {
      const { line, value, issues } = listed;
      if (issues !== undefined) yield listed;
      else if (!isJsContact(value)) yield { line, issues: [{ message: notCard }] };
      else yield { line, value: toMembers(personOfJsContact(value, members), { members, dates: isoDates }) };
    }
  },
});

const notCard = 'is not a JSContact card, whose "@type" is "Card"';
