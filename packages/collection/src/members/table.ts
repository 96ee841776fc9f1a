import type { StandardSchemaV1 } from "waymark/content";
import type { MemberType } from "../stores/contract/selection.ts";
import type { Document } from "../stores/contract/store.ts";

/** Says what lists can do with a member of the records of a collection. */
export interface MemberUse {
  /** How its values compare where lists are filtered and sorted by it, which costs an index. Default: lists are not. */
  readonly filter?: MemberType;
  /**
   * Whether it is a list, of which a filter is met by any value: `tags`, or `emails.value` for objects in a list. The values are text
   * or dates. Records cannot be sorted by it. Default: false.
   */
  readonly list?: boolean;
  /**
   * For a list, the member that is one of its values: `email`. Filters by value on either of them are met by both, and only further
   * values take room in the index of the list. Default: none.
   */
  readonly single?: string;
  /**
   * Whether lists can be searched for its words; `"digits"` for those with a number, such as a telephone, of which any four or more
   * digits in a row are enough. Default: false.
   */
  readonly search?: boolean | "digits";
  /** Whether no two records have the same value of it. It may be absent. Default: false. */
  readonly unique?: boolean;
  /**
   * Its former name, in the same object: `renamed: "zip"` of `address.postalCode` was `address.zip`. Records that are stored by it are
   * read by the present name, and are stored so: by SQLite when the database is opened, by PostgreSQL in steps while it is open. That is
   * a change of each record, with its revision, which followers get. What is written by the former name is stored by the present one.
   * Leave it in until no older version runs. Default: none.
   */
  readonly renamed?: string;
}

/**
 * The members of a collection that have a use, by name; `address.postalCode` is a member of an object. With the type of the records,
 * a name that they do not have does not compile.
 *
 * ```ts
 * const members: MemberTable<Book> = { title: { filter: "text", search: true }, isbn: { unique: true } };
 * ```
 */
export type MemberTable<T extends Document = Document> = { readonly [P in MemberPath<T>]?: MemberUse | Member };

/** A member that is declared once: its schema, its use in lists, and what it is called. See `recordSchema`. */
export interface Member<S extends StandardSchemaV1 = StandardSchemaV1> extends MemberUse {
  /** Validates its values, without a promise. A record may be without the member if the schema takes undefined. */
  readonly schema: S;
  /** What people call it: the title of its JSON Schema. */
  readonly label?: string;
  /** What other programs call it: a client that sends such a name gets the right one. Case, spaces, `-` and `_` do not matter. */
  readonly aliases?: readonly string[];
  /** A value, which the OpenAPI document shows. */
  readonly example?: unknown;
}

/** The names of the members of a type; any text where the type says none. */
export type MemberName<T> = [keyof T] extends [never] ? string : keyof T & string;

/** The names of the members of a type and of the objects in it, `address.postalCode`; any text where the type says none. */
export type MemberPath<T> = [keyof T] extends [never] ? string : PathIn<T, [1, 1, 1]>;

/** @template D as many elements as objects may nest, so that a type that has itself in it comes to an end */
type PathIn<T, D extends readonly unknown[]> = D extends readonly [unknown, ...infer Rest]
  ? { [K in keyof T & string]: K | PathBelow<K, NonNullable<T[K]>, Rest> }[keyof T & string]
  : never;

type PathBelow<K extends string, M, D extends readonly unknown[]> = M extends Date
  ? never
  : M extends readonly (infer E)[]
    ? PathBelow<K, E, D>
    : M extends object
      ? `${K}.${PathIn<M, D>}`
      : never;

/**
 * The type of the records of a table of members. A member whose schema takes undefined may be absent, and so may an object all of
 * whose members may be.
 *
 * ```ts
 * type Book = RecordOf<typeof bookMembers>; // { readonly title: string; readonly isbn?: string }
 * ```
 */
export type RecordOf<M> = {
  readonly [H in Heads<M> as undefined extends ValueOf<M, H> ? never : H]: ValueOf<M, H>;
} & {
  readonly [H in Heads<M> as undefined extends ValueOf<M, H> ? H : never]?: Exclude<ValueOf<M, H>, undefined>;
} extends infer R
  ? { [K in keyof R]: R[K] }
  : never;

type Heads<M> = keyof M extends infer P ? (P extends `${infer H}.${string}` ? H : P & string) : never;

type ValueOf<M, H extends string> = H extends keyof M
  ? OutputOf<M[H]>
  : RecordOf<Below<M, H>> | (object extends RecordOf<Below<M, H>> ? undefined : never);

type OutputOf<M> = M extends { readonly schema: StandardSchemaV1<unknown, infer O> } ? O : never;

type Below<M, H extends string> = { [P in keyof M as P extends `${H}.${infer R}` ? R : never]: M[P] };
