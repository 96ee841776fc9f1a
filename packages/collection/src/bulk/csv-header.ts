import { excerpt, MalformedContent } from "waymark";
import type { CsvCell } from "./csv-records.ts";

/** The members that the columns of a file stand for, by the order in which they first occur. */
export type CsvMembers = ReadonlyMap<string, CsvColumn | CsvMembers>;

export interface CsvColumn {
  readonly name: string;
  /** From 0. */
  readonly index: number;
}

/**
 * The members that a header names: `address.postalCode` is one of an object.
 *
 * @param known the columns that there may be; undefined for any
 * @throws MalformedContent when a column has no name, is named twice or is not known
 */
export function readCsvHeader(
  cells: readonly CsvCell[],
  known: readonly string[] | undefined,
  line: number,
): CsvMembers {
  const refuse = (detail: string): never => {
    throw new MalformedContent(detail, { line, column: 1 });
  };
  const names = cells.map(({ text }) => text);
  const nameless = names.indexOf("") + 1;
  if (nameless > 0) refuse(`The header does not name column ${nameless}: each column takes the name of a member`);
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) refuse(`The header names the column ${excerpt(repeated)} twice`);
  const unknown = known === undefined ? [] : names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    const told = unknown.slice(0, mostTold).map(excerpt).join(", ") + (unknown.length > mostTold ? ", …" : "");
    const separated = names.length === 1 && /[;\t|]/.test(names[0] ?? "") ? "; commas separate them" : "";
    refuse(`The header names columns that are not known: ${told}; there are ${known?.join(", ")}${separated}`);
  }

  const members: MutableMembers = new Map();
  for (const [index, name] of names.entries()) {
    if (!place(members, name.split("."), { name, index })) {
      refuse(`The header names ${excerpt(name)} both as a value and as an object with members`);
    }
  }
  return members;
}

type MutableMembers = Map<string, CsvColumn | MutableMembers>;

/** Whether there was room for it. */
function place(members: MutableMembers, [first = "", ...others]: readonly string[], column: CsvColumn): boolean {
  const there = members.get(first);
  if (others.length === 0) {
    members.set(first, column);
    return there === undefined;
  }
  if (there !== undefined && !(there instanceof Map)) return false;
  const inner: MutableMembers = there ?? new Map();
  members.set(first, inner);
  return place(inner, others, column);
}

/** Of names that are not known. */
const mostTold = 10;
