import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ContentError } from "waymark/content";
import type { MediaType } from "waymark/fields";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { xmlDecoder } from "../../src/index.ts";

const namespace = "https://example.org/person";
const decoder = xmlDecoder({ root: "person", namespace, numbers: ["id", "address.number"] });

const xml = (charset?: string): MediaType => ({
  type: "application",
  subtype: "xml",
  parameters: new Map(charset === undefined ? [] : [["charset", charset]]),
});
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const decode = (text: string): unknown => decoder.decode(utf8(text), xml());

/** UTF-16 with a byte order mark. */
function utf16(text: string, order: "le" | "be", mark = "\ufeff"): Uint8Array {
  const bytes = Buffer.from(mark + text, "utf16le");
  return order === "le" ? bytes : bytes.swap16();
}

async function refusalOf(decoding: () => unknown): Promise<ContentError> {
  try {
    const value = await decoding();
    assert.fail(`read as ${JSON.stringify(value)}`);
  } catch (error) {
    if (error instanceof ContentError) return error;
    throw error;
  }
}

describe("the XML decoder", () => {
  it("reads application/xml and text/xml, in every charset that it knows", () => {
    assert.deepEqual(decoder.mediaTypes, ["application/xml", "text/xml"]);
    assert.equal(decoder.charsets, undefined);
  });

  // biome-ignore format: a table
  const read: readonly [what: string, text: string, value: unknown][] = [
    ["elements", "<person><name>Ada</name></person>", { name: "Ada" }],
    ["elements in elements", "<person><a><b><c>x</c></b></a></person>", { a: { b: { c: "x" } } }],
    ["a declaration", '<?xml version="1.0"?><person/>', {}],
    ["a declaration in full", "<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n<person/>\n", {}],
    ["an empty root", "<person></person>", {}],
    ["white space in the root", "<person>\r\n\t </person>", {}],
    ["empty elements", "<person><name></name><email/></person>", { name: "", email: "" }],
    ["white space between elements", "<person>\n  <a>\n    <b>x</b>\n  </a>\n</person>", { a: { b: "x" } }],
    ["white space in a text", "<person><name> Ada\t\n </name></person>", { name: " Ada\t\n " }],
    ["a text of white space", "<person><name> </name></person>", { name: " " }],
    ["line ends as line feeds", "<person><name>a\r\nb\rc\nd</name></person>", { name: "a\nb\nc\nd" }],
    ["a written carriage return", "<person><name>a&#13;b</name></person>", { name: "a\rb" }],
    ["predefined entities", "<person><name>&amp;&lt;&gt;&quot;&apos;</name></person>", { name: "&<>\"'" }],
    ["character references", "<person><name>&#x41;&#65;&#128512;&#x1F600;</name></person>", { name: "AA😀😀" }],
    ["an entity once", "<person><name>&amp;lt;</name></person>", { name: "&lt;" }],
    ["CDATA as it is", "<person><name><![CDATA[<b>&amp;]] ]>]]></name></person>", { name: "<b>&amp;]] ]>" }],
    ["CDATA within text", "<person><name>a<![CDATA[b]]>c<![CDATA[]]></name></person>", { name: "abc" }],
    ["a name with a point", "<person><address.number>7</address.number></person>", { "address.number": "7" }],
    ["]]> in two CDATA sections", "<person><name><![CDATA[]]]]><![CDATA[>]]></name></person>", { name: "]]>" }],
    ["comments within text", "<person><name>a<!-- <b> & -->b<!----></name></person>", { name: "ab" }],
    ["comments around elements", "<!-- a --><person><!-- b --><name>x</name></person><!-- c -->", { name: "x" }],
    ["processing instructions", '<?xml-stylesheet href="http://127.0.0.1/"?><person><?a b?><name>a<?b?>b</name></person>', { name: "ab" }],
    ["a document type in a comment", "<!-- <!DOCTYPE person> --><person/>", {}],
    ["a document type in a comment that looks ended", "<!--><!DOCTYPE person>--><person/>", {}],
    ["a document type in an instruction", "<?a <!DOCTYPE person>?><person/>", {}],
    ["a document type in CDATA", "<person><name><![CDATA[<!DOCTYPE person>]]></name></person>", { name: "<!DOCTYPE person>" }],
    ["characters beyond the BMP", "<person><name>😀𠀀\u{10FFFF}</name></person>", { name: "😀𠀀\u{10FFFF}" }],
    ["names of any script", "<person><имя>Ада</имя></person>", { имя: "Ада" }],
    ["our namespace as default", `<person xmlns="${namespace}"><name>Ada</name></person>`, { name: "Ada" }],
    ["our namespace by a prefix", `<p:person xmlns:p="${namespace}"><p:name>Ada</p:name></p:person>`, { name: "Ada" }],
    ["our namespace on the root only", `<p:person xmlns:p='${namespace}'><name>Ada</name></p:person>`, { name: "Ada" }],
    ["no namespace, declared", '<person xmlns=""><name xmlns="">Ada</name></person>', { name: "Ada" }],
    ["numbers", "<person><id>7</id><address><number>-12</number></address></person>", { id: 7, address: { number: -12 } }],
    ["zero", "<person><id>0</id></person>", { id: 0 }],
    ["the greatest integer", "<person><id>9007199254740991</id></person>", { id: 9007199254740991 }],
    [
      "fractions, and text that is no canonical number",
      "<person><id>1.5</id><address><number>1.50</number></address></person>",
      { id: 1.5, address: { number: "1.50" } },
    ],
    ["no numbers elsewhere", "<person><name>7</name><address><id>7</id></address></person>", { name: "7", address: { id: "7" } }],
  ];
  for (const [what, text, value] of read) {
    it(`reads ${what}`, () => {
      assert.deepEqual(decode(text), value);
    });
  }

  for (const text of ["", " 7", "7 ", "+7", "07", "-0", "7.0", "7e0", "0x7", "٧", "9007199254740993", "9".repeat(40)]) {
    it(`leaves ${JSON.stringify(text)} as text where an integer is due`, () => {
      assert.deepEqual(decode(`<person><id>${text}</id></person>`), { id: text });
    });
  }

  it("leaves an object as it is where an integer is due", () => {
    assert.deepEqual(decode("<person><id><a>7</a></id></person>"), { id: { a: "7" } });
  });

  it("makes __proto__ and its like members like any other", () => {
    const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
    const value = decode(
      `<person>${names.map((name) => `<${name}><polluted>1</polluted></${name}>`).join("")}</person>`,
    );
    assert.ok(typeof value === "object" && value !== null);
    assert.deepEqual(Object.keys(value), names);
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.equal("polluted" in {}, false);
  });

  it("says so when the root cannot name an element", () => {
    for (const root of ["", "p:person", "<person>", "1"]) assert.throws(() => xmlDecoder({ root }), TypeError);
  });

  it("refuses every namespace by default", () => {
    const { decode } = xmlDecoder({ root: "person" });
    assert.deepEqual(decode(utf8('<person xmlns=""/>'), xml()), {});
    assert.throws(() => decode(utf8(`<person xmlns="${namespace}"/>`), xml()), /names the namespace .*; leave it out/);
  });
});

