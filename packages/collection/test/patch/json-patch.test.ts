import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createPatch } from "rfc6902";
import { applyPatch } from "../../src/patch/apply-patch.ts";
import { parsePatch, parsePointer } from "../../src/patch/json-patch.ts";

/** What the patch, sent as JSON, makes of the target; or `[index, detail]` of the operation that failed. */
function patched(target: unknown, patch: unknown): unknown {
  const operations = parsePatch(JSON.parse(JSON.stringify(patch)));
  assert.ok(operations.issues === undefined, JSON.stringify(operations.issues));
  const outcome = applyPatch(target, operations.value);
  return outcome.kind === "patched" ? outcome.value : [outcome.index, outcome.detail];
}

const own = (json: string): unknown => JSON.parse(json);

describe("a JSON Patch", () => {
  const cases: readonly [what: string, target: unknown, patch: readonly object[], result: unknown][] = [
    ["without operations leaves everything", { a: 1 }, [], { a: 1 }],
    ["adds a member", { a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
    ["adds in place of a member that is there", { a: 1, b: 2 }, [{ op: "add", path: "/a", value: 3 }], { a: 3, b: 2 }],
    ["adds null, which is a value", {}, [{ op: "add", path: "/a", value: null }], { a: null }],
    ["adds to an object inside", { a: { b: 1 } }, [{ op: "add", path: "/a/c", value: 2 }], { a: { b: 1, c: 2 } }],
    ["adds an element before another", ["a", "b"], [{ op: "add", path: "/1", value: "x" }], ["a", "x", "b"]],
    ["adds an element before all", ["a"], [{ op: "add", path: "/0", value: "x" }], ["x", "a"]],
    ["adds an element behind all, by index", ["a"], [{ op: "add", path: "/1", value: "x" }], ["a", "x"]],
    ["adds an element behind all, by -", ["a"], [{ op: "add", path: "/-", value: ["x"] }], ["a", ["x"]]],
    ["adds to an empty array", { a: [] }, [{ op: "add", path: "/a/-", value: 1 }], { a: [1] }],
    ["adds a member named by a number", { a: {} }, [{ op: "add", path: "/a/0", value: 1 }], { a: { 0: 1 } }],
    ["adds a member with an empty name", {}, [{ op: "add", path: "/", value: 1 }], { "": 1 }],
    ["adds a member named -", {}, [{ op: "add", path: "/-", value: 1 }], { "-": 1 }],
    ["adds the whole", { a: 1 }, [{ op: "add", path: "", value: [1] }], [1]],
    ["ignores members that mean nothing", {}, [{ op: "add", path: "/a", value: 1, from: "/x", note: 2 }], { a: 1 }],
    ["removes a member", { a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
    ["removes an element", ["a", "b", "c"], [{ op: "remove", path: "/1" }], ["a", "c"]],
    ["removes a member that is null", { a: null }, [{ op: "remove", path: "/a" }], {}],
    ["replaces a member, in its place", { a: 1, b: 2 }, [{ op: "replace", path: "/a", value: 3 }], { a: 3, b: 2 }],
    ["replaces an element", ["a", "b"], [{ op: "replace", path: "/1", value: "x" }], ["a", "x"]],
    ["replaces what is null", { a: null }, [{ op: "replace", path: "/a", value: 1 }], { a: 1 }],
    ["replaces the whole", { a: 1 }, [{ op: "replace", path: "", value: { b: 2 } }], { b: 2 }],
    ["moves a member", { a: 1, b: {} }, [{ op: "move", from: "/a", path: "/b/c" }], { b: { c: 1 } }],
    ["moves onto a member", { a: 1, b: 2 }, [{ op: "move", from: "/a", path: "/b" }], { b: 1 }],
    ["moves an element to its place after the removal", [1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
    ["moves an element to the end", [1, 2, 3], [{ op: "move", from: "/0", path: "/-" }], [2, 3, 1]],
    ["moves an element forward", [1, 2, 3], [{ op: "move", from: "/2", path: "/0" }], [3, 1, 2]],
    ["moves a value to where it is", { a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
    [
      "moves into a sibling with a longer name",
      { a: 1, ab: {} },
      [{ op: "move", from: "/a", path: "/ab/c" }],
      { ab: { c: 1 } },
    ],
    ["moves a value in place of its parent", { a: { b: 1 } }, [{ op: "move", from: "/a/b", path: "/a" }], { a: 1 }],
    ["moves a value in place of the whole", { a: { b: 1 } }, [{ op: "move", from: "/a", path: "" }], { b: 1 }],
    ["copies a value", { a: { b: 1 } }, [{ op: "copy", from: "/a", path: "/c" }], { a: { b: 1 }, c: { b: 1 } }],
    ["copies the whole into a member", { a: 1 }, [{ op: "copy", from: "", path: "/b" }], { a: 1, b: { a: 1 } }],
    ["copies into a child of what is copied", { a: {} }, [{ op: "copy", from: "/a", path: "/a/b" }], { a: { b: {} } }],
    [
      "keeps a copy apart from what it was copied of",
      { a: { n: 1 } },
      [
        { op: "copy", from: "/a", path: "/b" },
        { op: "replace", path: "/b/n", value: 2 },
      ],
      { a: { n: 1 }, b: { n: 2 } },
    ],
    [
      "keeps a value that it adds twice apart",
      {},
      [
        { op: "add", path: "/a", value: { n: 1 } },
        { op: "copy", from: "/a", path: "/b" },
        { op: "remove", path: "/a/n" },
      ],
      { a: {}, b: { n: 1 } },
    ],
    ["tests text", { a: "x" }, [{ op: "test", path: "/a", value: "x" }], { a: "x" }],
    ["tests null", { a: null }, [{ op: "test", path: "/a", value: null }], { a: null }],
    ["tests numbers by size", [1, -0, 100], [{ op: "test", path: "", value: [1.0, 0, 1e2] }], [1, -0, 100]],
    [
      "tests objects in whatever order, and all the way down",
      { a: { b: [1, { c: 2, d: 3 }], e: "" } },
      [{ op: "test", path: "/a", value: { e: "", b: [1, { d: 3, c: 2 }] } }],
      { a: { b: [1, { c: 2, d: 3 }], e: "" } },
    ],
    ["reads ~1 as a slash", { "a/b": 1 }, [{ op: "remove", path: "/a~1b" }], {}],
    ["reads ~0 as a tilde", { "a~b": 1 }, [{ op: "remove", path: "/a~0b" }], {}],
    ["reads ~01 as ~1", { "~1": 1 }, [{ op: "remove", path: "/~01" }], {}],
    ["takes a percent escape for what it is", { "%20": 1 }, [{ op: "remove", path: "/%20" }], {}],
    [
      "has each operation see what those before it did",
      {},
      [
        { op: "add", path: "/a", value: [] },
        { op: "add", path: "/a/-", value: 1 },
        { op: "test", path: "/a", value: [1] },
        { op: "move", from: "/a/0", path: "/b" },
        { op: "remove", path: "/a" },
      ],
      { b: 1 },
    ],
    [
      "adds a member named __proto__ as any other",
      {},
      [own('{"op":"add","path":"/__proto__","value":{"x":1}}') as object],
      own('{"__proto__":{"x":1}}'),
    ],
  ];
  for (const [what, target, patch, result] of cases) {
    it(what, () => {
      const before = structuredClone(target);
      assert.deepEqual(patched(target, patch), result);
      assert.deepEqual(target, before, "the target is as it was");
    });
  }

  const failures: readonly [what: string, target: unknown, operation: object, detail: RegExp][] = [
    ["add below what is not there", {}, { op: "add", path: "/a/b", value: 1 }, /no member "a"/],
    ["add below text", { a: "x" }, { op: "add", path: "/a/b", value: 1 }, /neither an object nor an array/],
    ["add below null", { a: null }, { op: "add", path: "/a/b", value: 1 }, /neither/],
    ["add beyond the end", ["a"], { op: "add", path: "/2", value: 1 }, /no element "2" in an array of 1/],
    ["add at a name in an array", ["a"], { op: "add", path: "/x", value: 1 }, /no element "x"/],
    ["add at 01", ["a"], { op: "add", path: "/01", value: 1 }, /no element "01"/],
    ["add at -1", ["a"], { op: "add", path: "/-1", value: 1 }, /no element "-1"/],
    ["add at 1e0", ["a"], { op: "add", path: "/1e0", value: 1 }, /no element "1e0"/],
    ["add at a great index", ["a"], { op: "add", path: `/${"9".repeat(400)}`, value: 1 }, /no element/],
    ["add at length", ["a"], { op: "add", path: "/length", value: 1 }, /no element "length"/],
    ["add below -", [["a"]], { op: "add", path: "/-/0", value: 1 }, /no element "-"/],
    ["add below __proto__", {}, { op: "add", path: "/__proto__/polluted", value: 1 }, /no member "__proto__"/],
    ["add below constructor", {}, { op: "add", path: "/constructor/prototype/polluted", value: 1 }, /"constructor"/],
    ["remove what is not there", { a: 1 }, { op: "remove", path: "/b" }, /no member "b"/],
    ["remove beyond the end", ["a"], { op: "remove", path: "/1" }, /no element 1 in an array of 1/],
    ["remove at -", ["a"], { op: "remove", path: "/-" }, /no element "-"/],
    ["remove what every object inherits", {}, { op: "remove", path: "/toString" }, /no member "toString"/],
    ["replace what is not there", {}, { op: "replace", path: "/a", value: 1 }, /no member "a"/],
    ["replace at the length", ["a"], { op: "replace", path: "/1", value: 1 }, /no element 1/],
    ["replace at a name in an array", ["a"], { op: "replace", path: "/x", value: 1 }, /no element "x"/],
    ["replace __proto__", {}, { op: "replace", path: "/__proto__", value: {} }, /no member "__proto__"/],
    ["move what is not there", {}, { op: "move", from: "/a", path: "/b" }, /no member "a"/],
    ["move to below what is not there", { a: 1 }, { op: "move", from: "/a", path: "/b/c" }, /no member "b"/],
    [
      "move beyond the end once it is removed",
      [1, 2],
      { op: "move", from: "/0", path: "/2" },
      /no element "2" in an array of 1/,
    ],
    ["copy what is not there", {}, { op: "copy", from: "/a", path: "/b" }, /no member "a"/],
    ["copy what every object inherits", {}, { op: "copy", from: "/toString", path: "/a" }, /no member "toString"/],
    ["copy beyond the end", [1], { op: "copy", from: "/0", path: "/2" }, /no element "2"/],
    ["test what is not there", {}, { op: "test", path: "/a", value: null }, /no member "a"/],
    ["test another value", { a: 1 }, { op: "test", path: "/a", value: 2 }, /different/],
    ["test a number as text", { a: 1 }, { op: "test", path: "/a", value: "1" }, /different/],
    ["test null as false", { a: null }, { op: "test", path: "/a", value: false }, /different/],
    ["test an object with more", { a: {} }, { op: "test", path: "/a", value: { b: 1 } }, /different/],
    ["test an object with less", { a: { b: 1 } }, { op: "test", path: "/a", value: {} }, /different/],
    ["test an object with another member", { a: { b: 1 } }, { op: "test", path: "/a", value: { c: 1 } }, /different/],
    ["test an array in another order", [1, 2], { op: "test", path: "", value: [2, 1] }, /different/],
    ["test a shorter array", [1, 2], { op: "test", path: "", value: [1] }, /different/],
    ["test an array as an object", [1], { op: "test", path: "", value: { 0: 1 } }, /different/],
    ["test an object as an array", { 0: 1 }, { op: "test", path: "", value: [1] }, /different/],
    [
      "test the whole by a name every object inherits",
      {},
      { op: "test", path: "/constructor", value: {} },
      /"constructor"/,
    ],
  ];
  for (const [what, target, operation, detail] of failures) {
    it(`fails to ${what}, and does nothing`, () => {
      const before = structuredClone(target);
      const [index, reason] = patched(target, [{ op: "test", path: "", value: target }, operation]) as [number, string];
      assert.equal(index, 1);
      assert.match(reason, detail);
      assert.deepEqual(target, before);
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    });
  }

  it("is one whole: what comes before a failure is not done", () => {
    const patch = [
      { op: "remove", path: "/a" },
      { op: "test", path: "/b", value: 1 },
      { op: "remove", path: "/c" },
    ];
    const target = { a: 1, b: 2 };
    assert.deepEqual(patched(target, patch), [1, "the value there is different"]);
    assert.deepEqual(target, { a: 1, b: 2 });
  });

  /** How a patch ends, and at which operation. */
  function outcomeOf(target: unknown, patch: unknown): unknown {
    const operations = parsePatch(patch);
    assert.ok(operations.issues === undefined, JSON.stringify(operations.issues));
    const before = JSON.stringify(target);
    const outcome = applyPatch(target, operations.value);
    assert.equal(JSON.stringify(target), before, "the target is as it was");
    return outcome.kind === "patched" ? outcome.value : outcome;
  }
  const times = (count: number, operation: (i: number) => object): readonly object[] =>
    Array.from({ length: count }, (_, i) => operation(i));
  const tooMuch = "the patch sets, copies, compares and shifts more than 1048576 characters";

  const text = "x".repeat(10_000);
  const numbers = Array.from({ length: 40_000 }, (_, i) => i);
  const members = Object.fromEntries(numbers.map((i) => [`a${i}`, i]));
  const excessive: readonly [what: string, target: unknown, patch: readonly object[], index: number][] = [
    ["copies of what doubles", { a: text }, times(1000, (i) => ({ op: "copy", from: "", path: `/a${i}` })), 6],
    ["copies of a long text", { a: text }, times(1000, () => ({ op: "copy", from: "/a", path: "/b" })), 104],
    ["comparisons of a long text", { a: text }, times(1000, () => ({ op: "test", path: "/a", value: text })), 104],
    ["comparisons of a long array", numbers, times(10, () => ({ op: "test", path: "", value: numbers.slice() })), 3],
    ["comparisons of many members", members, times(10, () => ({ op: "test", path: "", value: { ...members } })), 1],
    ["values at once", {}, [{ op: "add", path: "/a", value: Array.from({ length: 140_000 }, () => 1) }], 0],
    ["insertions in a long array", numbers, times(1000, () => ({ op: "add", path: "/0", value: 1 })), 415],
    ["removals from a long array", numbers, times(1000, () => ({ op: "remove", path: "/0" })), 421],
    ["moves in a long array", numbers, times(1000, () => ({ op: "move", from: "/0", path: "/-" })), 419],
  ];
  for (const [what, target, patch, index] of excessive) {
    it(`is refused for too many ${what}, and does nothing`, () => {
      assert.deepEqual(outcomeOf(target, patch), { kind: "excessive", index, detail: tooMuch });
    });
  }

  it("makes what nests 64 deep, and nothing deeper", () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    const path = "/a".repeat(32);
    assert.deepEqual(outcomeOf(nested(32), [{ op: "replace", path, value: nested(32) }]), nested(64));
    const tooDeep = { kind: "excessive", index: undefined, detail: "its result nests more than 64 deep" };
    for (const operation of [
      { op: "add", path, value: nested(33) },
      { op: "replace", path, value: nested(33) },
      { op: "copy", from: "/b", path },
      { op: "move", from: "/b", path },
    ]) {
      assert.deepEqual(outcomeOf({ ...(nested(32) as object), b: nested(33) }, [operation]), tooDeep);
    }
  });

  it("is refused for ever deeper moves and copies", () => {
    const nested = (depth: number, inner: unknown = 1): unknown =>
      depth === 0 ? inner : { a: nested(depth - 1, inner) };
    const end = "/a".repeat(60);
    const moves = times(900, (i) => ({ op: "move", from: `/${i}`, path: `/${i + 1}${end}` }));
    const target = Object.fromEntries(Array.from({ length: 901 }, (_, i) => [`${i}`, nested(60)]));
    const tooDeep = { kind: "excessive", index: undefined, detail: "its result nests more than 64 deep" };
    assert.deepEqual(outcomeOf(target, moves), tooDeep);
    assert.deepEqual(outcomeOf(target, [...moves, { op: "copy", from: "/900", path: "/0" }]), {
      kind: "excessive",
      index: 900,
      detail: "the copied value nests more than 64 deep",
    });
  });

  it("leaves the values of its operations as they were", () => {
    const value = { b: 1 };
    const patch = [
      { op: "add", path: "/a", value },
      { op: "add", path: "/a/c", value: 2 },
      { op: "remove", path: "/a/b" },
      { op: "add", path: "/d", value },
    ];
    assert.deepEqual(outcomeOf({}, patch), { a: { c: 2 }, d: { b: 1 } });
  });

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
      fc.property(value, value, (from, to) => assert.deepEqual(patched(from, createPatch(from, to)), to)),
      { numRuns: 1000 },
    );
  });
});

describe("content that is not a JSON Patch", () => {
  const wrong: readonly [what: string, patch: unknown, paths: readonly (readonly PropertyKey[])[]][] = [
    ["an object", { op: "remove", path: "/a" }, [[]]],
    ["null", null, [[]]],
    ["more than 1000 operations", Array.from({ length: 1001 }, () => ({ op: "remove", path: "/a" })), [[]]],
    ["an operation that is no object", ["remove", null, []], [[0], [1], [2]]],
    ["an operation without op", [{ path: "/a" }], [[0, "op"]]],
    [
      "an unknown op",
      [
        { op: "spam", path: "/a" },
        { op: "ADD", path: "/a", value: 1 },
      ],
      [
        [0, "op"],
        [1, "op"],
      ],
    ],
    ["an op that every object inherits", [{ op: "toString", path: "/a" }], [[0, "op"]]],
    ["an op that is no text", [{ op: ["add"], path: "/a", value: 1 }], [[0, "op"]]],
    ["an op with a toString that is not a function", [{ op: { toString: 1 }, path: "/a", value: 1 }], [[0, "op"]]],
    ["an operation without path", [{ op: "remove" }], [[0, "path"]]],
    [
      "a path that is no text",
      [
        { op: "remove", path: null },
        { op: "remove", path: ["a"] },
      ],
      [
        [0, "path"],
        [1, "path"],
      ],
    ],
    ["a path without its first slash", [{ op: "remove", path: "a" }], [[0, "path"]]],
    ["a path as a fragment", [{ op: "remove", path: "#/a" }], [[0, "path"]]],
    [
      "a path with an unknown escape",
      [
        { op: "remove", path: "/a~2" },
        { op: "remove", path: "/a~" },
      ],
      [
        [0, "path"],
        [1, "path"],
      ],
    ],
    [
      "add, replace or test without a value",
      ["add", "replace", "test"].map((op) => ({ op, path: "/a" })),
      [
        [0, "value"],
        [1, "value"],
        [2, "value"],
      ],
    ],
    [
      "move or copy without from",
      ["move", "copy"].map((op) => ({ op, path: "/a" })),
      [
        [0, "from"],
        [1, "from"],
      ],
    ],
    [
      "a move into what is moved",
      [
        { op: "move", from: "/a", path: "/a/b" },
        { op: "move", from: "", path: "/a" },
      ],
      [
        [0, "path"],
        [1, "path"],
      ],
    ],
    ["a removal of the whole", [{ op: "remove", path: "" }], [[0, "path"]]],
    [
      "a pointer of more than 64 names",
      [
        { op: "test", path: "/a".repeat(65), value: 1 },
        { op: "copy", from: "/a".repeat(500_000), path: "/a".repeat(64) },
      ],
      [
        [0, "path"],
        [1, "from"],
      ],
    ],
    [
      "all of that at once",
      [{ op: "x" }, { op: "add", path: 1 }],
      [
        [0, "path"],
        [0, "op"],
        [1, "path"],
        [1, "value"],
      ],
    ],
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

  it("is not found in an inherited member", () => {
    const operation = Object.create({ value: 1 }, { op: { value: "add" }, path: { value: "/a" } });
    assert.equal(parsePatch([operation]).issues?.length, 1);
  });
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
