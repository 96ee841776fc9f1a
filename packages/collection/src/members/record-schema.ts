import type { StandardSchemaV1 } from "waymark/content";
import { wording } from "waymark/internal";
import type { Schema } from "waymark/openapi";
import { storeMembers } from "../stores/contract/selection.ts";
import { isJsonObject, type JsonObject } from "./json-object.ts";
import type { Member, RecordOf } from "./table.ts";
import { exampleOf, jsonSchemaOf, type MemberTree, mayBeAbsent, toMemberTree, typeOf } from "./tree.ts";

/** The options of `recordSchema`, for records of this type. */
export interface RecordSchemaOptions<T = object> {
  /** What messages call a record, and operations of the OpenAPI document: `a book` makes `readBook`. Default: `a record`. */
  readonly noun?: string;
  /** What messages call the objects in a record, by their names. Default: `an address` for `address`. */
  readonly objects?: Readonly<Record<string, string>>;
  /** Whether members that the table does not have are left out, instead of refused. Default: false. */
  readonly lenient?: boolean;
  /** Whether a record has at least one member. Default: false. */
  readonly isSome?: boolean;
  /**
   * Returns what is wrong with a record whose members are each right: a message for each member that breaks a rule, by name. Default: nothing.
   *
   * ```ts
   * refine: ({ from, to }) => (to !== undefined && to < from ? { to: "must not be before from" } : {}),
   * ```
   */
  readonly refine?: (record: T) => Readonly<Record<string, string>>;
}

/** The schema of the records of a table of members. */
export interface RecordSchema<T> {
  readonly "~standard": Omit<StandardSchemaV1<unknown, T>["~standard"], "validate"> & {
    /** Returns the record, or all that is wrong with it. */
    readonly validate: (value: unknown) => StandardSchemaV1.Result<T>;
  } & Schema.Standard["~standard"];
  /** The names of its members, in order: `title`, `address.postalCode`. */
  readonly names: readonly string[];
  /** Those of the members that are numbers, for `csvDecoder` and `xmlDecoder`. */
  readonly numbers: readonly string[];
  /** Those of the members that are lists, for the same decoders. */
  readonly lists: readonly string[];
  /** What a record is called, without an article; undefined where nobody said so. */
  readonly noun: string | undefined;
  /** A record of the examples in the table; undefined without any. */
  readonly example: object | undefined;
}

/**
 * Makes the schema of a record from the table of its members, with which they are declared once: their names, their schemas, and
 * what lists can do with them. `address.postalCode` is a member of an object; an object all of whose members may be absent may be
 * absent, too, and is not empty. A null counts as absent where the schema of the member does not take it. A member that the table
 * lacks is refused by name, with the nearest one. The record has its members in the order of the table.
 *
 * ```ts
 * const bookMembers = {
 *   title: { schema: z.string().min(1), filter: "text", search: true },
 *   isbn: { schema: z.string().optional(), unique: true, aliases: ["ean"] },
 * } as const;
 * const Book = recordSchema(bookMembers);
 * type Book = RecordOf<typeof bookMembers>;
 *
 * const database = await openDatabase("books.db", { collections: [{ name: "book", members: bookMembers }] });
 * const books = collection({ store: database.store("book"), schema: Book, decoders: [jsonDecoder] });
 * ```
 *
 * @throws TypeError when the table has a member that is also an object, no schema, or one that needs a promise; in `validate`, when
 *   `refine` names a member that the table lacks
 */
export function recordSchema<const M extends Readonly<Record<string, Member>>>(
  members: M,
  { noun, objects = {}, lenient = false, isSome = false, refine }: RecordSchemaOptions<RecordOf<M>> = {},
): RecordSchema<RecordOf<M>> {
  const tree = toMemberTree(members);
  const usual = usualNames(members);
  const context: Context = { lenient, isSome, usual, objects };
  const toJsonSchema = (direction: "input" | "output", isOpen: boolean): Record<string, unknown> => ({
    ...jsonSchemaOf(tree, { direction, isOpen }),
    ...(isSome && { minProperties: 1 }),
  });
  const namesOf = (...types: readonly string[]): readonly string[] =>
    Object.entries(members).flatMap(([name, { schema }]) => (types.includes(typeOf(schema) ?? "") ? [name] : []));
  return {
    "~standard": {
      version: 1,
      vendor: "waymark",
      // The members are those that the type has, each as its schema returned it.
      validate(value) {
        const result = validateObject(value, tree, {
          ...context,
          noun: noun ?? "a record",
          path: [],
        }) as StandardSchemaV1.Result<RecordOf<M>>;
        if (result.issues !== undefined || refine === undefined) return result;
        const broken = Object.entries(refine(result.value));
        return broken.length === 0
          ? result
          : { issues: broken.map(([name, message]) => issueAt(members, name, message)) };
      },
      jsonSchema: {
        input: () => toJsonSchema("input", lenient),
        output: () => toJsonSchema("output", false),
      },
    },
    names: Object.keys(members),
    // When they are asked for: a JSON Schema of each member takes the start of a program 10 ms.
    get numbers() {
      return namesOf("integer", "number");
    },
    get lists() {
      return namesOf("array");
    },
    noun: noun?.replace(/^an? /, ""),
    example: exampleOf(tree),
  };
}

