import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { HeaderList } from "waymark/fields";
import type { HeaderFields } from "../../src/fields/header-list.ts";
import {
  addHttp2Fields,
  fieldLines,
  mayShareNames,
  parsedHeaders,
  rememberValues,
  webHeaders,
} from "../../src/fields/header-list.ts";
import { heapUsed } from "../tools/heap-used.ts";

describe("HeaderList.of", () => {
  it("keeps the fields in order, and a list of values as a line each", () => {
    const list = HeaderList.of({ Vary: "Accept", "Set-Cookie": ["a=1", "b=2"], "X-Empty": "" });
    assert.deepEqual(list.flat, ["Vary", "Accept", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "X-Empty", ""]);
    assert.deepEqual(
      [...list],
      [
        ["Vary", "Accept"],
        ["Set-Cookie", "a=1"],
        ["Set-Cookie", "b=2"],
        ["X-Empty", ""],
      ],
    );
  });

  it("has no field where a list is empty", () => {
    assert.deepEqual(HeaderList.of({ "Set-Cookie": [] }).flat, []);
  });

  const noName = "is not a header field name";
  const refused: readonly (readonly [fields: object, message: RegExp])[] = [
    ...["", "a b", "a:", "a\n", "ä"].map(
      (name) => [{ [name]: "x" }, new RegExp(`^${RegExp.escape(JSON.stringify(name))} ${noName}$`)] as const,
    ),
    [{ "X-A": "1\r\nX-B: 2" }, /^The value of X-A has a character that a header field cannot carry: "1\\r\\nX-B: 2"$/],
    ...["1\n", "\0", "\x7f", "ś", ["fine", "not\rfine"]].map((value) => [{ "X-A": value }, /cannot carry/] as const),
    [{ "X-A": undefined }, /^The value of X-A must be a string, not undefined$/],
    [{ "X-A": null }, /^The value of X-A must be a string, not null$/],
    [{ "X-A": ["5", 5] }, /^The value of X-A must be a string, not number$/],
  ];
  for (const [fields, message] of refused) {
    it(`refuses ${JSON.stringify(fields, (_, value) => value ?? String(value))}`, () => {
      // As JavaScript callers can: some of these are not of the type.
      assert.throws(() => HeaderList.of(fields as HeaderFields), { name: "TypeError", message });
    });
  }

  it("takes tabs and the characters up to U+00FF", () => {
    assert.equal(HeaderList.of({ "X-A": "a\tb é ÿ" }).get("X-A"), "a\tb é ÿ");
  });
});

describe("reading a list", () => {
  const list = HeaderList.of({ Accept: "text/plain", accept: "text/csv", COOKIE: ["a=1", "b=2"], "X-One": "1" });

  it("finds a value by a name in any case", () => {
    for (const name of ["X-One", "x-one", "X-ONE"]) assert.equal(list.get(name), "1");
  });

  it("joins the lines of a field with a comma, and those of Cookie with a semicolon; or gives them one by one", () => {
    assert.equal(list.get("Accept"), "text/plain, text/csv");
    assert.equal(list.get("Cookie"), "a=1; b=2");
    assert.deepEqual(list.getAll("ACCEPT"), ["text/plain", "text/csv"]);
    assert.deepEqual(list.getAll("X-One"), ["1"]);
  });

  it("distinguishes an absent field from an empty one", () => {
    const empty = HeaderList.of({ "X-Empty": "" });
    assert.deepEqual([empty.get("X-Empty"), empty.has("X-Empty"), empty.getAll("X-Empty")], ["", true, [""]]);
    assert.deepEqual([empty.get("X-None"), empty.has("X-None"), empty.getAll("X-None")], [undefined, false, []]);
  });

  it("finds no field that is only a property of objects", () => {
    for (const name of ["constructor", "toString", "__proto__", "hasOwnProperty"]) {
      assert.equal(list.get(name), undefined);
      assert.equal(list.has(name), false);
    }
  });

  it("does not take a value for a name", () => {
    const misleading = HeaderList.of({ "X-A": "X-B", "X-C": "X-A" });
    assert.equal(misleading.has("X-B"), false);
    assert.deepEqual(misleading.without("X-B").flat, ["X-A", "X-B", "X-C", "X-A"]);
    assert.deepEqual(misleading.without("X-A").flat, ["X-C", "X-A"]);
  });
});

