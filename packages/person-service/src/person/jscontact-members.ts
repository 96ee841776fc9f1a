import { type ContactList, contactLists } from "./contact-lists.ts";
import type { PersonMember } from "./member.ts";
import { type MemberList, onceFor } from "./member-list.ts";

/** A member that has a place in a JSContact card. */
export interface JsContactMember {
  readonly name: string;
  /** Which part of an object it is; empty for a member that is a value. */
  readonly part: string;
  readonly memberKind: PersonMember["kind"];
  /** The list with all values, where a person may have several. */
  readonly list: ContactList | undefined;
  /** The member of the card. */
  readonly top: string;
  /** Whether that is a map of entries, of which the person has one, or those of the list. */
  readonly isMap: boolean;
  /** That of the entry; empty for one without. */
  readonly kind: string;
  /** The member of the object or entry; empty for a set, whose names are the values. */
  readonly property: string;
  /** Which of the components it is; empty where it is the property itself. */
  readonly component: string;
}

/** Returns the members that have a place in a JSContact card, in order. */
export const jsContactMembers: (members: MemberList) => readonly JsContactMember[] = onceFor(({ entries }) =>
  entries.flatMap(([name, member]) => {
    if (member.jscontact === "") return [];
    const [top = "", second = "", ...rest] = member.jscontact.split("/");
    const isMap = rest.length > 0 && second !== "components";
    const [property = "", component = ""] = isMap ? rest : second === "*" ? [] : [second, ...rest];
    const [single, part = ""] = name.split(".");
    const list = contactLists.find((each) => each.single === single);
    const kind = isMap && second !== "*" ? second : "";
    return [{ name, part, memberKind: member.kind, list, top, isMap, kind, property, component }];
  }),
);

/** Returns the key of the entry that a member without a list has. */
export const keyOf = ({ kind }: Pick<JsContactMember, "kind">): string => (kind === "" ? "1" : kind);
