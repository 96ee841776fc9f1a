import { type Field, type Person, partsOf, type Value, valueAt, withValue } from "../client/fields.ts";
import { edited, fields } from "../client/service.ts";
import { same } from "./merge.ts";
import { type Entry, meant, typed } from "./values.ts";

/** What the fields of a form have: texts by the names of members, and rows of those that are lists. */
export interface Draft {
  readonly texts: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
}

/** A value of a list as it is typed: the texts of its parts, and what it is for. */
export interface Row {
  readonly key: number;
  readonly texts: Readonly<Record<string, string>>;
  /** Words of the API: `work,mobile`. */
  readonly use: string;
  /** The value that it was made of. */
  readonly given?: Value;
}

export const isList = ({ list, of }: Field): boolean => list === true || of !== undefined;

/** The fields that a row of a list has: of `addresses` those of an address, of another list itself. */
export const fieldsOfRow = (field: Field): readonly Field[] =>
  field.of === undefined ? [field] : partsOf(fields, field);

let keys = 0;

/** Makes a row of a value. */
export function toRow(field: Field, given?: Value): Row {
  const { value, contexts = [], features = [] } = (field.of === undefined ? { value: given } : (given ?? {})) as Entry; // as the API has it
  const texts = fieldsOfRow(field).map((part) => [part.name, typed(part, partOf(part, value))] as const);
  return { key: keys++, texts: Object.fromEntries(texts), use: [...contexts, ...features].join(), given };
}

const partOf = ({ name }: Field, value: Value): Value =>
  typeof value === "object" && value !== null ? (value as Person)[name.split(".").at(-1) ?? ""] : value;

/** Makes the draft of a person who is to be edited. */
export function draftOf(person: Person): Draft {
  const [lists, others] = [edited().filter(isList), edited().filter((field) => !isList(field))];
  return {
    texts: Object.fromEntries(others.map((field) => [field.name, typed(field, valueAt(person, field.name))])),
    rows: Object.fromEntries(lists.map((field) => [field.name, rowsOf(field, person)])),
  };
}

const rowsOf = (field: Field, person: Person): readonly Row[] =>
  ((valueAt(person, field.name) ?? []) as readonly Value[]).map((each) => toRow(field, each)); // as the API has it

/** Returns the person that a draft says. What nobody has touched is as it was, whatever it is. */
export function personFrom(draft: Draft, before: Person, contexts: readonly string[]): Person {
  const person = edited().reduce<Person>((person, field) => {
    const { name } = field;
    if (isList(field)) {
      const values = (draft.rows[name] ?? []).flatMap((row) => valueOfRow(field, row, contexts) ?? []);
      const given = (valueAt(before, name) ?? []) as Value;
      return same(values, given) ? person : withValue(person, name, values.length === 0 ? undefined : values);
    }
    const text = draft.texts[name] ?? "";
    return text === typed(field, valueAt(before, name)) ? person : withValue(person, name, meant(field, text));
  }, before);
  return same(person["name"], before["name"]) ? withName(person, before) : person;
}

function valueOfRow(field: Field, row: Row, contexts: readonly string[]): Value {
  const asGiven = toRow(field, row.given);
  if (row.given !== undefined && same(asGiven.texts, row.texts) && asGiven.use === row.use) return row.given;
  const parts = fieldsOfRow(field).map((part) => [part, meant(part, row.texts[part.name] ?? "")] as const);
  if (parts.every(([, value]) => value === undefined)) return undefined;
  if (field.of === undefined) return parts[0]?.[1];
  const isObject = parts.length > 1;
  const value = isObject
    ? parts.reduce<Person>(
        (object, [{ name }, part]) => withValue(object, name.split(".").at(-1) ?? "", part),
        ((row.given as Entry | undefined)?.value as Person) ?? {},
      )
    : parts[0]?.[1];
  const { contexts: _, features: __, ...said } = (row.given ?? {}) as Entry;
  const uses = row.use.split(",").filter((use) => use !== "");
  const [own, abilities] = [
    uses.filter((use) => contexts.includes(use)),
    uses.filter((use) => !contexts.includes(use)),
  ];
  return {
    ...said,
    value,
    ...(own.length > 0 && { contexts: own }),
    ...(abilities.length > 0 && { features: abilities }),
  };
}

/** The members that a name is made of, where it has not been typed. */
export const nameParts = ["givenName", "additionalName", "familyName"] as const;

/** A name changes with its parts: one that was made of them is made again, of another one the part that it has. */
function withName(person: Person, before: Person): Person {
  const parts = nameParts.filter((part) => person[part] !== before[part]);
  const joined = (of: Person): string => nameParts.flatMap((part) => of[part] ?? []).join(" ");
  const { name } = before;
  if (parts.length === 0 || typeof name !== "string") return person;
  if (name === joined(before)) return joined(person) === "" ? person : withValue(person, "name", undefined);
  const text = parts.reduce((text, part) => {
    const [was, is] = [before[part], person[part]];
    return was && is ? text.replace(` ${was} `, () => ` ${is} `) : text;
  }, ` ${name} `);
  return withValue(person, "name", text.trim());
}
