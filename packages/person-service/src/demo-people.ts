import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { type Person, personSchema } from "./person.ts";

/**
 * The people of the demo: 537 members of the United States Congress, in the order of `data/legislators.csv`, without ids.
 *
 * @throws Error when the file cannot be read, or as `peopleFromCsv`
 */
export async function demoPeople(): Promise<readonly Person[]> {
  return peopleFromCsv(await readFile(new URL("../data/legislators.csv", import.meta.url), "utf8"));
}

/**
 * The people of a CSV text (RFC 4180), one a row. The header names their members, `address.x` the member `x` of the
 * address; an empty cell is an absent member.
 *
 * ```ts
 * peopleFromCsv("name,address.postalCode\r\nAda,W1\r\n");   // [{ name: "Ada", address: { postalCode: "W1" } }]
 * ```
 *
 * @throws Error when the text is no CSV, or naming row and members when a row is no valid person
 */
export function peopleFromCsv(csv: string): readonly Person[] {
  const { validate } = personSchema()["~standard"];
  return parse<Cells>(csv, { columns: true, bom: true }).map((cells, index) => {
    const result = validate(toMembers(cells));
    if (result.issues === undefined) return result.value;
    const faults = result.issues.map(({ path = [], message }) => `${path.join(".")} ${message}`);
    throw new Error(`Row ${index + 1} below the header is no person: ${faults.join("; ")}.`);
  });
}

/** A row's cells by the names in the header. */
type Cells = Readonly<Record<string, string>>;

function toMembers(cells: Cells): Readonly<Record<string, unknown>> {
  const members: [string, string][] = [];
  const address: [string, string][] = [];
  for (const [column, cell] of Object.entries(cells)) {
    if (cell === "") continue;
    if (column.startsWith("address.")) address.push([column.slice("address.".length), cell]);
    else members.push([column, cell]);
  }
  return Object.fromEntries(address.length === 0 ? members : [...members, ["address", Object.fromEntries(address)]]);
}
