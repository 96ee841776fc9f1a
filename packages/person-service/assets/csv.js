/**
 * The rows of a CSV text (RFC 4180), each with the line on which it begins, counted from 1; blank lines are none. The separator is
 * the one of comma, semicolon and tab that the first line has most of.
 */
export function parseCsv(text) {
  const [firstLine = ""] = text.split("\n", 1);
  const separator = [",", ";", "\t"].toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0];
  // A quoted cell, or one that ends at a separator or a line.
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\n|\\r|$)`, "gy");
  const rows = [];
  let cells = [];
  let line = 1;
  let start = 1;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    // A quotation mark that is never closed takes all that follows.
    const [whole, quoted, plain, end] = match ?? [
      text.slice(cell.lastIndex),
      undefined,
      text.slice(cell.lastIndex),
      "",
    ];
    if (match === null) cell.lastIndex = text.length;
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.split("\n").length - 1;
    if (end === separator && cell.lastIndex < text.length) continue;
    if (cells.some((each) => each !== "")) rows.push({ line: start, cells });
    cells = [];
    start = line;
  }
  return rows;
}

/** The rows as lines of NDJSON, with the columns that become members and the codes of countries; and the line of the file for each. */
export function toLines(rows, members, countryCodes) {
  const lines = rows.map(({ cells }) => {
    const person = {};
    for (const [i, member] of members.entries()) {
      let value = cells[i] ?? "";
      if (member === "" || value === "") continue;
      if (member === "address.addressCountry") value = countryCodes.get(value.toLowerCase()) ?? value;
      const [outer, inner] = member.split(".");
      if (inner === undefined) person[outer] = outer === "id" ? Number(value) : value;
      else person[outer] = { ...person[outer], [inner]: value };
    }
    return JSON.stringify(person);
  });
  return { lines, lineNumbers: rows.map(({ line }) => line) };
}
