import type { StandardSchemaV1 } from "waymark/content";
import { jsonReferences } from "waymark/internal";
import type { JsonSchema, Schema } from "waymark/openapi";
import type { Member } from "./table.ts";

/** The members of a table, with those of objects within these. */
export type MemberTree = ReadonlyMap<string, MemberNode>;

/** A member of the table, or an object that some are in. */
export type MemberNode = MemberLeaf | { readonly inner: MemberTree };

interface MemberLeaf {
  readonly member: Member;
  readonly validate: (value: unknown) => StandardSchemaV1.Result<unknown>;
  /** Whether a record without it is validated, since it is required or has a default. */
  readonly isDue: boolean;
  readonly isRequired: boolean;
  readonly takesNull: boolean;
}

/**
 * Makes the tree of a table.
 *
 * @throws TypeError when the table has a member that is also an object, a name that none can have, no schema, or one that needs a promise
 */
export function toMemberTree(members: Readonly<Record<string, Member>>): MemberTree {
  const root: GrowingTree = new Map();
  for (const [path, member] of Object.entries(members)) {
    const names = path.split(".");
    if (!names.every((name) => /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]*$/.test(name))) {
      throw new TypeError(
        `${JSON.stringify(path)} cannot name a member: it takes A-Z, a-z, 0-9 and _, with points between`,
      );
    }
    let tree = root;
    for (const name of names.slice(0, -1)) {
      const next = tree.get(name) ?? { inner: new Map() };
      if (!("inner" in next)) throw new TypeError(`${name} is a value as well as an object with ${path}`);
      tree.set(name, next);
      tree = next.inner;
    }
    const last = names.at(-1) ?? "";
    if (tree.has(last)) throw new TypeError(`${path} is a value as well as an object`);
    // JavaScript callers pass anything.
    if (member?.schema?.["~standard"] === undefined) {
      throw new TypeError(`${path} has no schema: a member is an object such as { schema: z.string() }`);
    }
    tree.set(last, toLeaf(path, member));
  }
  return root;
}

type GrowingTree = Map<string, MemberLeaf | { readonly inner: GrowingTree }>;

function toLeaf(path: string, member: Member): MemberLeaf {
  const { validate: check } = member.schema["~standard"];
  const validate = (value: unknown): StandardSchemaV1.Result<unknown> => {
    const result = check(value);
    if (result instanceof Promise) throw new TypeError(`The schema of ${path} validates by a promise`);
    return result;
  };
  const absent = validate(undefined);
  const isRequired = absent.issues !== undefined;
  return {
    member,
    validate,
    isDue: isRequired || absent.value !== undefined,
    isRequired,
    takesNull: validate(null).issues === undefined,
  };
}

/** Whether a record may be without the member, or the object. */
export const mayBeAbsent = (node: MemberNode): boolean =>
  "inner" in node ? node.inner.values().every(mayBeAbsent) : !node.isDue;

/** Which JSON Schema is made of a tree: that of what clients send, or of what validation makes of it. */
export interface SchemaOf {
  readonly direction: "input" | "output";
  /** Whether other members are allowed. */
  readonly isOpen: boolean;
}

/** Makes the JSON Schema of the objects of a tree. */
export function jsonSchemaOf(tree: MemberTree, of: SchemaOf): Record<string, unknown> {
  const { direction, isOpen } = of;
  const properties = Array.from(tree, ([name, node]): readonly [string, unknown] => {
    const schema = "inner" in node ? innerSchemaOf(node.inner, of) : memberSchemaOf(node.member, direction);
    return [name, direction === "input" && mayBeAbsent(node) ? { anyOf: [schema, { type: "null" }] } : schema];
  });
  const isRequired = (node: MemberNode): boolean =>
    direction === "input" && "member" in node ? node.isRequired : !mayBeAbsent(node);
  const required = [...tree].filter(([, node]) => isRequired(node)).map(([name]) => name);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  };
}

const innerSchemaOf = (tree: MemberTree, of: SchemaOf): JsonSchema => ({
  ...jsonSchemaOf(tree, of),
  ...(tree.values().every(mayBeAbsent) && { minProperties: 1 }),
});

function memberSchemaOf({ schema, label }: Member, direction: SchemaOf["direction"]): JsonSchema {
  const made = madeSchemas.get(schema) ?? {};
  madeSchemas.set(schema, made);
  made[direction] ??= madeSchema(schema, direction);
  return label === undefined ? made[direction] : { title: label, ...made[direction] };
}

function madeSchema(schema: StandardSchemaV1, direction: SchemaOf["direction"]): JsonSchema {
  const standard: object = schema["~standard"];
  const { jsonSchema } = standard as Partial<Schema.Standard["~standard"]>; // not every library has it
  // References within it would lead out of the schema of the record.
  const { $schema: _, ...own } = jsonReferences.inlineReferences(
    jsonSchema?.[direction]({ target: "draft-2020-12" }) ?? {},
  );
  return own;
}

/** Those of members, by their schemas: each is asked for several times when a collection is declared, and takes zod 0.2 ms. */
const madeSchemas = new WeakMap<StandardSchemaV1, Partial<Record<SchemaOf["direction"], JsonSchema>>>();

/** Returns the type of the values of a schema, as far as it has a JSON Schema that says so. */
export function typeOf(schema: StandardSchemaV1): string | undefined {
  const { type } = memberSchemaOf({ schema }, "input");
  return typeof type === "string" ? type : undefined;
}

/** Returns an object of the examples in a tree; undefined without any. */
export function exampleOf(tree: MemberTree): object | undefined {
  const entries = Array.from(tree, ([name, node]): readonly [string, unknown] => [
    name,
    "inner" in node ? exampleOf(node.inner) : node.member.example,
  ]).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