describe("the encoding of XML", () => {
  const document = "<person><name>Zoë 😀</name></person>";
  const declared = (encoding: string): string => `<?xml version="1.0" encoding="${encoding}"?>${document}`;
  const mark = "\ufeff";

  // biome-ignore format: a table
  const read: readonly [what: string, content: Uint8Array, charset?: string][] = [
    ["UTF-8", utf8(document)],
    ["UTF-8 with a mark", utf8(mark + document)],
    ["UTF-8 with a charset", utf8(document), "utf-8"],
    ["UTF-8 with a declaration", utf8(declared("UTF-8"))],
    ["UTF-8 with all of them", utf8(mark + declared("utf-8")), "utf-8"],
    ["UTF-8 by another name", utf8(declared("utf8")), "utf8"],
    ["ASCII, which is UTF-8 too", utf8(declared("US-ASCII")), "us-ascii"],
    ["UTF-16, the lower byte first", utf16(document, "le")],
    ["UTF-16, the higher byte first", utf16(document, "be")],
    ["UTF-16 with a declaration", utf16(declared("UTF-16"), "be")],
    ["UTF-16 with a charset", utf16(document, "le"), "utf-16"],
    ["UTF-16 with its order in the charset", utf16(declared("utf-16be"), "be"), "utf-16be"],
  ];
  for (const [what, content, charset] of read) {
    it(`may be ${what}`, () => {
      assert.deepEqual(decoder.decode(content, xml(charset)), { name: "Zoë 😀" });
    });
  }

  const asUtf8 = "but the content is read as UTF-8, since no byte order mark says UTF-16";
  const asUtf16 = (order: "le" | "be"): string => `but the content is read as utf-16${order}, by its byte order mark`;
  const latin1 = (encoding: string): Buffer =>
    Buffer.from(`<?xml version='1.0' encoding='${encoding}'?>\n<person><name>Zo\xeb</name></person>`, "latin1");

  // biome-ignore format: a table
  const refused: readonly [what: string, content: Uint8Array, detail: string, charset?: string][] = [
    ["a charset against the mark of UTF-16", utf16(document, "le"), `The charset parameter says "utf-8", ${asUtf16("le")}`, "utf-8"],
    ["a charset of the other byte order", utf16(document, "le"), `The charset parameter says "utf-16be", ${asUtf16("le")}`, "utf-16be"],
    ["UTF-16 in the charset and no mark", utf16(document, "le", ""), `The charset parameter says "utf-16", ${asUtf8}`, "utf-16"],
    ["another charset", utf8(document), `The charset parameter says "iso-8859-1", ${asUtf8}`, "iso-8859-1"],
    ["a declaration of UTF-16 in UTF-8", utf8(declared("UTF-16")), `The XML declaration says "UTF-16", ${asUtf8}`],
    ["a declaration of UTF-8 in UTF-16", utf16(declared("UTF-8"), "be"), `The XML declaration says "UTF-8", ${asUtf16("be")}`],
    ["content in the other encoding that it declares", latin1("ISO-8859-1"), `The XML declaration says "ISO-8859-1", ${asUtf8}`],
    ["content that declares UTF-8 and is not", latin1("UTF-8"), "The content is not UTF-8: 0xEB at byte offset 55 begins no character"],
    ["an encoding with a long name", utf8(declared("x".repeat(1000))), `The XML declaration says "${"x".repeat(40)}…", ${asUtf8}`],
    ["UTF-16 without a mark", utf16(document, "le", ""), "UTF-16 and UTF-32 are not read without a byte order mark; send UTF-8"],
    ["UTF-16 in the other order without a mark", utf16(document, "be", ""), "UTF-16 and UTF-32 are not read without a byte order mark; send UTF-8"],
    ["no UTF-8 after a mark", Buffer.from("\xef\xbb\xbf\xff", "latin1"), "The content is not UTF-8: 0xFF at byte offset 3 begins no character"],
    ["half a character of UTF-16", utf16("<person/>\ud800", "le"), "The content is not utf-16le: it has half a character"],
    ["an odd byte of UTF-16", utf16("<person/>", "le").subarray(0, -1), "The content is not utf-16le: it has half a character"],
    ["two marks", utf8(mark + mark + document), "The content begins with two byte order marks"],
    ["UTF-32, whose mark begins as that of UTF-16", utf16("\0<\0", "le"), "The character U+0000 is not one of XML"],
  ];
  for (const [what, content, detail, charset] of refused) {
    it(`is refused: ${what}`, async () => {
      assert.equal((await refusalOf(() => decoder.decode(content, xml(charset)))).detail, detail);
    });
  }
});