function issueAt(members: object, name: string, message: string): StandardSchemaV1.Issue {
  if (!Object.hasOwn(members, name)) throw new TypeError(`refine names ${name}, which is not a member of the table`);
  return { path: name.split("."), message };
}

interface Context {
  readonly lenient: boolean;
  readonly isSome: boolean;
  readonly objects: Readonly<Record<string, string>>;
  readonly usual: ReadonlyMap<string, string>;
}

interface Place extends Context {
  readonly noun: string;
  readonly path: readonly string[];
}

function validateObject(
  value: unknown,
  members: MemberTree,
  place: Place,
): StandardSchemaV1.Result<object | undefined> {
  const { path } = place;
  if (!isJsonObject(value)) {
    const some = [...members.keys()].slice(0, 2).join(" and ");
    return {
      issues: [
        { path, message: `must be an object with members such as ${some}, not ${jsonType(value)}`, code: "type" },
      ],
    };
  }
  const record: Record<string, unknown> = {};
  const issues: StandardSchemaV1.Issue[] = [];
  let known = 0;
  let taken = 0;
  let set = 0;
  for (const [name, node] of members) {
    const isOwn = Object.hasOwn(value, name);
    if (isOwn) known++;
    const given = isOwn ? value[name] : undefined;
    const isAbsent = given === undefined || (given === null && !("takesNull" in node && node.takesNull));
    if (isAbsent && mayBeAbsent(node)) continue;
    const result =
      "inner" in node
        ? validateObject(isAbsent ? {} : given, node.inner, {
            ...place,
            noun: place.objects[name] ?? withArticle(name),
            path: [...path, name],
          })
        : node.validate(isAbsent ? undefined : given);
    if (result.issues === undefined) {
      taken++;
      if (result.value === undefined) continue;
      record[name] = result.value;
      set++;
    } else if ("inner" in node) issues.push(...result.issues);
    else {
      const code = isAbsent && { code: "required" };
      for (const issue of result.issues) {
        issues.push({ ...issue, ...code, path: [...path, name, ...(issue.path ?? [])] });
      }
    }
  }
  if (Object.keys(value).length > known) issues.push(...unknownMembers(value, members, place));
  if (issues.length > 0) return { issues };
  if (taken === 0 && (path.length > 0 || place.isSome)) {
    return {
      issues: [{ path, message: `must have at least one of ${[...members.keys()].join(", ")}`, code: "required" }],
    };
  }
  // An object counts as absent where all that it has does, such as an empty list.
  return { value: set === 0 && path.length > 0 ? undefined : record };
}

/** Describes unknown members by their names, even `__proto__`; but only the first ones, however many a client sends. */
function unknownMembers(value: JsonObject, members: MemberTree, place: Place): readonly StandardSchemaV1.Issue[] {
  if (place.lenient) return [];
  const { noun, path } = place;
  const isTop = path.length === 0;
  const ofServer = (name: string): boolean => isTop && storeMembers.some((each) => each.name === name);
  const isUnknown = (name: string): boolean => !members.has(name) && !(ofServer(name) && isAbsent(value[name]));
  const unknown = Object.keys(value).filter(isUnknown);
  const first = unknown.find((name) => !ofServer(name));
  const issues = unknown.slice(0, mostUnknown).map((name) => ({
    path: [...path, name],
    message: ofServer(name)
      ? "is set by the server: leave it out"
      : `is not a member of ${noun}${hintFor(name, [...members.keys()], place, name === first)}`,
    code: ofServer(name) ? "set-by-server" : "unknown",
  }));
  const rest = unknown.length - mostUnknown;
  return rest > 0
    ? [...issues, { path, message: `has ${rest} more members that are not those of ${noun}`, code: "unknown" }]
    : issues;
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** Nobody reads more names of unknown members. */
const mostUnknown = 100;

/** Suggests the most likely member, and lists all of them for the first unknown one only. */
function hintFor(name: string, names: readonly string[], { path, usual }: Place, isFirst: boolean): string {
  const prefix = path.map((each) => `${each}.`).join("");
  const meant = usual.get(looseName(name));
  const near = meant?.startsWith(prefix) === true ? meant.slice(prefix.length) : undefined;
  const hint = wording.orNearest(near ?? wording.nearestName(name, names));
  return isFirst ? `${hint}${hint === "" ? "." : ""} Known: ${names.join(", ")}` : hint;
}

/** The members by their own names and those that other programs have for them. */
function usualNames(members: Readonly<Record<string, Member>>): ReadonlyMap<string, string> {
  const entries = Object.entries(members).flatMap(([path, { aliases = [], renamed }]) =>
    [path.split(".").at(-1) ?? "", ...aliases, ...(renamed === undefined ? [] : [renamed])].map(
      (name) => [looseName(name), path] as const,
    ),
  );
  // The first member of a name has it.
  return new Map(entries.toReversed());
}

const looseName = (name: string): string => name.toLowerCase().replaceAll(/[ _-]/g, "");

const withArticle = (name: string): string => `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`;

/** Names the type of a JSON value for a message: `a number`, `an array`, `null`. */
function jsonType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}
