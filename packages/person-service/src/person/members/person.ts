import type { RecordOf } from "@waymark/collection";
import type { StandardSchemaV1 } from "waymark/content";
import type { PersonMember } from "./member.ts";
import type { ownObject, PersonMemberName, personMembers } from "./members.ts";

/** A value of a list such as `emails`, and what is said of it, with the words of RFC 9553. */
export interface FurtherValue<V = MemberValue> {
  readonly value: V;
  /** What it is used for. */
  readonly contexts?: readonly string[];
  /** What a telephone can do. */
  readonly features?: readonly string[];
  readonly label?: string;
  readonly preferred?: boolean;
  /** What a vCard says of it beside these: its property without what the others say, such as `EMAIL;X-LOGIN=ada:`. */
  readonly vCardProp?: string;
}

/** A text, or an object such as an address. */
export type MemberValue = string | Readonly<Record<string, string | undefined>>;

type PartOf<O extends string> = PersonMemberName extends infer P ? (P extends `${O}.${infer R}` ? R : never) : never;

type ValueOf<M extends PersonMember> = M extends { readonly list: true }
  ? readonly string[]
  : M extends { readonly of: infer O extends string }
    ? readonly FurtherValue<O extends PersonMemberName ? string : { readonly [P in PartOf<O>]?: string }>[]
    : M["kind"] extends "id"
      ? number
      : string;

type Schemas = {
  [P in PersonMemberName]: {
    readonly schema: StandardSchemaV1<
      unknown,
      | ValueOf<(typeof personMembers)[P]>
      | ((typeof personMembers)[P] extends { readonly always: true } ? never : undefined)
    >;
  };
};

/** A valid person as a client sends it; the name is derived from its parts where the client sends none. */
export type Person = RecordOf<Schemas> & {
  /** The members of a service's own, by their names. */
  readonly [ownObject]?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
};

/** A person as it is stored and sent. The times are in UTC (RFC 3339). */
export type StoredPerson = Person & { readonly id: number; readonly createdAt: string; readonly updatedAt: string };