describe("a list that remembers what it is asked for", () => {
  const fields = { Accept: "text/plain", accept: "text/csv", COOKIE: ["a=1", "b=2"] };

  it("returns the same as a new list, whatever was read before", () => {
    const list = HeaderList.of(fields);
    rememberValues(list);
    const names = [...Array.from({ length: 40 }, (_, n) => `X-${n}`), "Accept", "ACCEPT", "cookie", "Cookies"];
    for (const name of [...names, ...names.toReversed()]) assert.equal(list.get(name), HeaderList.of(fields).get(name));
    assert.equal(list.without("Accept").get("Accept"), undefined);
    assert.equal(list.withAdded("Accept", "a/b").get("Accept"), "text/plain, text/csv, a/b");
  });

  it("takes no memory for each name that it is asked for", () => {
    const list = HeaderList.of({ "X-0": "0" });
    rememberValues(list);
    const before = heapUsed();
    for (let n = 0; n < 500_000; n++) list.get(`X${`${n}`.padStart(34, "0")}`);
    assert.ok(heapUsed() - before < 5_000_000);
    assert.equal(list.get("X-0"), "0");
  });
});

describe("a changed list", () => {
  const list = HeaderList.of({ "X-A": ["1", "2"], "X-B": "3" });

  it("has the value that `with` gave, one more line after `withAdded`, and none of the name after `without`", () => {
    assert.deepEqual(list.with("x-a", "4").flat, ["X-B", "3", "x-a", "4"]);
    assert.deepEqual(list.with("X-C", "4").flat, ["X-A", "1", "X-A", "2", "X-B", "3", "X-C", "4"]);
    assert.deepEqual(list.withAdded("x-b", "4").getAll("X-B"), ["3", "4"]);
    assert.deepEqual(list.without("X-a").flat, ["X-B", "3"]);
    assert.equal(list.without("X-C"), list, "there is nothing to take away");
  });

  it("has the fields of the other behind its own after `concat`, and does not differ from one of that form", () => {
    const joined = list.concat(HeaderList.of({ "X-C": "4" })).concat(HeaderList.of({ "x-b": "5", Cookie: "a=1" }));
    const flat = ["X-A", "1", "X-A", "2", "X-B", "3", "X-C", "4", "x-b", "5", "Cookie", "a=1"];
    assert.deepEqual(joined.flat, flat);
    assert.deepEqual(fieldLines(joined), fieldLines(parsedHeaders(flat)));
    assert.deepEqual([joined.get("X-B"), joined.get("X-a"), joined.get("X-D")], ["3, 5", "1, 2", undefined]);
    assert.deepEqual(
      ["X-A", "x-c", "COOKIE", "X-D"].map((name) => joined.has(name)),
      [true, true, true, false],
    );
    assert.deepEqual(joined.getAll("X-B"), ["3", "5"]);
    assert.deepEqual(joined.without("X-B").flat, ["X-A", "1", "X-A", "2", "X-C", "4", "Cookie", "a=1"]);
    assert.deepEqual(joined.with("X-A", "6").get("X-A"), "6");
    assert.deepEqual([...joined].length, 6);
  });

  it("is the one of two lists that has fields, where the other has none", () => {
    assert.equal(list.concat(HeaderList.empty), list);
    assert.equal(HeaderList.empty.concat(list), list);
    assert.equal(HeaderList.of({}).concat(HeaderList.of({})).isEmpty, true);
    assert.equal(list.concat(list).isEmpty, false);
  });

  it("leaves the list it came of as it was", () => {
    list.with("X-A", "9").withAdded("X-B", "9").without("X-A").withMembers("X-B", ["9"]);
    assert.deepEqual(list.flat, ["X-A", "1", "X-A", "2", "X-B", "3"]);
  });

  it("refuses what `of` refuses", () => {
    assert.throws(() => list.with("X-A", "a\nb"), TypeError);
    assert.throws(() => list.withAdded("X A", "a"), TypeError);
    // As JavaScript callers can: a header that the other message lacks.
    assert.throws(() => list.with("X-A", undefined as unknown as string), /must be a string, not undefined/);
  });
});

