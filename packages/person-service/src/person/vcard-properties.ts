import { type ContactList, contactLists } from "./contact-lists.ts";
import { type MemberList, onceFor } from "./member-list.ts";
import type { PersonMember } from "./members.ts";

/** A member that is the value of a property of a vCard, or a part of it. */
export interface VcardMember extends Pick<PersonMember, "kind" | "list"> {
  readonly name: string;
  /** From 0; undefined for the whole value. */
  readonly part: number | undefined;
}

/** A property of a vCard. */
export interface VcardProperty {
  readonly property: string;
  /** The members that are its value, or parts of it. */
  readonly members: readonly VcardMember[];
  /** The list with all values, where a person may have several. */
  readonly list: ContactList | undefined;
}

/** Returns the properties of a vCard that members are the values of, in order. */
export const vcardProperties: (members: MemberList) => readonly VcardProperty[] = onceFor(({ entries }) =>
  Array.from(
    Map.groupBy(
      entries.flatMap(([name, { kind, list, vcard }]) => {
        const [property = "", number] = vcard.split(" ");
        const part = number === undefined ? undefined : Number(number);
        return property === "" ? [] : [{ property, name, kind, ...(list && { list }), part }];
      }),
      ({ property }) => property,
    ),
    ([property, members]) => {
      const [single] = members[0]?.name.split(".") ?? [];
      return { property, members, list: contactLists.find((each) => each.single === single) };
    },
  ),
);

/** The words of TYPE (RFC 6350 §5.6) that are others than those of contexts and features. */
export const vcardTypes: Readonly<Record<string, string>> = { private: "home", mobile: "cell" };