describe("what the XML decoder refuses, and where", () => {
  const only = `only "${namespace}" is known here`;
  /** The texts that a message is for, each with its line and column. What the parser finds by itself has one example. */
  // biome-ignore format: a table
  const refused: readonly [detail: string, ...texts: (readonly [text: string, place: string])[]][] = [
    ["A document type (<!DOCTYPE) is not read; leave it out",
      ["<!DOCTYPE person><person/>", "1:1"],
      ['<?xml version="1.0"?>\n<!-- a -->\n<?b c?> <!DOCTYPE person SYSTEM "http://127.0.0.1/x.dtd"><person/>', "3:9"],
      ["<!DOCTYPE person [", "1:1"],
      ['<!DOCTYPE person [<!ENTITY x SYSTEM "file:///etc/passwd">]><person><name>&x;</name></person>', "1:1"],
      ['<!DOCTYPE person [<!ENTITY % x SYSTEM "http://127.0.0.1/">%x;]><person/>', "1:1"]],
    ["The XML is not well-formed: inappropriately located doctype declaration", ["<person/><!DOCTYPE person>", "1:18"]],
    ['The entity "&foo;" is not defined; &amp; &lt; &gt; &quot; and &apos; are', ["<person>\n<name>a&foo;</name></person>", "2:12"]],
    ["The & begins neither an entity nor a character; written as text it is &amp;",
      ["<person><name>a& b;</name></person>", "1:16"],
      ["<person>\n<name>Marks & Spencer</name>\n<!-- & --><address><a>&amp;</a></address></person>", "2:13"],
      ["<person><!-- & --><?a & ?><name><![CDATA[&]]> & </name></person>", "1:47"],
      ['<person a="b & c"/>', "1:14"],
      ["<person><name>&;</name></person>", "1:15"]],
    ["The XML is not well-formed: unclosed tag: name", ["<person><name><![CDATA[a & b]]>", "1:32"], ["<person><name>", "1:15"]],
    ['"&#0;" is not a character of XML', ["<person><name>&#0;</name></person>", "1:18"]],
    ['"&#xD800;" is not a character of XML', ["<person><name>&#xD800;</name></person>", "1:22"]],
    ['"&#x110000;" is not a character of XML', ["<person><name>&#x110000;</name></person>", "1:24"]],
    ["The character U+001B is not one of XML", ["<person><name>😀\u001b</name></person>", "1:16"]],
    ["The character U+FFFF is not one of XML", ["<person><!-- \uffff --></person>", "1:14"]],
    ["The value of an attribute has a <, which must be written &lt;", ['<person xmlns="<"/>', "1:16"]],
    ['"person/address" has the attribute "id"; attributes are not allowed', ['<person>\n  <address id="1"/></person>', "2:3"]],
    ['"person" has the attribute "xml:lang"; attributes are not allowed', ['<person xml:lang="en"/>', "1:1"]],
    [`"person" names the namespace "urn:x"; ${only}`, ['<person xmlns="urn:x"/>', "1:1"], ['<person xmlns:xi="urn:x"/>', "1:1"]],
    [`"person/x:name" names the namespace "urn:x"; ${only}`, ['<person><x:name xmlns:x="urn:x">a</x:name></person>', "1:9"]],
    [`"person/xml:name" names the namespace "http://www.w3.org/XML/1998/namespace"; ${only}`,
      ["<person><xml:name>a</xml:name></person>", "1:9"]],
    ['The root element is "people"; it must be "person"', ["\n<people/>", "2:1"]],
    ['"person/name" occurs twice', ["<person><name>a</name>\n<name>b</name></person>", "2:1"]],
    ['"person/p:name" occurs twice', [`<person xmlns:p="${namespace}"><name/><p:name/></person>`, "1:53"]],
    ['"person/toString" occurs twice', ["<person><toString/><toString/></person>", "1:20"]],
    ['"person" has text; it may contain only elements',
      ["<person>\n Ada</person>", "2:2"],
      ["<person><![CDATA[Ada]]></person>", "1:9"]],
    ['"person/address" has text; it may contain only elements', ["<person><address><a/>\n  Paris</address></person>", "2:3"]],
    ['"person/address/a" stands beside text', ["<person><address>Paris<a/></address></person>", "1:23"]],
    ["The XML is not well-formed: document must contain a root element", ["", "1:1"], [" \n", "2:1"], ["<person", "1:8"]],
    ["There is text outside the root element",
      ["Ada", "1:1"],
      ['{"name":"Ada"}', "1:1"],
      ["<person/>Ada", "1:10"],
      ["\n Ada <person/>", "2:2"],
      ["<person/><![CDATA[ ]]>", "1:10"]],
    ['The end tag "</b>" does not match the open element', ["<person><a></b></person>", "1:15"]],
    ['XML "1.1" is not read, only "1.0"', ['<?xml version="1.1"?><person/>', "1:1"]],
  ];
  for (const [detail, ...texts] of refused) {
    for (const [text, place] of texts) {
      it(JSON.stringify(text), async () => {
        const refusal = await refusalOf(() => decode(text));
        assert.deepEqual([refusal.detail, `${refusal.line}:${refusal.column}`], [detail, place]);
      });
    }
  }

  it("repeats at most some forty characters of a long name", async () => {
    const long = "n".repeat(100_000);
    const texts = [
      `<${long}/>`,
      `<person><${long}>`,
      `<person><${long} a=""/></person>`,
      `<person ${long}=""/>`,
      `<person xmlns="${long}"/>`,
      `<person><${long}:a/></person>`,
      `<person></${long}></person>`,
      `<person/></${long}>`,
      `<person>&${long};</person>`,
      `<person>&#${long};</person>`,
    ];
    for (const text of texts) {
      const { message } = await refusalOf(() => decode(text));
      assert.ok(message.length < 250, text.slice(0, 20));
    }
  });
});

