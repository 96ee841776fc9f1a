import type { CollectionDefinition } from "../../database.ts";
import { type MemberType, storeMembers } from "../../selection.ts";
import { nameOf, quoteName } from "./postgres-names.ts";

/** The column in which the values of a member are compared. */
export interface PostgresColumn {
  readonly name: string;
  readonly type: MemberType;
  /** Whether it has whole numbers, which are all that the server compares it with. */
  readonly isInteger: boolean;
  /** Whether each record has a value. */
  readonly isFull: boolean;
  /** What the database makes it of; undefined for a column that the store fills. */
  readonly definition: string | undefined;
  /** The expression for the whole of a text of which the column has the beginning. */
  readonly whole: string | undefined;
}

/** How many characters of a text a column has: those of the most bytes fit into an entry of an index, which has 2,704. */
export const indexedLength = 600;

/** The columns of the members that records can be selected by, by the names of these. */
export function selectableColumns({ selectable = [] }: CollectionDefinition): ReadonlyMap<string, PostgresColumn> {
  const own = storeMembers.map(({ name, type }): readonly [string, PostgresColumn] => {
    const column = storeColumns[name] ?? name;
    return [name, { name: column, type, isInteger: true, isFull: true, definition: undefined, whole: undefined }];
  });
  const derived = selectable.map(({ name, type }): readonly [string, PostgresColumn] => {
    const path = name.split(".").map((part) => `"${part}"`);
    const { sqlType, expression, whole } = generators[type](`document #> '{${path}}'`);
    const definition = `${sqlType} GENERATED ALWAYS AS (${expression}) STORED`;
    const column = nameOf("member", name.replaceAll(".", "_"));
    return [name, { name: column, type, isInteger: type === "time", isFull: false, definition, whole }];
  });
  return new Map([...own, ...derived]);
}

const storeColumns: Readonly<Record<string, string>> = { createdAt: "created_at", updatedAt: "updated_at" };

interface Generator {
  readonly sqlType: string;
  readonly expression: string;
  readonly whole: string | undefined;
}

/** What makes the values that compare as a type says of the JSON of a member. One of another type is as absent. */
const generators: Readonly<Record<MemberType, (json: string) => Generator>> = {
  text: (json) => ofText(`waymark_text(${json})`),
  "caseless-text": (json) => ofText(`lower(waymark_text(${json}) COLLATE "C")`), // which is for A to Z alone
  date: (json) => ofText(`waymark_text(${json})`),
  number: (json) => ({ sqlType: "double precision", expression: `waymark_number(${json})`, whole: undefined }),
  time: (json) => ({ sqlType: "bigint", expression: `waymark_time(${json})`, whole: undefined }),
};

function ofText(whole: string): Generator {
  return {
    sqlType: 'text COLLATE "C"',
    expression: `left(${whole}, ${indexedLength})`,
    whole: `(${whole} COLLATE "C")`,
  };
}

/** What puts records in the order of a column: those without a value before the others and, the other way round, after them. */
export function orderTerm({ name, isFull }: PostgresColumn, descending: boolean): string {
  if (isFull) return `${quoteName(name)}${descending ? " DESC" : ""}`;
  return `${quoteName(name)} ${descending ? "DESC NULLS LAST" : "ASC NULLS FIRST"}`;
}
