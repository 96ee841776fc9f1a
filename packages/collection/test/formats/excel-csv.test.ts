import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { HttpRequest } from "waymark";
import { csvDecoder, excelCsvRepresentation } from "../../src/index.ts";
import { listSeparator } from "../../src/internal.ts";
import { listOf, storedRecord } from "../stores/stored-records.ts";
import { decodeList } from "./decoded-list.ts";

const columns = ["id", "text", "born"];
const representation = excelCsvRepresentation({ columns, dates: ["born"] });

const inLanguage = (language: string): HttpRequest => HttpRequest.of({ headers: { "Accept-Language": language } });

/** The cell of a text, as the file has it. */
async function cellOf(text: unknown): Promise<string> {
  const content = await listOf(representation, [storedRecord({ text })], { fields: ["text"] });
  const [, cell] = /^\ufefftext\r\n(.*)\r\n$/s.exec(content) ?? [];
  return cell ?? assert.fail(content);
}

/** What is read of a file. */
async function readBack(content: string, delimiter: string): Promise<readonly unknown[]> {
  const decoder = csvDecoder({ columns, numbers: ["id"], delimiter });
  const listed = await decodeList(decoder, [Buffer.from(content)]);
  return listed.map(({ value, issues }) => value ?? issues);
}

/**
 * What Excel makes of the cell of a file: a constant is its text, and a date has the form of the country. What it would read as
 * anything else is undefined, since it would not come back.
 */
function openedByExcel(cell: string): string | undefined {
  const [, constant] = /^="((?:[^"]|"")*)"$/s.exec(cell) ?? [];
  if (constant !== undefined) return constant.replaceAll('""', '"');
  // Its dates begin in 1900.
  if (/^[1-9]\d{0,10}$|^1[0-8]\d\d-\d\d-\d\d$/.test(cell)) return cell;
  const [, year, month, day] = /^(19\d\d|20\d\d)-(\d\d)-(\d\d)$/.exec(cell) ?? [];
  if (year !== undefined) return `${day}.${month}.${year}`;
  return readOtherwise.some((pattern) => pattern.test(cell)) ? undefined : cell;
}