describe("the bounds of the XML decoder", () => {
  const nested = (depth: number): string => `<person>${"<a>".repeat(depth - 1)}x${"</a>".repeat(depth - 1)}</person>`;

  it("reads 64 levels of elements, and refuses the 65th", async () => {
    assert.deepEqual(Object.keys(decode(nested(64)) as object), ["a"]);
    const { message } = await refusalOf(() => decode(nested(65)));
    assert.equal(message, "Elements nest more than 64 deep at line 1, column 198");
  });

  it("reads 10,000 elements, and refuses the next", async () => {
    const elements = (count: number): string => Array.from({ length: count }, (_, i) => `<a${i}/>\n`).join("");
    const value = await decode(`<person>${elements(9_999)}</person>`);
    assert.equal(Object.keys(value as object).length, 9_999);
    const { message } = await refusalOf(() => decode(`<person>\n${elements(10_000)}</person>`));
    assert.equal(message, "There are more than 10000 elements at line 10001, column 1");
  });

  it("reads 1,000 attributes, and refuses the next", async () => {
    const declarations = (count: number): string =>
      Array.from({ length: count }, (_, i) => ` xmlns:a${i}="${namespace}"`).join("");
    assert.deepEqual(await decode(`<person${declarations(1000)}/>`), {});
    const { message } = await refusalOf(() => decode(`<person><b${declarations(1001)}/></person>`));
    assert.equal(message, "There are more than 1000 attributes at line 1, column 9");
  });

  it("reads names of 1,000 characters, and refuses longer ones", async () => {
    const name = "a".repeat(1000);
    assert.deepEqual(await decode(`<person><${name}>x</${name}></person>`), { [name]: "x" });
    const { detail } = await refusalOf(() => decode(`<person><${name}a>x</${name}a></person>`));
    assert.equal(detail, `The name of the element "${"a".repeat(40)}…" is longer than 1000 characters`);
  });

  it("reads a long document as it reads a short one, wherever its pieces end", async () => {
    const text = "a]b\r\n😀&amp;<!-- - --><![CDATA[<]]>".repeat(2000);
    const value = await decode(`<person>\r\n<description>${text}</description><id>7</id></person>`);
    assert.deepEqual(value, { description: "a]b\n😀&<".repeat(2000), id: 7 });
    const { message } = await refusalOf(() => decode(`<person><a>${"x\r\n".repeat(50_000)}&b;</a></person>`));
    assert.equal(
      message,
      'The entity "&b;" is not defined; &amp; &lt; &gt; &quot; and &apos; are at line 50001, column 3',
    );
  });

  it("refuses what would grow, before it grows", async () => {
    const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join("");
    const texts = {
      "a billion laughs": `<!DOCTYPE person [<!ENTITY l0 "lol">${laughs}]><person><name>&l9;</name></person>`,
      "a quadratic blow-up": `<!DOCTYPE person [<!ENTITY x "${"x".repeat(50_000)}">]><person>${"&x;".repeat(50_000)}</person>`,
      "100,000 levels": "<person>".repeat(100_000),
      "200,000 attributes": `<person${Array.from({ length: 200_000 }, (_, i) => ` a${i}=""`).join("")}/>`,
      "an attribute of 10 MB": `<person a="${"x".repeat(10_000_000)}"/>`,
    };
    for (const [what, text] of Object.entries(texts)) {
      const { line } = await refusalOf(() => decode(text));
      assert.equal(line, 1, what);
    }
  });
});

