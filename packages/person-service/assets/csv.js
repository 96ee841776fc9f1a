/**
 * The text of a file: UTF-8, UTF-16 with a byte order mark, or else Windows-1252, in which spreadsheets of Windows write. Undefined
 * for a file that is not a text, such as a workbook.
 */
export function decodeText(bytes) {
  const [first, second] = bytes;
  const utf16 =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : undefined;
  let text;
  try {
    text = new TextDecoder(utf16 ?? "utf-8", { fatal: utf16 === undefined }).decode(bytes);
  } catch {
    text = new TextDecoder("windows-1252").decode(bytes);
  }
  return text.includes("\0") ? undefined : text;
}

/**
 * The rows of a CSV text (RFC 4180), each with the line on which it begins, counted from 1; blank lines are none. The separator is
 * the one that the line `sep=;` of Excel names, or that the first line has most of.
 */
export function parseCsv(text) {
  const [separatorLine = "", named] = /^sep=([,;\t|])\r?\n/.exec(text) ?? [];
  const [firstLine = ""] = text.split(/[\r\n]/, 1);
  const separator =
    named ?? [",", ";", "\t", "|"].toSorted((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0];
  // A quoted cell, or one that ends at a separator or a line.
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${separator}\\r\\n]*))([${separator}]|\\r\\n|\\n|\\r|$)`, "gy");
  cell.lastIndex = separatorLine.length;
  const rows = [];
  let cells = [];
  let line = separatorLine === "" ? 1 : 2;
  let start = line;
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
    line += whole.split(/\r\n|\n|\r/).length - 1;
    if (end === separator && cell.lastIndex < text.length) continue;
    if (cells.some((each) => each !== "")) rows.push({ line: start, cells });
    cells = [];
    start = line;
  }
  return rows;
}

/**
 * The order of day, month and year in dates such as 10.12.1815 among the cells: "DMY" or "MDY", and "" where it is not certain.
 * Undefined where there are no such dates.
 */
export function dateOrderOf(rows) {
  const dates = rows.flatMap(({ cells }) => cells.flatMap((cell) => localDate.exec(cell.trim())?.groups ?? []));
  if (dates.length === 0) return undefined;
  if (dates.some(({ first }) => first > 12)) return "DMY";
  if (dates.some(({ second }) => second > 12)) return "MDY";
  return dates.some(({ sign }) => sign === ".") ? "DMY" : "";
}

const localDate = /^(?<first>\d{1,2})(?<sign>[./-])(?<second>\d{1,2})\k<sign>(?<year>\d{4})$/;

function toDate(text, order) {
  const { first, second, year } = localDate.exec(text)?.groups ?? {};
  if (order === "" || year === undefined) return text;
  const [day, month] = order === "DMY" ? [first, second] : [second, first];
  return `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
}

/**
 * The rows as lines of NDJSON, with the columns that become members, the codes of countries and the order of dates; and the line of
 * the file for each.
 */
export function toLines(rows, members, countryCodes, dateOrder) {
  const lines = rows.map(({ cells }) => {
    const person = {};
    for (const [i, member] of members.entries()) {
      // Only a description may have white space around it and lines, which end in CRLF in files of Windows.
      let value = (cells[i] ?? "").replaceAll(/\r\n?/g, "\n");
      if (member !== "description") value = value.trim();
      if (member === "" || value === "") continue;
      if (member === "birthDate") value = toDate(value, dateOrder);
      if (member === "address.addressCountry") value = countryCodes.get(value.toLowerCase()) ?? value;
      const [outer, inner] = member.split(".");
      if (inner === undefined) person[outer] = outer === "id" ? Number(value) : value;
      else person[outer] = { ...person[outer], [inner]: value };
    }
    return JSON.stringify(person);
  });
  return { lines, lineNumbers: rows.map(({ line }) => line) };
}
