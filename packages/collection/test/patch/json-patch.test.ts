import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createPatch } from "rfc6902";
import { applyPatch } from "../../src/patch/apply-patch.ts";
import { parsePatch, parsePointer } from "../../src/patch/json-patch.ts";

const add = (path: string, value: unknown) => ({ op: "add", path, value });
const replace = (path: string, value: unknown) => ({ op: "replace", path, value });
const test = (path: string, value: unknown) => ({ op: "test", path, value });
const remove = (path: string) => ({ op: "remove", path });
const move = (from: string, path: string) => ({ op: "move", from, path });
const copy = (from: string, path: string) => ({ op: "copy", from, path });

/** What the patch makes of the target, which it leaves as it is; or how it ends, and at which operation. */
function outcomeOf(target: unknown, patch: unknown): unknown {
  const operations = parsePatch(patch);
  assert.ok(operations.issues === undefined, JSON.stringify(operations.issues));
  const before = structuredClone(target);
  const outcome = applyPatch(target, operations.value);
  assert.deepEqual(target, before, "the target is as it was");
  return outcome.kind === "patched" ? outcome.value : outcome;
}

describe("a JSON Patch", () => {
  it("that another library makes of two values makes the one the other", () => {
    const name = fc.constantFrom("a", "b", "a/b", "~", "~1", "", "0", "-", "é");
    const value = fc.letrec((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string({ maxLength: 2 }),
        fc.constant(null),
        tie("list"),
        tie("object"),
      ),
      list: fc.array(tie("json"), { maxLength: 4 }),
      object: fc.dictionary(name, tie("json"), { maxKeys: 4, noNullPrototype: true }),
    })).json;
    fc.assert(
      fc.property(value, value, (from, to) => assert.deepEqual(outcomeOf(from, createPatch(from, to)), to)),
      { numRuns: 1000 },
    );
  });

  const prototype: object = JSON.parse('{"__proto__":{"x":1}}');
  // biome-ignore format: a table
  const cases: readonly [what: string, target: unknown, patch: readonly object[], result: unknown][] = [
    ["without operations leaves everything", { a: 1 }, [], { a: 1 }],
    ["adds in place of a member that is there", { a: 1, b: 2 }, [add("/a", 3)], { a: 3, b: 2 }],
    ["adds an element behind all, by index", ["a"], [add("/1", "x")], ["a", "x"]],
    ["adds an element behind all, by -", ["a"], [add("/-", ["x"])], ["a", ["x"]]],
    ["adds the whole", { a: 1 }, [add("", [1])], [1]],
    ["adds a member named __proto__ as any other", {}, [add("/__proto__", { x: 1 })], prototype],
    ["ignores members that mean nothing", {}, [{ ...add("/a", 1), from: "/x", note: 2 }], { a: 1 }],
    ["removes a member that is null", { a: null }, [remove("/a")], {}],
    ["replaces what is null", { a: null }, [replace("/a", 1)], { a: 1 }],
    ["moves a member", { a: 1, b: {} }, [move("/a", "/b/c")], { b: { c: 1 } }],
    ["moves onto a member", { a: 1, b: 2 }, [move("/a", "/b")], { b: 1 }],
    ["moves an element to its place after the removal", [1, 2, 3], [move("/0", "/2")], [2, 3, 1]],
    ["moves an element to the end", [1, 2, 3], [move("/0", "/-")], [2, 3, 1]],
    ["moves an element forward", [1, 2, 3], [move("/2", "/0")], [3, 1, 2]],
    ["moves a value to where it is", { a: 1 }, [move("/a", "/a")], { a: 1 }],
    ["moves into a sibling with a longer name", { a: 1, ab: {} }, [move("/a", "/ab/c")], { ab: { c: 1 } }],
    ["moves a value in place of its parent", { a: { b: 1 } }, [move("/a/b", "/a")], { a: 1 }],
    ["moves a value in place of the whole", { a: { b: 1 } }, [move("/a", "")], { b: 1 }],
    ["copies the whole into a member", { a: 1 }, [copy("", "/b")], { a: 1, b: { a: 1 } }],
    ["copies into a child of what is copied", { a: {} }, [copy("/a", "/a/b")], { a: { b: {} } }],
    ["keeps a copy apart", { a: { n: 1 } }, [copy("/a", "/b"), replace("/b/n", 2)], { a: { n: 1 }, b: { n: 2 } }],
    ["keeps what it copied apart", {}, [add("/a", { n: 1 }), copy("/a", "/b"), remove("/a/n")], { a: {}, b: { n: 1 } }],
    ["tests null", { a: null }, [test("/a", null)], { a: null }],
    ["tests numbers by size", [1, -0, 100], [test("", [1.0, 0, 1e2])], [1, -0, 100]],
    ["tests objects in any order, all the way down", { a: { b: [1, { c: 2, d: 3 }], e: "" } },
      [test("/a", { e: "", b: [1, { d: 3, c: 2 }] }), replace("/a", 1)], { a: 1 }],
    ["takes a percent escape for what it is", { "%20": 1 }, [remove("/%20")], {}],
    ["has each operation see what those before it did", {},
      [add("/a", []), add("/a/-", 1), test("/a", [1]), move("/a/0", "/b"), remove("/a")], { b: 1 }],
  ];
  for (const [what, target, patch, result] of cases) {
    it(what, () => assert.deepEqual(outcomeOf(target, patch), result));
  }

  const noText = (name: string) => `there is no ${name} in what is neither an object nor an array`;
  const noMember = (name: string) => `there is no member ${name}`;
  const noElement = (index: string) => `there is no element ${index} in an array of 1`;
  const different = "the value there is different";
  // biome-ignore format: a table
  const failures: readonly [what: string, target: unknown, operation: object, detail: string][] = [
    ["add below what is not there", {}, add("/a/b", 1), noMember('"a"')],
    ["add below text", { a: "x" }, add("/a/b", 1), noText('"b"')],
    ["add below null", { a: null }, add("/a/b", 1), noText('"b"')],
    ["add beyond the end", ["a"], add("/2", 1), noElement('"2"')],
    ["add at a name in an array", ["a"], add("/x", 1), noElement('"x"')],
    ["add at 01", ["a"], add("/01", 1), noElement('"01"')],
    ["add at 1e0", ["a"], add("/1e0", 1), noElement('"1e0"')],
    ["add at a great index", ["a"], add(`/${"9".repeat(400)}`, 1), noElement(`"${"9".repeat(40)}…"`)],
    ["add below -", [["a"]], add("/-/0", 1), noElement('"-"')],
    ["add below __proto__", {}, add("/__proto__/polluted", 1), noMember('"__proto__"')],
    ["remove beyond the end", ["a"], remove("/1"), noElement("1")],
    ["remove what every object inherits", {}, remove("/toString"), noMember('"toString"')],
    ["replace what is not there", {}, replace("/a", 1), noMember('"a"')],
    ["replace at the length", ["a"], replace("/1", 1), noElement("1")],
    ["replace __proto__", {}, replace("/__proto__", {}), noMember('"__proto__"')],
    ["move what is not there", {}, move("/a", "/b"), noMember('"a"')],
    ["move to below what is not there", { a: 1 }, move("/a", "/b/c"), noMember('"b"')],
    ["move beyond the end once it is removed", [1, 2], move("/0", "/2"), noElement('"2"')],
    ["copy what every object inherits", {}, copy("/toString", "/a"), noMember('"toString"')],
    ["copy beyond the end", [1], copy("/0", "/2"), noElement('"2"')],
    ["test what is not there", {}, test("/a", null), noMember('"a"')],
    ["test another number", { a: 1 }, test("/a", 2), different],
    ["test another text of the same length", { a: "a" }, test("/a", "b"), different],
    ["test a number as text", { a: 1 }, test("/a", "1"), different],
    ["test null as false", { a: null }, test("/a", false), different],
    ["test an object with more", { a: {} }, test("/a", { b: 1 }), different],
    ["test an object with less", { a: { b: 1 } }, test("/a", {}), different],
    ["test an object with another member", { a: { b: 1 } }, test("/a", { c: 1 }), different],
    ["test an array in another order", [1, 2], test("", [2, 1]), different],
    ["test a shorter array", [1, 2], test("", [1]), different],
    ["test an array as an object", [1], test("", { 0: 1 }), different],
    ["test an object as an array", { 0: 1 }, test("", [1]), different],
  ];
  for (const [what, target, operation, detail] of failures) {
    it(`fails to ${what}, and does nothing`, () => {
      assert.deepEqual(outcomeOf(target, [add("", target), operation]), { kind: "failed", index: 1, detail });
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    });
  }

  const times = (count: number, operation: (i: number) => object): readonly object[] =>
    Array.from({ length: count }, (_, i) => operation(i));
  const text = "x".repeat(10_000);
  const numbers = Array.from({ length: 40_000 }, (_, i) => i);
  const members = Object.fromEntries(numbers.map((i) => [`a${i}`, i]));
  // biome-ignore format: a table
  const excessive: readonly [what: string, target: unknown, patch: readonly object[], index: number][] = [
    ["copies of what doubles", { a: text }, times(1000, (i) => copy("", `/a${i}`)), 6],
    ["copies of a long text", { a: text }, times(1000, () => copy("/a", "/b")), 104],
    ["comparisons of a long text", { a: text }, times(1000, () => test("/a", text)), 104],
    ["comparisons of a long array", numbers, times(10, () => test("", numbers.slice())), 3],
    ["comparisons of many members", members, times(10, () => test("", { ...members })), 1],
    ["values at once", {}, [add("/a", Array.from({ length: 140_000 }, () => 1))], 0],
    ["insertions in a long array", numbers, times(1000, () => add("/0", 1)), 415],
    ["removals from a long array", numbers, times(1000, () => remove("/0")), 421],
    ["moves in a long array", numbers, times(1000, () => move("/0", "/-")), 419],
  ];
  for (const [what, target, patch, index] of excessive) {
    it(`is refused for too many ${what}, and does nothing`, () => {
      const detail = "the patch sets, copies, compares and shifts more than 1048576 characters";
      assert.deepEqual(outcomeOf(target, patch), { kind: "excessive", index, detail });
    });
  }

  const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
  const tooDeep = { kind: "excessive", index: undefined, detail: "its result nests more than 64 deep" };

  it("makes what nests 64 deep, and nothing deeper", () => {
    const path = "/a".repeat(32);
    assert.deepEqual(outcomeOf(nested(32), [replace(path, nested(32))]), nested(64));
    for (const operation of [add(path, nested(33)), replace(path, nested(33)), copy("/b", path), move("/b", path)]) {
      assert.deepEqual(outcomeOf({ ...(nested(32) as object), b: nested(33) }, [operation]), tooDeep);
    }
  });

  it("is refused for ever deeper moves and copies", () => {
    const moves = times(900, (i) => move(`/${i}`, `/${i + 1}${"/a".repeat(60)}`));
    const target = Object.fromEntries(Array.from({ length: 901 }, (_, i) => [`${i}`, nested(60)]));
    assert.deepEqual(outcomeOf(target, moves), tooDeep);
    const detail = "the copied value nests more than 64 deep";
    assert.deepEqual(outcomeOf(target, [...moves, copy("/900", "/0")]), { kind: "excessive", index: 900, detail });
  });

  it("leaves the values of its operations as they were", () => {
    const value = { b: 1 };
    const patch = [add("/a", value), add("/a/c", 2), remove("/a/b"), add("/d", value)];
    assert.deepEqual(outcomeOf({}, patch), { a: { c: 2 }, d: { b: 1 } });
  });
});