describe("every XML document", () => {
  // Characters that XML 1.0 §2.2 has, save the carriage return, which is read as a line feed unless it is escaped.
  const character = fc
    .integer({ min: 0x20, max: 0x10ffff })
    .filter((code) => !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfffe && code !== 0xffff)
    .map((code) => String.fromCodePoint(code));
  const text = fc.string({ unit: fc.oneof(character, fc.constantFrom("\t", "\n", "\r", "<", "&", ">", "]", "]]>")) });
  const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.-]{0,8}$/);
  const value = fc.letrec((tie) => ({
    object: fc.dictionary(name, fc.oneof({ depthSize: "small" }, text, tie("object")), {
      minKeys: 1,
      noNullPrototype: true,
    }),
  })).object;

  const escaped = (leaf: string): string =>
    leaf.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");
  const elements = (members: object): string =>
    Object.entries(members)
      .map(([name, member]) => `<${name}>${typeof member === "string" ? escaped(member) : elements(member)}</${name}>`)
      .join("\n");
  const documentOf = (members: unknown): string => `<person>${elements(members as object)}</person>`; // value gives objects

  it("is read as the value it was written from", async () => {
    const { decode } = xmlDecoder({ root: "person" });
    await fc.assert(
      fc.asyncProperty(value, async (members) => {
        for (const content of [utf8(documentOf(members)), utf16(documentOf(members), "be")]) {
          assert.deepEqual(await decode(content, xml()), members);
        }
      }),
      { numRuns: 100 },
    );
  });

  it("that is damaged is read or refused at a place in it, and nothing else", async () => {
    const damage = fc.oneof(
      fc.constantFrom("<", ">", "&", "/", "<!DOCTYPE", "<![CDATA[", "]]>", "<!--", "<?", '"', "\u0000"),
      character,
    );
    await fc.assert(
      fc.asyncProperty(value, damage, fc.nat(), fc.nat({ max: 5 }), async (members, inserted, place, removed) => {
        const document = documentOf(members);
        const at = place % (document.length + 1);
        const damaged = `${document.slice(0, at)}${inserted}${document.slice(at + removed)}`.toWellFormed();
        try {
          await decode(damaged);
        } catch (error) {
          assert.ok(error instanceof ContentError, String(error));
          const lines = damaged.split(/\r\n|\n|\r/);
          const line = lines[(error.line ?? 0) - 1];
          assert.ok(line !== undefined, `line ${error.line} of ${lines.length}`);
          assert.ok(
            error.column !== undefined && error.column >= 1 && error.column <= [...line].length + 2,
            error.message,
          );
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