const month = "(?:jan|feb|mar|mär|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)\\p{L}*\\.?";
const readOtherwise: readonly RegExp[] = [
  /^[=+\-@＝＋－＠\t\r\n]/,
  /^\s*[-+(]*[$€£¥]?\s*\d[\d.,']*\s*(?:e[-+]?\d+)?\s*[%$€£¥]?\)?\s*$/i,
  /^\s*\d+\s+\d+\/\d+\s*$/,
  /^\s*\d{1,4}\s*[-/.]\s*\d{1,2}(?:\s*[-/.]\s*\d{1,4})?\s*$/,
  /^\s*\d{1,2}:\d{1,2}(?::\d{1,2})?(?:\s*[ap]m?)?\s*$/i,
  /^\s*\d{1,2}\s*[ap]m?\s*$/i,
  new RegExp(`^\\s*\\d{1,4}[-/. ]*${month}[-/. ]*\\d{0,4}\\s*$`, "iu"),
  new RegExp(`^\\s*${month}[-/. ]*\\d{1,4}\\s*$`, "iu"),
  /^(?:true|false|wahr|falsch|vrai|faux|verdadero|falso)$/i,
];

/** Has Excel open a file and save it as CSV again. */
function savedByExcel(content: string): string {
  const rows: readonly string[][] = parse(content.slice(1), { delimiter: ";", record_delimiter: "\r\n" });
  const saved = rows.map((row) => row.map((cell) => openedByExcel(cell) ?? assert.fail(JSON.stringify(cell))));
  return stringify(saved, { delimiter: ";", record_delimiter: "\r\n" });
}

describe("CSV for Excel", () => {
  it("begins with a byte order mark, and has the separator of the language", async () => {
    const record = storedRecord({ text: "Lovelace, Ada; Countess", born: "1915-12-10" });
    assert.equal(
      await listOf(representation, [record], { request: inLanguage("de") }),
      '\ufeffid;text;born\r\n1;"Lovelace, Ada; Countess";1915-12-10\r\n',
    );
    assert.equal(
      await listOf(representation, [record], { request: inLanguage("en") }),
      '\ufeffid,text,born\r\n1,"Lovelace, Ada; Countess",1915-12-10\r\n',
    );
  });

  // biome-ignore format: a table
  const constants = [
    "+44 20 7946 0000", "+49 (0)171/123456", "-1", "+1-2", "+1 ext. 5", "0171 234", "01067", "007", "1E5", "1-2", "1/2", "3.4.2020",
    "12:30", "5 pm", "Jan 5", "5 janvier 2020", "1 de enero de 2020", "50 %", "true", "Wahr", "2020-01-02", "12345678901234567890",
  ];
  for (const text of constants) {
    it(`has ${JSON.stringify(text)} as a constant, which Excel shows as it is`, async () => {
      assert.equal(await cellOf(text), `"=""${text}"""`);
    });
  }

  for (const text of [
    "Ada",
    "W",
    "O’Neil",
    "https://example.org/1",
    "Room 5 B",
    "10 Downing Street in London",
    "May",
  ]) {
    it(`has ${JSON.stringify(text)} as it is`, async () => assert.equal(await cellOf(text), text));
  }

  for (const text of ["=1+1", "@SUM(A1)", "+A1", "-2+cmd|' /C calc'!A0", "+cmd|'1'!A", "＝1", "\t1", '="1"', "'=1"]) {
    it(`makes the formula ${JSON.stringify(text)} harmless by an apostrophe, also where Excel saves it again`, async () => {
      const [[cell] = []] = parse(await cellOf(text));
      assert.equal(cell, `'${text}`);
    });
  }

  it("has a number of more than eleven digits, and one with a point, as a constant", async () => {
    const numbers = await Promise.all([12_345_678_901, 123_456_789_012, 1.5].map(cellOf));
    assert.deepEqual(numbers, ["12345678901", '"=""123456789012"""', '"=""1.5"""']);
  });

  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."=+-@'\"\t\r\n,;/.:() 0123456789eExJanwhr＝") }),
    fc.string({ unit: "grapheme", maxLength: 300 }),
    fc.constantFrom(...constants, "x".repeat(300)),
  );
  const born = fc.date({ min: new Date("1800-01-01"), max: new Date("2026-01-01"), noInvalidDate: true });
  const values = fc.array(
    fc.record(
      { id: fc.integer({ min: 1, max: 2 ** 53 - 1 }), text, born: born.map((date) => date.toISOString().slice(0, 10)) },
      { requiredKeys: ["id"], noNullPrototype: true },
    ),
    { maxLength: 5 },
  );

  it("is read back as it was", async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom("de", "en"), async (all, language) => {
        const records = all.map(({ id, ...members }) => storedRecord({ ...members, id }, id));
        const content = await listOf(representation, records, { request: inLanguage(language) });
        assert.deepEqual(await readBack(content, listSeparator(language)), all);
      }),
    );
  });

  it("is read back as it was after Excel has opened and saved it, with dates in the form of its country", async () => {
    const ofCountry = (date: string): string => (date < "1900" ? date : date.split("-").toReversed().join("."));
    await fc.assert(
      fc.asyncProperty(values, async (all) => {
        // An empty text and a line end of Windows are what a saved file does not keep.
        const kept = all.filter(({ text: each = "a" }) => each !== "" && !/[\r\n]/.test(each) && each.length <= 255);
        const records = kept.map(({ id, ...members }) => storedRecord({ ...members, id }, id));
        const content = await listOf(representation, records, { request: inLanguage("de") });
        assert.deepEqual(
          await readBack(savedByExcel(content), ";"),
          kept.map((value) => ({ ...value, ...(value.born !== undefined && { born: ofCountry(value.born) }) })),
        );
      }),
      { examples: [[[{ id: 1, text: "(\t'=" }]]] },
    );
  });
});

describe("the list separator", () => {
  for (const [languages, separator] of [
    [undefined, ","],
    ["", ","],
    ["*", ","],
    ["en-GB", ","],
    ["de", ";"],
    ["fr-CA", ";"],
    ["pt-BR,en;q=0.9", ";"],
    ["en;q=0.5, sv-SE", ";"],
    ["de;q=0, en;q=0.1", ","],
    ["de-CH", ";"],
    ["ja", ","],
    ["es-MX", ","],
    ["not a language, de", ";"],
    ["x-y-z", ","],
    ["de;q=high, en", ","],
  ] as const) {
    it(`is ${separator} for ${languages ?? "no language"}`, () => assert.equal(listSeparator(languages), separator));
  }
});