describe("withMembers", () => {
  const cases: readonly (readonly [current: string | undefined, members: string[], result: string | undefined])[] = [
    [undefined, [], undefined],
    [undefined, ["Accept"], "Accept"],
    [undefined, ["Accept", "Origin"], "Accept, Origin"],
    [undefined, ["Accept", "accept"], "Accept"],
    ["", ["Accept"], "Accept"],
    ["Origin", ["Accept"], "Origin, Accept"],
    ["Origin ,Accept", ["Accept"], "Origin ,Accept"],
    ["origin", ["Accept", "Origin"], "origin, Accept"],
    ["Accept-Encoding", ["Accept"], "Accept-Encoding, Accept"],
  ];
  for (const [current, members, result] of cases) {
    it(`makes ${JSON.stringify(result)} of ${JSON.stringify(current)} and ${members.join(" and ") || "none"}`, () => {
      const list = current === undefined ? HeaderList.empty : HeaderList.of({ Vary: current });
      assert.equal(list.withMembers("Vary", members).get("Vary"), result);
    });
  }

  it("makes one line of several when it adds to them", () => {
    const list = HeaderList.of({ Vary: ["Origin", "Accept"] }).withMembers("vary", ["Prefer"]);
    assert.deepEqual(list.getAll("Vary"), ["Origin, Accept, Prefer"]);
  });

  it("gives the list itself when it names them all", () => {
    const list = HeaderList.of({ Vary: "Accept, Origin" });
    assert.equal(list.withMembers("Vary", ["origin", "accept"]), list);
  });
});

describe("any list", () => {
  const name = fc.constantFrom("A", "a", "B", "b", "Cookie", "Set-Cookie");
  const value = fc.string({ unit: fc.constantFrom("x", "y", "=", ";", ","), maxLength: 3 });
  const fields = fc.array(fc.tuple(name, value), { maxLength: 6 });
  const listOf = (lines: readonly (readonly [string, string])[]): HeaderList => parsedHeaders(lines.flat());

  it("gives back what was put in, and keeps every other field as it is", () => {
    fc.assert(
      fc.property(fields, name, value, (lines, field, given) => {
        const others = lines.filter(([each]) => each.toLowerCase() !== field.toLowerCase());
        assert.deepEqual([...listOf(lines).without(field)], others);
        assert.deepEqual([...listOf(lines).with(field, given)], [...others, [field, given]]);
        assert.deepEqual([...listOf(lines).withAdded(field, given)], [...lines, [field, given]]);
        assert.equal(listOf(lines).with(field, given).get(field), given);
        assert.equal(listOf(lines).without(field).has(field), false);
      }),
    );
  });
});

