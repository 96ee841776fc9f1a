import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { XMLParser } from "fast-xml-parser";
import { SaxesParser } from "saxes";
import { anyCharacter, anyText } from "../../../waymark/test/tools/any-text.ts";
import { xmlDecoder, xmlRepresentation } from "../../src/index.ts";
import { itemOf, listOf, storedRecord } from "../stores/stored-records.ts";

const representation = xmlRepresentation({ root: "person", list: "people" });
const decoder = xmlDecoder({ root: "person", numbers: ["id"] });

/** The document of a person with these members, beside its id 1. */
const xmlOf = (members: object): string => itemOf(representation, storedRecord(members));

/** What the elements of the members are in it. */
function elementsOf(members: object): string {
  const [, elements] = /<person><id>1<\/id>(.*)<\/person>$/s.exec(xmlOf(members)) ?? [];
  return elements ?? assert.fail(xmlOf(members));
}

function decode(document: string): unknown {
  const parameters = new Map([["charset", "utf-8"]]);
  return decoder.decode(new TextEncoder().encode(document), { type: "application", subtype: "xml", parameters });
}

/** Throws unless the document is well-formed, namespaces included. */
function assertWellFormed(document: string): void {
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => assert.fail(`${error.message} in ${document}`));
  parser.write(document).close();
}

describe("XML", () => {
  it("is declared as UTF-8, in the document and in the Content-Type", () => {
    assert.equal(representation.contentType, "application/xml; charset=utf-8");
    assert.match(xmlOf({}), /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<person>/);
  });

  it("is sent as text/xml where it is offered so, with entity tags of its own", () => {
    const textXml = xmlRepresentation({ root: "person", list: "people", mediaType: "text/xml" });
    assert.deepEqual(
      [textXml.mediaType, textXml.contentType, textXml.name],
      ["text/xml", "text/xml; charset=utf-8", "text-xml"],
    );
    assert.equal(itemOf(textXml, storedRecord({ name: "Ada" })), xmlOf({ name: "Ada" }));
  });

  const written: readonly [what: string, members: object, elements: string][] = [
    ["text", { name: "Ada" }, "<name>Ada</name>"],
    ["empty text", { description: "" }, "<description></description>"],
    ["objects", { address: { postalCode: "W1" } }, "<address><postalCode>W1</postalCode></address>"],
    ["numbers and truth values", { a: -1.5, b: true }, "<a>-1.5</a><b>true</b>"],
    ["no member that is null", { a: null, b: { c: null, d: 1 } }, "<b><d>1</d></b>"],
    ["arrays", { tags: ["a", "b"], none: [] }, "<tags>a</tags><tags>b</tags>"],
    ["arrays of objects", { tags: [{ a: 1 }, { a: null }] }, "<tags><a>1</a></tags><tags></tags>"],
    [
      "arrays of arrays",
      { tags: [[1, 2], [null]] },
      "<tags><tags>1</tags><tags>2</tags></tags><tags><tags></tags></tags>",
    ],
    ["markup as text", { name: "<b>&amp;]]>\"'" }, "<name>&lt;b&gt;&amp;amp;]]&gt;\"'</name>"],
    ["a carriage return as a reference", { name: "a\r\nb\tc" }, "<name>a&#13;\nb\tc</name>"],
    ["emoji as they are", { name: "😀é\u2028" }, "<name>😀é\u2028</name>"],
    [
      "U+FFFD for what XML does not admit",
      { name: "a\u0000\u001b\ufffe\ud800<" },
      "<name>a\ufffd\ufffd\ufffd\ufffd&lt;</name>",
    ],
    [
      "names that no element has",
      { "@type": 1, "a b": 2, "1a": 3, "a:b": 4, "": 5 }, // numbers like names come first
      "<_x0040_type>1</_x0040_type><a_x0020_b>2</a_x0020_b><_x0031_a>3</_x0031_a><a_x003A_b>4</a_x003A_b><_>5</_>",
    ],
  ];
  for (const [what, members, elements] of written) {
    it(`has ${what}`, () => {
      assert.equal(elementsOf(members), elements);
      assertWellFormed(xmlOf(members));
    });
  }

  it("is read by another parser as well", async () => {
    const parser = new XMLParser({ parseTagValue: false, trimValues: false });
    const list = await listOf(representation, [storedRecord({ name: "<&>" }), storedRecord({ name: "]]>😀" }, 2)]);
    const { people } = parser.parse(list);
    assert.deepEqual(people.person, [
      { id: "1", name: "<&>" },
      { id: "2", name: "]]>😀" },
    ]);
  });

  it("is well-formed for any members", () => {
    const members = fc.dictionary(anyText(), fc.jsonValue({ stringUnit: anyCharacter }));
    fc.assert(fc.property(members, (value) => assertWellFormed(xmlOf(value))));
  });

  it("is read back by the decoder as it was", async () => {
    const admissible = anyText().filter((text) => !/[^\t\n\r -\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(text));
    const name = fc
      .stringMatching(/^[A-Z_a-zÀ-Ö\u{10000}-\u{10400}][-.0-9A-Za-z_·é漢]{0,8}$/u)
      .filter((text) => text !== "id");
    const { members } = fc.letrec<{ members: object; value: unknown }>((tie) => ({
      members: fc.dictionary(name, tie("value"), { minKeys: 1, noNullPrototype: true }),
      value: fc.oneof({ weight: 4, arbitrary: admissible }, { weight: 1, arbitrary: tie("members") }),
    }));
    await fc.assert(
      fc.asyncProperty(members, async (value) => assert.deepEqual(await decode(xmlOf(value)), { id: 1, ...value })),
    );
  });

  for (const name of ["", "a b", "1", "a:b", "<a>"]) {
    it(`has no element ${JSON.stringify(name)}`, () => {
      const message = { name: "TypeError", message: `${JSON.stringify(name)} cannot name an element` };
      assert.throws(() => xmlRepresentation({ root: name, list: "people" }), message);
      assert.throws(() => xmlRepresentation({ root: "person", list: name }), message);
    });
  }
});
