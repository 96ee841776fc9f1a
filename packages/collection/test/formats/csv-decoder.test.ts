import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { ContentError } from "waymark/content";
import { csvDecoder, csvRepresentation } from "../../src/index.ts";
import { listOf, storedRecord } from "../stores/stored-records.ts";
import { decodeList, inPieces } from "./decoded-list.ts";

const columns = ["id", "name", "address.postalCode", "address.addressCountry"];
const decoder = csvDecoder({ columns, numbers: ["id"] });

/** So many names of columns. */
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `c${i}`);

/** What a text has, and what it is an example of. */
type Content = readonly [what: string, content: string, rows: readonly (readonly [line: number, value: unknown])[]];

describe("reading CSV", () => {
  it("ends as soon as a record is too long, whatever follows", async () => {
    let read = 0;
    const pieces = function* () {
      yield Buffer.from('name\r\n"');
      for (; read < 100; read++) yield Buffer.alloc(65_536, "x");
    };
    await assert.rejects(decodeList(decoder, pieces()), { name: "ContentError", line: 2 });
    assert.equal(read, 16);
  });

  // biome-ignore format: a table
  const contents: readonly Content[] = [
    ["a header alone", "name\r\n", []],
    ["empty cells in columns without a name", "name,,id,\r\nAda,,1,\r\n", [[2, { name: "Ada", id: 1 }]]],
    ["columns in any order, and some of them", "address.postalCode,id\r\nW1,7\r\n", [[2, { address: { postalCode: "W1" }, id: 7 }]]],
    ["empty cells, which are absent members", "id,name,address.postalCode\r\n,Ada,\r\n", [[2, { name: "Ada" }]]],
    ["a quoted empty cell, which is an empty text", 'name,id\r\n"",1\r\n', [[2, { name: "", id: 1 }]]],
    ["a row without any member", "id,name\r\n,\r\n", [[2, {}]]],
    ["every cell in quotation marks, where empty ones are absent", '"name","address.postalCode"\r\n"Ada",""\r\n', [[2, { name: "Ada" }]]],
    ["commas, quotation marks and line ends in cells", 'name,id\r\n"Lovelace, ""Ada""\r\nB\nC",1\r\nBob,2\r\n',
      [[2, { name: 'Lovelace, "Ada"\r\nB\nC', id: 1 }], [5, { name: "Bob", id: 2 }]]],
    ["a byte order mark", "\ufeffname\r\nAda\r\n", [[2, { name: "Ada" }]]],
    ["a byte order mark before a quoted header", '\ufeff"name"\r\nAda\r\n', [[2, { name: "Ada" }]]],
    ["lines that end with LF, the last with nothing", "name\nAda\nBob", [[2, { name: "Ada" }], [3, { name: "Bob" }]]],
    ["blank lines, which are counted", "\r\nname\r\n\r\nAda\r\n \t\r\nBob\r\n", [[4, { name: "Ada" }], [6, { name: "Bob" }]]],
    ["guarded formulas, which are as they were", "name\r\n'=1+1\r\n'+44 20\r\n''=x\r\n't Hooft\r\n-1\r\n",
      [[2, { name: "=1+1" }], [3, { name: "+44 20" }], [4, { name: "'=x" }], [5, { name: "'t Hooft" }], [6, { name: "-1" }]]],
    ["spaces, which belong to the cell", "name\r\n Ada \r\n", [[2, { name: " Ada " }]]],
    ["texts that are not numbers, which the schema refuses", "id\r\n01\r\n1.50\r\n9007199254740993\r\nx\r\n",
      [[2, { id: "01" }], [3, { id: "1.50" }], [4, { id: "9007199254740993" }], [5, { id: "x" }]]],
    ["fractions", "id\r\n1.5\r\n-0.25\r\n", [[2, { id: 1.5 }], [3, { id: -0.25 }]]],
    ["digits in a text", "name\r\n7\r\n", [[2, { name: "7" }]]],
    ["NUL, for the schema", "name\r\na\u0000b\r\n", [[2, { name: "a\u0000b" }]]],
  ];
  for (const [what, content, rows] of contents) {
    it(`takes ${what}`, async () => {
      const due = rows.map(([line, value]) => ({ line, value }));
      assert.deepEqual(await decodeList(decoder, [Buffer.from(content)]), due);
      assert.deepEqual(await decodeList(decoder, inPieces(content, 1)), due);
    });
  }

  // biome-ignore format: a table
  const rowFaults: readonly [what: string, row: string, said: RegExp][] = [
    ["a cell too few", "Ada", /^has 1 cell; the header has 2$/],
    ["a cell too many", "Ada,1,2", /^has 3 cells; the header has 2$/],
    ["quotation marks within a cell", 'Ada "Byron" Lovelace,1', /^has a quotation mark in the wrong place/],
    ["text behind a quoted cell", '"Ada"x,1', /^has a quotation mark in the wrong place/],
    ["quotation marks that are not doubled, over two lines", 'a"b,1\r\nc"d,2', /^has a quotation mark in the wrong place/],
  ];
  for (const [what, row, said] of rowFaults) {
    it(`finds ${what} to be a fault of the row`, async () => {
      const [first, second, third] = await decodeList(decoder, [Buffer.from(`name,id\r\nA,1\r\n${row}\r\nB,2\r\n`)]);
      assert.deepEqual([first?.value, third?.value], [{ name: "A", id: 1 }, { name: "B", id: 2 }]); // biome-ignore format: short
      assert.equal(second?.line, 3);
      assert.match(second?.issues?.[0]?.message ?? "", said);
    });
  }

  it("finds a cell in a column without a name to be a fault of the row", async () => {
    const [row] = await decodeList(decoder, [Buffer.from("name,,id\r\nAda,x,1\r\n")]);
    assert.deepEqual(row, { line: 2, issues: [{ message: 'has "x" in column 2, which has no name in the header' }] });
  });

  it("needs a character that can separate cells", () => {
    for (const delimiter of ["", '"', "\n", ",,", "；"]) {
      assert.throws(() => csvDecoder({ columns, delimiter }), { name: "TypeError", message: /cannot separate cells$/ });
    }
  });

  // biome-ignore format: a table
  const refused: readonly [what: string, content: string | Buffer, line: number, column: number, said: RegExp][] = [
    ["nothing", "", 1, 1, /no header/],
    ["an unknown column", "name,nmae\r\nAda,x\r\n", 1, 1, /not known: "nmae"; there are id, name, address.postalCode/],
    ["more than ten unknown columns", `${names(11).join()}\r\n`, 1, 1, /not known: "c0", "c1", .*, "c9", …; there are id/],
    ["columns with semicolons between", "name;id\r\nAda;1\r\n", 1, 1, /commas separate them/],
    ["the column __proto__", "name,__proto__\r\nAda,x\r\n", 1, 1, /not known: "__proto__"/],
    ["a column of another case", "Name\r\nAda\r\n", 1, 1, /not known: "Name"/],
    ["a column that is named twice", "name,id,name\r\nAda,1,x\r\n", 1, 1, /"name" twice/],
    ["100,000 columns", `${names(100_000).join()}\r\n`, 1, 1, /^The header has 100000 cells; at most 1000 are allowed$/],
    ["more than 1,000,000 blank lines", `name\r\n${"\r\n".repeat(1_000_001)}`, 1_000_002, 1, /more than 1,000,000 blank lines/],
    ["a header without names", ",,\r\nAda,x,1\r\n", 1, 1, /The header names no column/],
    ["a header on the third line", "\n\nnmae\nAda\n", 3, 1, /not known: "nmae"/],
    ["a header with a stray quotation mark", 'na"me",id\r\n', 1, 1, /The header has a quotation mark in the wrong place/],
    ["a quotation mark that is never closed", 'name\r\nAda\r\n"Bob\r\nEve\r\n', 3, 1, /never closed/],
    ["a row of 2 MB", `name\r\nAda\r\n${"x".repeat(2_000_000)}\r\n`, 3, 1, /longer than 1048576 bytes/],
    ["a row of 2 MB in lines", `name\r\nAda\r\n"${"x\r\n".repeat(700_000)}"\r\n`, 3, 1, /longer than 1048576 bytes/],
    ["another encoding", Buffer.from("name\r\nAda\r\nZo\xeb\r\n", "latin1"), 3, 3, /not UTF-8/],
    ["another encoding within a record of several lines", Buffer.from('name\r\nAda\r\n"a\r\nbc\xeb"\r\n', "latin1"), 4, 3, /not UTF-8/],
    ["UTF-16", Buffer.from("\ufeffname\r\nAda\r\n", "utf16le"), 1, 1, /not UTF-8/],
  ];
  for (const [what, content, line, column, said] of refused) {
    it(`refuses ${what}`, async () => {
      await assert.rejects(decodeList(decoder, [Buffer.from(content)]), (error: unknown) => {
        assert.ok(error instanceof ContentError);
        assert.deepEqual([error.line, error.column], [line, column]);
        assert.match(error.detail, said);
        return true;
      });
    });
  }

  it("gives the rows before what it refuses", async () => {
    const reading = { mediaType: { type: "text", subtype: "csv", parameters: new Map() }, lenient: false };
    const rows = decoder.decode(ReadableStream.from([Buffer.from('name\r\nAda\r\n"Bob')]), reading);
    const iterator = rows[Symbol.asyncIterator]();
    assert.deepEqual(await iterator.next(), { done: false, value: { line: 2, value: { name: "Ada" } } });
    await assert.rejects(iterator.next(), ContentError);
  });

  it("refuses what says that it has no header", async () => {
    const content = [Buffer.from("name\r\nAda\r\n")];
    await assert.rejects(decodeList(decoder, content, { parameters: { header: "absent" } }), /header=absent/);
    assert.equal((await decodeList(decoder, content, { parameters: { header: "present" } })).length, 1);
  });

  it("leaves unknown columns to the schema when it is to be lenient", async () => {
    const content = "name,nick.name,__proto__\r\nAda,x,y\r\n";
    const [row] = await decodeList(decoder, [Buffer.from(content)], { lenient: true });
    assert.deepEqual(Object.entries(row?.value as object), [["name", "Ada"], ["nick", { name: "x" }], ["__proto__", "y"]]); // biome-ignore format: short
  });

  it("refuses a column that is a value and an object at once", async () => {
    for (const header of ["address,address.postalCode", "address.postalCode,address"]) {
      const content = [Buffer.from(`${header}\r\na,b\r\n`)];
      await assert.rejects(decodeList(decoder, content, { lenient: true }), /both as a value and as an object/);
    }
  });

  describe("with columns that are not known, when it is to be lenient,", () => {
    const read = (header: string, row: string) =>
      decodeList(decoder, [Buffer.from(`${header}\r\n${row}\r\n`)], { lenient: true });
    // biome-ignore format: a table
    const bounds: readonly [what: string, fits: readonly string[], goesBeyond: readonly string[], said: RegExp][] = [
      ["1,000 columns", names(1000), names(1001), /The header has 1001 cells; at most 1000 are allowed at line 1/],
      ["1,000 members, the objects counted", names(500).map((name) => `${name}.x`), [...names(499).map((name) => `${name}.x`), "a.b.c"], /The header names more than 1000 members, the objects they are in counted at line 1/],
      ["names of 255 characters", ["x".repeat(255)], ["x".repeat(256)], /The header names the column "x{40}…", longer than 255 characters/],
      ["64 levels", [Array(64).fill("a").join(".")], [Array(65).fill("a").join(".")], /The header names a member 65 levels deep; at most 64 are allowed/],
    ];
    for (const [what, fits, goesBeyond, said] of bounds) {
      it(`takes ${what}, and no more`, async () => {
        const [row] = await read(fits.join(), fits.map(() => "1").join());
        assert.equal(row?.issues, undefined);
        await assert.rejects(read(goesBeyond.join(), ""), said);
      });
    }

    it("refuses 100,000 levels, and looks no further", async () => {
      await assert.rejects(read(Array(100_000).fill("a").join("."), "1"), ContentError);
    });
  });

  it("finds more than 1,000 cells to be a fault of the row, which is not taken apart", async () => {
    const rows = [",".repeat(1000), `"${",".repeat(2000)}",1`, ",".repeat(1_000_000)];
    const decoded = await decodeList(decoder, [Buffer.from(`name,id\r\n${rows.join("\r\n")}\r\n`)]);
    assert.deepEqual(
      decoded.map(({ issues }) => issues?.[0]?.message),
      ["has 1001 cells; at most 1000 are allowed", undefined, "has 1000001 cells; at most 1000 are allowed"],
    );
  });

  it("splits a row as csv-parse does, and finds the same rows to be at fault", async () => {
    const cast = (text: string, { quoting }: { readonly quoting: boolean }) =>
      text === "" && !quoting ? undefined : text;
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'aé"", ') }), async (row) => {
        fc.pre(row.trim() !== "");
        let due: readonly (string | undefined)[] | undefined;
        try {
          [due] = parse(row, { cast }) as unknown[][] as string[][]; // texts, as `cast` makes them
        } catch {
          // It has a mark in the wrong place.
        }
        const columns = names(due?.length ?? 1);
        const read = () => decodeList(csvDecoder({ columns, formulas: "as-is" }), [Buffer.from(`${columns}\n${row}`)]);
        if (due === undefined && row.split('"').length % 2 === 0) {
          await assert.rejects(read(), /never closed/);
          return;
        }
        const [found] = await read();
        if (due === undefined) assert.match(found?.issues?.[0]?.message ?? "", /wrong place/);
        else
          assert.deepEqual(
            found?.value,
            Object.fromEntries(columns.flatMap((name, i) => (due[i] === undefined ? [] : [[name, due[i]]]))),
          );
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps apostrophes where files are not guarded", async () => {
    const [row] = await decodeList(csvDecoder({ columns, formulas: "as-is" }), [Buffer.from("name\r\n'=1\r\n")]);
    assert.deepEqual(row, { line: 2, value: { name: "'=1" } });
  });

  it("returns what the representation wrote, however it is cut into pieces", async () => {
    const unit = fc.oneof(
      fc.constantFrom(..."=+-@'\"\t\r\n, ＝"),
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 1 }),
    );
    const text = fc.string({ unit });
    const address = fc.record({ postalCode: text, addressCountry: text }, { requiredKeys: [], noNullPrototype: true });
    const members = fc.record({ name: text, address }, { requiredKeys: [], noNullPrototype: true });
    await fc.assert(
      fc.asyncProperty(fc.array(members, { maxLength: 5 }), fc.integer({ min: 1, max: 50 }), async (all, size) => {
        const records = all.map((each, i) => storedRecord(each, i + 1));
        const written = await listOf(csvRepresentation({ columns }), records);
        const read = await decodeList(decoder, inPieces(written, size));
        const due = all.map(({ name, address = {} }, i) => ({
          id: i + 1,
          ...(name !== undefined && { name }),
          ...(Object.keys(address).length > 0 && { address }),
        }));
        assert.deepEqual(
          read.map(({ value }) => value),
          due,
        );
      }),
    );
  });
});
