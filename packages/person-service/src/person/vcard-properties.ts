import { memberEntries, type PersonMember } from "./members.ts";

/** A member that is the value of a property of a vCard, or a part of it. */
export interface VcardMember extends Pick<PersonMember, "kind" | "list"> {
  readonly name: string;
  /** From 0; undefined for the whole value. */
  readonly part: number | undefined;
}

/** The properties of a vCard that members are the values of, in order. */
export const vcardProperties: readonly (readonly [property: string, members: readonly VcardMember[]])[] = [
  ...Map.groupBy(
    memberEntries.flatMap(([name, { kind, list, vcard }]) => {
      const [property = "", number] = vcard.split(" ");
      const part = number === undefined ? undefined : Number(number);
      return property === "" ? [] : [{ property, name, kind, ...(list && { list }), part }];
    }),
    ({ property }) => property,
  ),
];
