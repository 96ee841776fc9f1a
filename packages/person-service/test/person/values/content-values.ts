import assert from "node:assert/strict";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import { parse } from "csv-parse/sync";
import ICAL from "ical.js";
import { SaxesParser } from "saxes";
import { furtherValues, memberEntries } from "../../../src/person/members/members.ts";

/** What content says, as a JSON value to be judged by a schema. */
export interface ContentValue {
  readonly value: unknown;
  /** Whether values are text, because the format has no other: `"7"` for 7. */
  readonly isText: boolean;
  /** The columns of a table. */
  readonly columns?: readonly string[];
}

/**
 * Parses content of a media type, by other means than the service has.
 *
 * @throws Error when it is not of its type
 */
export function contentValue(mediaType: string, content: Uint8Array | string): ContentValue {
  const text =
    typeof content === "string" ? content : new TextDecoder(charsetOf(content), { fatal: true }).decode(content);
  const type = mediaType.toLowerCase().replace(/\s*;.*$/s, "");
  if (/[/+]json$/.test(type)) return { value: JSON.parse(text), isText: false };
  if (/[/+]xml$/.test(type)) return { value: xmlValue(text), isText: true };
  switch (type) {
    case "application/x-ndjson": {
      const lines = text.split("\n").filter((line) => line.trim() !== "");
      return { value: lines.map((line): unknown => JSON.parse(line)), isText: false };
    }
    case "text/csv":
      return csvValue(text);
    case "text/vcard":
      assertVcards(text);
      return { value: text, isText: true };
    case "text/html":
      assert.match(text, /^<!doctype html>.*<\/html>\s*$/is);
      assertNesting(text);
      return { value: text, isText: true };
    default:
      return { value: text, isText: true };
  }
}

/** As a byte order mark says, which announces UTF-16. */
function charsetOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Undoes a content coding. */
export function decoded(content: Uint8Array, coding: string | undefined): Uint8Array {
  switch (coding) {
    case undefined:
      return content;
    case "gzip":
      return gunzipSync(content);
    case "br":
      return brotliDecompressSync(content);
    case "zstd":
      return zstdDecompressSync(content);
    default:
      return assert.fail(`There is no content coding ${coding}`);
  }
}

interface Element {
  readonly name: string;
  readonly children: Element[];
  text: string;
}

/** A list of records is an element of them, another list repeats its element or has elements of `i`; any other is an object or a text. */
function xmlValue(document: string): unknown {
  const root: Element = { name: "", children: [], text: "" };
  const open = [root];
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name }) => {
    const element: Element = { name, children: [], text: "" };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on("closetag", () => void open.pop());
  parser.on("text", (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.write(document).close();
  const [element] = root.children;
  if (element === undefined) return undefined;
  const value = elementValue(element);
  return typeof value === "string" ? {} : value;
}

function elementValue({ name, children, text }: Element): unknown {
  if (name === "people" || (children.length > 0 && children.every((child) => child.name === "i"))) {
    return children.map(elementValue);
  }
  if (children.length === 0 && name !== "person") return text;
  const values = Map.groupBy(children, (child) => child.name);
  return Object.fromEntries(
    Array.from(values, ([each, elements]) => [
      each,
      listNames.has(each) ? elements.map(elementValue) : elementValue(elements[0] as Element), // there is one
    ]),
  );
}

/** An empty cell is an absent member, and a column such as `address.postalCode` is part of an object. */
function csvValue(text: string): ContentValue {
  const delimiter = /^\ufeff?[^,\r\n]*;/.test(text) ? ";" : ",";
  const [columns = [], ...rows]: string[][] = parse(text, { bom: true, skip_empty_lines: true, delimiter });
  const value = rows.map((row) =>
    recordOf(
      columns,
      row.map(
        (cell) => cell.replace(guard, "").replace(constant, (_, quoted) => quoted.replaceAll('""', '"')) || undefined,
      ),
    ),
  );
  return { value: value.map(withLists), isText: true, columns };
}

/** The members of people that are lists. */
const listNames: ReadonlySet<string> = new Set([
  ...memberEntries.flatMap(([name, { list }]) => (list ? [name] : [])),
  ...furtherValues.map(({ name }) => name),
  "contexts",
  "features",
  "skills", // in the tests of members of a service's own
]);

/** A list of people's members is JSON, or texts with semicolons between them. */
function withLists(record: object): object {
  const entries = Object.entries(record).map(([name, cell]) => {
    if (typeof cell === "object") return [name, withLists(cell)];
    if (!listNames.has(name) || cell === undefined) return [name, cell];
    if (/^\[[{"]/.test(cell)) return [name, JSON.parse(cell)];
    const texts: readonly string[] = cell.match(/(?:\\.|[^\\;])+/gs) ?? [];
    return [name, texts.map((text) => text.trim().replaceAll(/\\(.)/gs, "$1"))];
  });
  return Object.fromEntries(entries);
}

/** Around what Excel would read as something else than a text. */
const constant = /^="((?:[^"]|"")*)"$/s;

/** Before what a spreadsheet would run as a formula. */
const guard = /^'(?='*[=+\-@＝＋－＠\t\r\n])/;

/** Makes the record of a row; without cells, one that has all members of its columns, all undefined. */
export function recordOf(columns: readonly string[], cells?: readonly (string | undefined)[]): object {
  const record: Record<string, unknown> = {};
  for (const [i, column] of columns.entries()) {
    const cell = cells?.[i];
    const [member = "", part] = column.split(".");
    if (cells !== undefined && cell === undefined) continue;
    if (part === undefined) record[member] = cell;
    else record[member] = { ...(record[member] as object | undefined), [part]: cell }; // the cells of one object
  }
  return record;
}

function assertVcards(text: string): void {
  if (text === "") return;
  const cards: readonly unknown[] = ICAL.parse(text);
  const count = text.split("BEGIN:VCARD\r\n").length - 1;
  assert.equal(typeof cards[0] === "string" ? 1 : cards.length, count);
  assert.equal(text.match(/^VERSION:[34]\.0\r$/gm)?.length, count);
  assert.equal(text.match(/^FN:.+\r$/gm)?.length, count);
  assert.equal(text.match(/^END:VCARD\r$/gm)?.length, count);
}

/**
 * Looks at what HTML does not allow within what: blocks in elements of text, and controls in controls. A browser shows such a page
 * all the same, by closing elements where their author did not.
 *
 * @throws AssertionError
 */
function assertNesting(text: string): void {
  const open: string[] = [];
  for (const [tag, end, name = ""] of text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b(?:[^>"]|"[^"]*")*>/g)) {
    if (end === "/") {
      assert.equal(open.pop(), name, `${tag} ends no element that is open`);
    } else {
      if (blocks.has(name)) assert.ok(!open.some((each) => ofText.has(each)), `${tag} in ${open.join(" ")}`);
      if (controls.has(name)) assert.ok(!open.some((each) => controls.has(each)), `${tag} in ${open.join(" ")}`);
      if (!empty.has(name) && !tag.endsWith("/>")) open.push(name);
    }
  }
  assert.deepEqual(open, []);
}

const empty: ReadonlySet<string> = new Set(["meta", "link", "input", "br", "hr", "img"]);
const ofText: ReadonlySet<string> = new Set("p label span bdi code h1 h2 h3 h4 small a button strong".split(" "));
const blocks: ReadonlySet<string> = new Set(
  "p div ul ol dl table section article form pre details h1 h2 h3 h4".split(" "),
);
const controls: ReadonlySet<string> = new Set(["a", "button", "label"]);
