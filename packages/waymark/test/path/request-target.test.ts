import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeSegment, encodeLiteral, parseTarget } from "../../src/path/target.ts";
import { HttpError } from "../../src/problem.ts";
import { anyText } from "../tools/any-text.ts";
import { runs } from "../tools/runs.ts";

/** The detail of the problem that the target is refused with; undefined when it is accepted. */
const refusal = (target: string): string | undefined => {
  try {
    parseTarget(target);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    assert.equal(error.response.status, 400);
    const { type, detail } = JSON.parse(String(error.response.body));
    assert.equal(type, "/problems/malformed-target");
    return detail;
  }
};

const curl = ' With curl, -G --data-urlencode "name=value" writes a query so.';

describe("parseTarget", () => {
  const accepted: readonly (readonly [target: string, path: string, search?: string])[] = [
    ["/", "/"],
    ["/person/1", "/person/1"],
    ["/person?limit=2", "/person", "limit=2"],
    ["/person?", "/person"],
    ["/?", "/"],
    ["/a?b?c", "/a", "b?c"],
    ["/a?/../%2e%zz\\", "/a", "/../%2e%zz\\"],
    ["/a?q=%20%C3%A9+%0A", "/a", "q=%20%C3%A9+%0A"],
    ["/Person/1/", "/Person/1/"],
    ["//person//1", "//person//1"],
    ["//evil.example/x", "//evil.example/x"],
    ["/a;v=2/b;c", "/a;v=2/b;c"],
    ["/!\"$&'()*+,-.:;<=>@[]^_`{|}~", "/!\"$&'()*+,-.:;<=>@[]^_`{|}~"],
    ["/%31", "/1"],
    ["/%70erson/1", "/person/1"],
    ["/caf%C3%A9", "/café"],
    ["/caf%c3%a9/%F0%9F%98%80", "/café/😀"],
    ["/%EF%BB%BF", "/\ufeff"],
    ["/%20%22%3F%23", '/ "?#'],
    ["/a%5Cb", "/a\\b"],
    ["/a%2Fb", "/a%2Fb"],
    ["/a%2fb", "/a%2Fb"],
    ["/100%25", "/100%25"],
    ["/%2531", "/%2531"],
    ["/%252e%252e/%252F", "/%252e%252e/%252F"],
    ["/%25%32%66", "/%252f"],
    ["/%7e%41%2D", "/~A-"],
    ["/.well-known/x", "/.well-known/x"],
    ["/...", "/..."],
    ["/%2e%2e%2e", "/..."],
    ["/a.", "/a."],
    ["/a..", "/a.."],
    ["/..a", "/..a"],
    ["/..;x", "/..;x"],
    ["/..%2Fa", "/..%2Fa"],
    ["/%C2%A0", "/\u00a0"],
    ["http://example.com/person/1?x=1", "/person/1", "x=1"],
    ["https://example.com/", "/"],
    ["HTTP://EXAMPLE.COM/A", "/A"],
    ["http://example.com", "/"],
    ["http://example.com:8080", "/"],
    ["http://example.com?x=/y", "/", "x=/y"],
    ["http://[::1]:80/%70?", "/p"],
    ["http://a/@b", "/@b"],
    ["http://example.com//a", "//a"],
    ["*", "*"],
  ];
  for (const [target, path, search = ""] of accepted) {
    it(`reads ${target}`, () => assert.deepEqual(parseTarget(target), { path, search }));
  }

  const form = (shown: string): string =>
    `The target must begin with "/" or be an absolute http or https URI, not ${shown}.`;
  const refused: readonly (readonly [target: string, detail: string])[] = [
    ["", form(`""`)],
    ["person", form('"person"')],
    ["?q", form('"?q"')],
    ["*/x", form('"*/x"')],
    ["*?x", form('"*?x"')],
    [" /a", form('" /a"')],
    ["example.com:443", form('"example.com:443"')],
    ["ftp://example.com/a", form('"ftp://example.com/a"')],
    ["http://user@[::1]:80/p", "The target has user information before its host; leave it out."],
    ["http://ada:secret@example.com", "The target has user information before its host; leave it out."],
    ["http:/a", form('"http:/a"')],
    ["http://", form('"http://"')],
    ["http:///a", form('"http:///a"')],
    ["http://?x", form('"http://?x"')],
    ["http://a\\b/c", form('"http://a\\\\b/c"')],
    ["http://a b/c", form('"http://a b/c"')],
    ["http://a|b/c", form('"http://a|b/c"')],
    ["https:example.com", form('"https:example.com"')],
    ["é\n\u009b", form('"é\\n\\u009b"')],
    [`x${"y".repeat(9000)}`, form(`"x${"y".repeat(39)}…"`)],
    ["/a/%zz", "The path has a malformed percent escape at offset 3."],
    ["/person/%", "The path has a malformed percent escape at offset 8."],
    ["/%4", "The path has a malformed percent escape at offset 1."],
    ["/%%41", "The path has a malformed percent escape at offset 1."],
    ["/a%2/", "The path has a malformed percent escape at offset 2."],
    ["/%u0041", "The path has a malformed percent escape at offset 1."],
    ["http://example.com/%zz", "The path has a malformed percent escape at offset 1."],
    ["/%C3%28", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/%C3%A9%80", "The path has percent escapes that are not UTF-8 at offset 7."],
    ["/%C3/%A9", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/a%2F%25%41%FF", "The path has percent escapes that are not UTF-8 at offset 11."],
    ["/%C3%2F", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/%C0%AF", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/%E0%80%AF", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/%C0%AE%C0%AE/", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/%E2%82%AC%ED%A0%80", "The path has percent escapes that are not UTF-8 at offset 10."],
    ["/%F0%9F%98%80%F4%90%80%80", "The path has percent escapes that are not UTF-8 at offset 13."],
    ["/%F0%9F%98", "The path has percent escapes that are not UTF-8 at offset 1."],
    ["/.", "The path has a dot segment at offset 0."],
    ["/..", "The path has a dot segment at offset 0."],
    ["/./a", "The path has a dot segment at offset 0."],
    ["/person/../person/1", "The path has a dot segment at offset 7."],
    ["/a/..?x", "The path has a dot segment at offset 2."],
    ["/a/%2e%2E/b", "The path has a dot segment at offset 2."],
    ["/a/.%2e", "The path has a dot segment at offset 2."],
    ["/%2e", "The path has a dot segment at offset 0."],
    ["//../a", "The path has a dot segment at offset 1."],
    ["http://example.com/..", "The path has a dot segment at offset 0."],
    ["/a\\b", 'The path has a backslash, which must be "/" or "%5C", at offset 2.'],
    ["/..\\a", 'The path has a backslash, which must be "/" or "%5C", at offset 3.'],
    ["/a#b", 'The path has a "#", which a request target cannot carry, at offset 2.'],
    ["/a?b#c", 'The query has a "#", which a request target cannot carry, at offset 1.'],
    ["/a b", "The path has a space, which must be written as %20, at offset 2."],
    ["/a?b c", `The query has a space, which must be written as %20, at offset 1.${curl}`],
    ["/café", 'The path has the character "é", which must be written as %C3%A9, at offset 4.'],
    ["/a?café", `The query has the character "é", which must be written as %C3%A9, at offset 3.${curl}`],
    ["/😀", 'The path has the character "😀", which must be written as %F0%9F%98%80, at offset 1.'],
    ["/\u200d", "The path has the character U+200D, which must be written as %E2%80%8D, at offset 1."],
    ["/a\ud83d", "The path has the lone surrogate U+D83D at offset 2."],
    ["/a?\udc00", "The query has the lone surrogate U+DC00 at offset 0."],
    ["/a\n", "The path has the control character U+000A at offset 2."],
    ["/a\u007f", "The path has the control character U+007F at offset 2."],
    ["/a\u0085", "The path has the control character U+0085 at offset 2."],
    ["/a?b\u0000", "The query has the control character U+0000 at offset 1."],
    ["/a?b\n", "The query has the control character U+000A at offset 1."],
    ["/a%00", "The path has an escaped control character at offset 2."],
    ["/caf%C3%A9%0a", "The path has an escaped control character at offset 10."],
    ["/%1F", "The path has an escaped control character at offset 1."],
    ["/%7f", "The path has an escaped control character at offset 1."],
    ["/%c2%85", "The path has an escaped control character at offset 1."],
  ];
  for (const [target, detail] of refused) {
    const name = target.length > 40 ? `a text of ${target.length} characters` : JSON.stringify(target);
    it(`refuses ${name}`, () => assert.equal(refusal(target), detail));
  }

  it("reads targets far longer than 8,000 octets", () => {
    const units = { a: "a", "/": "/", "/a": "/a", "%41": "A", "%2f": "%2F", "/.a": "/.a", "%C3%A9": "é" };
    for (const [unit, canonical] of Object.entries(units)) {
      const { path, search } = parseTarget(`/${unit.repeat(500_000)}?${unit.repeat(500_000)}`);
      assert.ok(path === `/${canonical.repeat(500_000)}`, unit);
      assert.ok(search === unit.repeat(500_000), unit);
    }
    assert.equal(
      refusal(`/${"%C3%A9".repeat(200_000)}%FF`),
      "The path has percent escapes that are not UTF-8 at offset 1200001.",
    );
  });

  const tricky = fc
    .array(
      fc.constantFrom(
        ..."/ / / a b a b : ; @ ~ %61 %7e %25 %2f %20 %c3%a9".split(" "),
        ..."/ . .. %2e %2E %2f %2F %25 %41 a Z ? # \\ %5c %00 %7F %C2%85 %C3%A9 %C3 %A9 %zz % é".split(" "),
        ...["\n", " ", "\ud800", "😀", "http://h", "/"],
      ),
      { maxLength: 8 },
    )
    .map((pieces) => `/${pieces.join("")}`);

  it("agrees with a plain reading of the bytes, one after the other", () => {
    fc.assert(
      fc.property(tricky, (target) => {
        const expected = plainReading(target);
        if (expected === undefined) assert.ok(refusal(target));
        else assert.deepEqual(parseTarget(target), expected);
      }),
      { numRuns: runs(400) },
    );
  });

  it("bounds its messages, and keeps them free of what the client sent beyond 40 characters", () => {
    fc.assert(
      fc.property(fc.oneof(tricky, anyText({ maxLength: 3000, size: "max" })), (target) => {
        assert.ok((refusal(target) ?? "").length <= 340);
      }),
    );
  });

  const segment = fc
    .string({ unit: "grapheme" })
    .filter((text) => text !== "." && text !== ".." && !/\p{Cc}/u.test(text) && text.isWellFormed());
  const segments = fc.array(
    fc.oneof(segment, fc.constantFrom("", "%", "/", "%2F", "%25", "a/../b", "\\", "?", "#", "é")),
    {
      minLength: 1,
    },
  );
  const written = (parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join("/")}`;
  const decoded = (path: string): readonly string[] => path.split("/").slice(1).map(decodeSegment);

  it("gives back any segments that encodeURIComponent has written", () => {
    fc.assert(
      fc.property(segments, (parts) => assert.deepEqual(decoded(parseTarget(written(parts)).path), parts)),
      { numRuns: runs(100) },
    );
  });

  it("has one canonical path for every spelling of the same segments", () => {
    const spelling = fc.infiniteStream(fc.constantFrom(0, 1, 2));
    fc.assert(
      fc.property(segments, spelling, (parts, choices) => {
        const target = written(parts);
        const respelled = target.replace(/%[0-9A-F]{2}|[^/]/g, (character) => {
          const choice = choices.next().value;
          if (character.length === 1 && choice > 0) {
            character = `%${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
          }
          return choice === 2 ? character.replace(/^%../, (escaped) => escaped.toUpperCase()) : character;
        });
        assert.equal(parseTarget(respelled).path, parseTarget(target).path);
      }),
    );
  });

  it("reads a canonical path that is written out again as that path", () => {
    fc.assert(
      fc.property(tricky, (target) => {
        const canonical = plainReading(target)?.path;
        if (canonical === undefined) return;
        assert.equal(parseTarget(written(decoded(canonical))).path, canonical);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe("decodeSegment", () => {
  const cases: readonly (readonly [segment: string, text: string])[] = [
    ["", ""],
    ["person", "person"],
    ["a%2Fb", "a/b"],
    ["100%25", "100%"],
    ["%252F", "%2F"],
    ["%2525", "%25"],
    ["%2F%25%2F", "/%/"],
  ];
  for (const [segment, text] of cases) {
    it(`${JSON.stringify(segment)} is ${JSON.stringify(text)}`, () => assert.equal(decodeSegment(segment), text));
  }
});

describe("encodeLiteral", () => {
  it("spells literal text as it stands in a canonical path", () => {
    assert.equal(encodeLiteral("50%"), "50%25");
    assert.equal(encodeLiteral("%2F"), "%252F");
    assert.equal(encodeLiteral("/café au lait"), "/café au lait");
  });

  it("matches the target that names the text", () => {
    const text = fc
      .string({ unit: "grapheme" })
      .filter((value) => value !== "." && value !== ".." && !/[\p{Cc}/]/u.test(value) && value.isWellFormed());
    fc.assert(
      fc.property(text, (value) => {
        assert.equal(parseTarget(`/${encodeURIComponent(value)}`).path, `/${encodeLiteral(value)}`);
        assert.equal(decodeSegment(encodeLiteral(value)), value);
      }),
    );
  });
});

/** What the target is in the words of RFC 3986, read octet by octet; undefined when it is to be refused. */
function plainReading(target: string): { path: string; search: string } | undefined {
  const [raw = "", ...rest] = target.split("?");
  const search = rest.join("?");
  for (const character of target) if (character <= " " || character > "~" || character === "#") return undefined;
  if (raw.includes("\\")) return undefined;
  const path: string[] = [];
  for (const segment of raw.split("/")) {
    const octets: number[] = [];
    for (let i = 0; i < segment.length; i++) {
      if (segment[i] !== "%") {
        octets.push(segment.charCodeAt(i));
        continue;
      }
      const digits = segment.slice(i + 1, i + 3);
      if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
      octets.push(Number.parseInt(digits, 16));
      i += 2;
    }
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(new Uint8Array(octets));
    } catch {
      return undefined;
    }
    if (text === "." || text === ".." || /\p{Cc}/u.test(text)) return undefined;
    path.push(text.replace(/[%/]/g, (character) => (character === "%" ? "%25" : "%2F")));
  }
  return { path: path.join("/"), search };
}