describe("the list of a web message", () => {
  const name = fc.constantFrom("A", "a", "B", "Cookie", "Set-Cookie");
  const lines = fc.array(fc.tuple(name, fc.constantFrom("", "1", "x=y")), { maxLength: 6 });

  it("is as one that has been copied, before and after all of its fields are read", () => {
    fc.assert(
      fc.property(lines, name, (given, field) => {
        const headers = new Headers(given);
        const [list, copied] = [webHeaders(headers), parsedHeaders([...headers].flat())];
        const other = HeaderList.of({ "X-A": "1", [field]: "2" });
        for (let time = 0; time < 2; time++) {
          assert.equal(list.get(field), copied.get(field));
          assert.equal(list.has(field), copied.has(field));
          assert.equal(mayShareNames(list, other), copied.has(field));
          assert.ok(mayShareNames(other, list) || !copied.has(field));
          assert.deepEqual(other.concat(webHeaders(headers)).get(field), other.concat(copied).get(field));
          assert.equal(webHeaders(headers).isEmpty, copied.isEmpty);
          assert.deepEqual(webHeaders(headers).without(field).flat, copied.without(field).flat);
          assert.deepEqual(list.getAll(field), copied.getAll(field));
          assert.deepEqual(list.flat, copied.flat);
        }
      }),
    );
  });

  it("has nothing under what is not a name", () => {
    for (const text of ["", "a b", "ä"]) assert.equal(webHeaders(new Headers({ A: "1" })).get(text), undefined);
  });
});

describe("the fields of a list over HTTP/2", () => {
  const http2Fields = (list: HeaderList): readonly string[] => {
    const fields = [":status", "200"];
    addHttp2Fields(list, fields);
    return fields.slice(2);
  };

  it("have names in lower case, in order, the same each time", () => {
    const list = HeaderList.of({ Vary: "Accept", "Set-Cookie": ["A=1", "b=2"] }).concat(HeaderList.of({ "X-A": "" }));
    const expected = ["vary", "Accept", "set-cookie", "A=1", "set-cookie", "b=2", "x-a", ""];
    assert.deepEqual(http2Fields(list), expected);
    assert.deepEqual(http2Fields(list), expected);
    assert.deepEqual(http2Fields(HeaderList.empty), []);
  });

  it("are without those that the sender sets, and those of a connection", () => {
    const names = ["Date", "CONNECTION", "content-length", "Upgrade", "Proxy-Connection", "HTTP2-Settings", "TE"];
    const list = HeaderList.of(Object.fromEntries([...names, "Content-Type"].map((name) => [name, "1"])));
    assert.deepEqual(http2Fields(list), ["content-type", "1"]);
  });
});

describe("the lines of a list", () => {
  it("are those of a message, in order", () => {
    const list = HeaderList.of({ Vary: "Accept", "Set-Cookie": ["a=1", "b=2"], "X-Empty": "" });
    assert.equal(fieldLines(list), "Vary: Accept\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Empty: \r\n");
    assert.equal(fieldLines(HeaderList.empty), "");
  });

  it("are without the fields that the sender of a message sets", () => {
    const names = [
      "Date",
      "TRAILER",
      "connection",
      "Keep-Alive",
      "Content-Length",
      "transfer-encoding",
      "Content-Type",
    ];
    const list = HeaderList.of(Object.fromEntries(names.map((name) => [name, "1"])));
    assert.equal(fieldLines(list), "Content-Type: 1\r\n");
  });

  it("are checked in what was made of a list that nobody has checked", () => {
    const list = HeaderList.of({ "X-C": "3" }).concat(parsedHeaders(["X-A", "1\r\nX-B: 2"]));
    for (const each of [list.withAdded("X-D", "4"), list.with("X-C", "5"), list.without("X-C")]) {
      assert.throws(() => fieldLines(each), TypeError);
    }
  });

  const unsound: readonly (readonly string[])[] = [
    ["X-A", "1\r\nX-B: 2"],
    ["X-A", "\0"],
    ["X-A", "ś"],
    ["X-A: 1\r\nX-B", "2"],
    ["", "1"],
  ];
  for (const fields of unsound) {
    it(`are refused where nobody has checked ${JSON.stringify(fields)}, alone or among others`, () => {
      const list = parsedHeaders(fields);
      const sound = HeaderList.of({ "X-C": "3" });
      for (const each of [list, list.concat(sound), sound.concat(list)]) {
        assert.throws(() => fieldLines(each), TypeError);
        assert.throws(() => fieldLines(each), TypeError, "the second time too");
        assert.throws(() => addHttp2Fields(each, []), TypeError, "over HTTP/2");
      }
    });
  }
});
