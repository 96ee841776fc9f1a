import { ContentError } from "waymark/content";
import { wording } from "waymark/internal";

/** The members of the records in a file, in the order of its columns: a column, or the members of an object. */
export type CsvMembers = ReadonlyMap<string, CsvColumn | CsvMembers>;

/** A column of a file. */
export interface CsvColumn {
  /** The member that its cells are values of, such as `address.postalCode`. */
  readonly name: string;
  /** From 0. */
  readonly index: number;
}

/** What a header says of the columns of a file. */
export interface CsvHeader {
  readonly members: CsvMembers;
  /** The columns that have a name. */
  readonly names: readonly string[];
  /** The columns without a name, from 0. Spreadsheets write them at the end, with empty cells. */
  readonly nameless: readonly number[];
}

/**
 * Reads the members that a header names: `address.postalCode` is a member of an object.
 *
 * @param toColumn returns the column that a name in the header stands for; undefined leaves the column out
 * @param known the columns that are allowed; undefined allows all
 * @param line the line of the header, for messages
 * @throws ContentError when no column has a name; when one is named twice or is not known; when a name is longer than 255 characters
 *   or deeper than 64 levels; and when there are more than 1,000 members, objects included
 */
export function readCsvHeader(
  cells: readonly string[],
  toColumn: (name: string) => string | undefined,
  known: ReadonlySet<string> | undefined,
  line: number,
): CsvHeader {
  const refuse = (detail: string): never => {
    throw new ContentError(detail, { line, column: 1 });
  };
  if (cells.every((name) => name === "")) refuse("The header names no column: each takes the name of a member");
  const named = cells
    .map((name, index) => ({ name: toColumn(name), index }))
    .filter((column): column is CsvColumn => column.name !== undefined);
  const columns = named.filter(({ name }) => name !== "");
  const nameless = named.filter(({ name }) => name === "").map(({ index }) => index);
  const names = columns.map(({ name }) => name);
  const seen = new Set<string>();
  const repeated = names.find((name) => seen.size === seen.add(name).size);
  if (repeated !== undefined) refuse(`The header names the column ${wording.excerpt(repeated)} twice`);
  const unknown = known === undefined ? [] : names.filter((name) => !known.has(name));
  if (unknown.length > 0) {
    const listed =
      unknown.slice(0, mostListed).map(wording.excerpt).join(", ") + (unknown.length > mostListed ? ", …" : "");
    const separated = names.length === 1 && /[;\t|]/.test(names[0] ?? "") ? "; commas separate them" : "";
    refuse(
      `The header names columns that are not known: ${listed}; there are ${[...(known ?? [])].join(", ")}${separated}`,
    );
  }
  const long = names.find((name) => name.length > longestName);
  if (long !== undefined)
    refuse(`The header names the column ${wording.excerpt(long)}, longer than ${longestName} characters`);

  const members: MutableMembers = new Map();
  let count = 0;
  for (const column of columns) {
    const { name } = column;
    const path = name.split(".");
    if (path.length > deepest)
      refuse(`The header names a member ${path.length} levels deep; at most ${deepest} are allowed`);
    const added = place(members, path, column);
    if (added === undefined)
      refuse(`The header names ${wording.excerpt(name)} both as a value and as an object with members`);
    else count += added;
    if (count > mostMembers)
      refuse(`The header names more than ${mostMembers} members, the objects they are in counted`);
  }
  return { members, names, nameless };
}

type MutableMembers = Map<string, CsvColumn | MutableMembers>;

/** Returns how many members were added, new objects included; undefined when the path is taken by another kind of member. */
function place(members: MutableMembers, path: readonly string[], column: CsvColumn): number | undefined {
  let inner = members;
  let added = 1;
  for (const name of path.slice(0, -1)) {
    let next = inner.get(name);
    if (next === undefined) {
      next = new Map();
      inner.set(name, next);
      added++;
    }
    if (!(next instanceof Map)) return undefined;
    inner = next;
  }
  const last = path.at(-1) ?? "";
  if (inner.has(last)) return undefined;
  inner.set(last, column);
  return added;
}

/** Bounds the work for a row too, which becomes an object with these members. */
const mostMembers = 1_000;

/** In levels, as many as JSON content may have. */
const deepest = 64;

/** In characters. */
const longestName = 255;

/** How many unknown names a message lists. */
const mostListed = 10;
