/** A JSON Schema of the API, with what it says for pages. */
export interface MemberSchema {
  readonly type?: string;
  readonly title?: string;
  readonly properties?: Readonly<Record<string, MemberSchema>>;
  readonly items?: MemberSchema;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number | string;
  readonly maximum?: number | string;
  readonly readOnly?: boolean;
  readonly "x-kind"?: string;
  readonly "x-of"?: string;
  readonly "x-hint"?: string;
  readonly "x-group"?: string;
  readonly "x-column"?: boolean;
  readonly "x-headline"?: boolean;
  readonly "x-filter"?: string;
  readonly "x-search"?: boolean | string;
  readonly "x-always"?: boolean;
  readonly "x-unique"?: boolean;
}

export interface PersonSchema extends MemberSchema {
  readonly properties: Readonly<Record<string, MemberSchema>>;
  readonly "x-groups"?: Readonly<Record<string, string>>;
  readonly "x-contexts"?: readonly string[];
  readonly "x-features"?: readonly string[];
}

/** How a member of a person is shown and asked for. */
export interface Field {
  /** `familyName`, or `address.postalCode` for a member of the address. */
  readonly name: string;
  readonly label: string;
  readonly kind: string;
  readonly group: string;
  readonly hint?: string | undefined;
  /** Whether it is a list of values; and of further values, the member that has the first one. */
  readonly list?: boolean;
  readonly of?: string | undefined;
  /** The values that it may have. */
  readonly choices?: readonly string[] | undefined;
  readonly schema?: MemberSchema;
}

/** Returns the members of a schema as fields; of an object, its members. */
export function fieldsIn({ properties = {} }: MemberSchema, before = ""): readonly Field[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const name = before + key;
    if (schema.type === "object") return fieldsIn(schema, `${name}.`);
    const of = schema["x-of"];
    return {
      name,
      label: schema.title ?? name,
      kind: schema["x-kind"] ?? "line",
      group: schema.readOnly ? "" : (schema["x-group"] ?? ""),
      hint: schema["x-hint"],
      list: schema.type === "array" && of === undefined,
      of,
      choices: schema.enum ?? schema.items?.enum,
      schema: schema.items === undefined ? schema : { ...schema.items, ...schema },
    };
  });
}

/** Returns the fields that an entry of a list of further values has: of `addresses`, those of `address`. */
export const partsOf = (fields: readonly Field[], { of = "" }: Field): readonly Field[] =>
  fields.filter(({ name }) => name === of || name.startsWith(`${of}.`));

/** Any value of JSON. */
export type Value = unknown;
export type Person = Readonly<Record<string, Value>>;

const isObject = (value: Value): value is Person =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the value of a member of a person: `address.postalCode`. */
export const valueAt = (person: Value, name: string): Value =>
  name.split(".").reduce<Value>((value, part) => (isObject(value) ? value[part] : undefined), person);

/** Returns an object with a member set, or taken away where the value is undefined; of an object without members, too. */
export function withValue(object: Person, name: string, value: Value): Person {
  const [first = "", ...rest] = name.split(".");
  const { [first]: present, ...others } = object;
  if (rest.length === 0) return value === undefined ? others : { ...object, [first]: value };
  const inner = withValue(isObject(present) ? present : {}, rest.join("."), value);
  return Object.keys(inner).length === 0 ? others : { ...object, [first]: inner };
}
