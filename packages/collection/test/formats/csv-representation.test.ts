import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { csvRepresentation, unguardFormula } from "../../src/index.ts";
import { listOf, storedRecord } from "../stores/stored-records.ts";

const columns = ["id", "name", "address.postalCode", "address.addressCountry"];
const representation = csvRepresentation({ columns });

/** The cell of a name. */
async function cellOf(name: unknown, from = representation): Promise<string> {
  const text = await listOf(from, [storedRecord({ name })], { fields: ["name"] });
  const [, cell] = /^name\r\n(.*)\r\n$/s.exec(text) ?? [];
  return cell ?? assert.fail(text);
}

describe("CSV", () => {
  it("says its charset, and that it has a header", () => {
    assert.equal(representation.contentType, "text/csv; charset=utf-8; header=present");
  });

  it("has a header and a row a record, each ended by CRLF", async () => {
    const people = [
      storedRecord({ name: "Ada", address: { postalCode: "W1", addressCountry: "GB" }, email: "ada@example.org" }),
      storedRecord({ name: "Grace", address: { addressCountry: "US" } }, 2),
      storedRecord({ name: "Mary" }, 3),
    ];
    assert.equal(
      await listOf(representation, people),
      "id,name,address.postalCode,address.addressCountry\r\n1,Ada,W1,GB\r\n2,Grace,,US\r\n3,Mary,,\r\n",
    );
  });

  for (const [fields, text] of [
    [["address.postalCode", "id"], "address.postalCode,id\r\nW1,1\r\n"],
    [["name", "address"], "name,address.postalCode,address.addressCountry\r\nAda,W1,GB\r\n"],
    [["address.postalCode", "address"], "address.postalCode,address.addressCountry\r\nW1,GB\r\n"],
  ] as const) {
    it(`has for the members ${fields.join()} their columns, in this order`, async () => {
      const record = storedRecord({ name: "Ada", address: { postalCode: "W1", addressCountry: "GB" } });
      assert.equal(await listOf(representation, [record], { fields }), text);
    });
  }

  for (const [value, cell] of [
    [null, ""],
    [-1.5, "-1.5"],
    [false, "false"],
    [["a", 1], '"[""a"",1]"'],
  ] as const) {
    it(`has ${JSON.stringify(value)} as ${JSON.stringify(cell)}`, async () => assert.equal(await cellOf(value), cell));
  }

  it("has no member that objects inherit, and no member of a text", async () => {
    const odd = csvRepresentation({ columns: ["constructor", "__proto__.toString", "name.length"] });
    assert.match(await listOf(odd, [storedRecord({ name: "Ada" })]), /\r\n,,\r\n$/);
  });
});

describe("a row of texts in CSV", () => {
  it("is what csv-stringify makes of its cells", async () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[ab,; "\r\n\t\u2028]{0,6}$/));
    const faithful = csvRepresentation({ columns: ["a", "b", "c"], formulas: "as-is" });
    const options = { record_delimiter: "\r\n", quote_record_delimiter: true, quoted_match: /^$/ };
    await fc.assert(
      fc.asyncProperty(fc.record({ a: text, b: text, c: text }, { requiredKeys: [] }), async (document) => {
        const row = stringify([[document.a, document.b, document.c]], options);
        assert.equal(await listOf(faithful, [storedRecord(document)]), `a,b,c\r\n${row}`);
      }),
    );
  });
});

describe("a formula in CSV", () => {
  for (const formula of ["=1+1", "+44 20 7946 0000", "-1", "@SUM(A1)", "\t1", "＝1", "＋1", "－1", "＠A1", "'=1"]) {
    it(`${JSON.stringify(formula)} is text by an apostrophe, which can be taken away`, async () => {
      const cell = await cellOf(formula);
      assert.equal(cell, `'${formula}`);
      assert.equal(unguardFormula(cell), formula);
    });
  }

  it("is guarded also where a spreadsheet that separates by something else would begin a cell", async () => {
    for (const [text, guarded] of [
      ["x;=1+1", "x;'=1+1"],
      ["x;'=1+1;@a", "x;''=1+1;'@a"],
      ["=a;-b", "'=a;'-b"],
      ["a;－1", "a;'－1"],
      ["see you ;-)", "see you ;-)"],
      ["1; =2", "1; =2"],
    ] as const) {
      assert.equal(await cellOf(text), guarded);
      assert.equal(unguardFormula(guarded), text);
    }
    assert.equal(await cellOf("a\n=1\r\n+2\t-3"), `"a\n'=1\r\n'+2\t'-3"`);
  });

  it("is guarded also where its cell is quoted", async () => {
    assert.equal(await cellOf('=HYPERLINK("https://example.org","a")'), `"'=HYPERLINK(""https://example.org"",""a"")"`);
    assert.equal(await cellOf("\r=1"), `"'\r'=1"`);
    assert.equal(await cellOf("\n1"), `"'\n1"`);
  });

  for (const text of ["'t Hooft", "'", "a=1", "1+1", " =1", "Ada"]) {
    it(`is not ${JSON.stringify(text)}`, async () => {
      assert.equal(await cellOf(text), text);
      assert.equal(unguardFormula(text), text);
    });
  }

  it("stays as it is where only programs read the file", async () => {
    const faithful = csvRepresentation({ columns, formulas: "as-is" });
    assert.equal(await cellOf("=1+1", faithful), "=1+1");
    const misspelt = csvRepresentation({ columns, formulas: "As-Is" as "as-is" }); // as of a program without types
    assert.equal(await cellOf("=1+1", misspelt), "'=1+1");
  });
});