describe("content that is not a JSON Patch", () => {
  // biome-ignore format: a table
  const wrong: readonly [what: string, patch: unknown, paths: readonly (readonly PropertyKey[])[]][] = [
    ["an object", remove("/a"), [[]]],
    ["null", null, [[]]],
    ["more than 1000 operations", Array.from({ length: 1001 }, () => remove("/a")), [[]]],
    ["operations that are no objects", ["remove", null, []], [[0], [1], [2]]],
    ["an operation without op", [{ path: "/a" }], [[0, "op"]]],
    ["an unknown op", [{ op: "spam", path: "/a" }, { op: "ADD", path: "/a", value: 1 }, { op: "toString", path: "/a" }],
      [[0, "op"], [1, "op"], [2, "op"]]],
    ["an op that is no text", [{ op: ["add"], path: "/a", value: 1 }, { op: { toString: 1 }, path: "/a" }], [[0, "op"], [1, "op"]]],
    ["an operation without path", [{ op: "remove" }], [[0, "path"]]],
    ["a path that is no text", [{ op: "remove", path: null }, { op: "remove", path: ["a"] }], [[0, "path"], [1, "path"]]],
    ["a path that is no pointer", [remove("a"), remove("#/a"), remove("/a~2")], [[0, "path"], [1, "path"], [2, "path"]]],
    ["operations without a value", ["add", "replace", "test"].map((op) => ({ op, path: "/a" })),
      [[0, "value"], [1, "value"], [2, "value"]]],
    ["move or copy without from", ["move", "copy"].map((op) => ({ op, path: "/a" })), [[0, "from"], [1, "from"]]],
    ["a move into what is moved", [move("/a", "/a/b"), move("", "/a")], [[0, "path"], [1, "path"]]],
    ["a removal of the whole", [remove("")], [[0, "path"]]],
    ["a pointer of more than 64 names", [test("/a".repeat(65), 1), copy("/a".repeat(500_000), "/a".repeat(64))],
      [[0, "path"], [1, "from"]]],
    ["all of that at once", [{ op: "x" }, { op: "add", path: 1 }], [[0, "path"], [0, "op"], [1, "path"], [1, "value"]]],
    ["an inherited value", [Object.create({ value: 1 }, { op: { value: "add" }, path: { value: "/a" } })], [[0, "value"]]],
  ];
  for (const [what, patch, paths] of wrong) {
    it(`is ${what}`, () => {
      const { issues = [] } = parsePatch(patch);
      assert.deepEqual(
        issues.map(({ path = [] }) => path),
        paths,
      );
    });
  }
});

describe("a JSON Pointer", () => {
  for (const [text, tokens] of [
    ["", []],
    ["/", [""]],
    ["/a/0", ["a", "0"]],
    ["//", ["", ""]],
    ["/~01/~10", ["~1", "/0"]],
    ["a", undefined],
    ["/~", undefined],
    ["/~2", undefined],
    [" ", undefined],
  ] as const) {
    it(`${JSON.stringify(text)} leads by ${JSON.stringify(tokens)}`, () =>
      assert.deepEqual(parsePointer(text), tokens));
  }
});
