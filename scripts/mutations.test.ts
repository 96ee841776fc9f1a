import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mutate, mutationsOf } from "./mutations.ts";

const mutants = (source: string): readonly string[] => mutationsOf(source).map((mutation) => mutate(source, mutation));

describe("the mutations of a source", () => {
  const cases: readonly (readonly [source: string, mutants: readonly string[]])[] = [
    ["if (a === b) go();", ["if (a !== b) go();"]],
    ["if (a && !b) go();", ["if (a || !b) go();", "if (a && b) go();"]],
    ["const least = a <= 10;", ["const least = a < 10;", "const least = a <= 11;"]],
    ["const all = true;", ["const all = false;"]],
    ["const sum = a + b;", ["const sum = a - b;"]],
    ["const first = a ?? b;", ["const first = a && b;"]],
  ];
  for (const [source, expected] of cases) it(source, () => assert.deepEqual(mutants(source), expected));

  it("are none where the program would be none", () => {
    assert.deepEqual(mutants("const one = (a ?? b) || c;").length, 2);
    assert.deepEqual(mutants("const one = a || b || c;").length, 2);
    assert.deepEqual(mutants("const one = a ?? b ?? c;"), []);
  });

  for (const source of [
    'import { one } from "1 + 1";',
    "// a === b",
    "/* true */",
    'const text = "a && b";',
    "const text = `1 + 2`;",
    "const name = /a === 1/;",
    "interface Bounds { readonly most: 10 | 20 }",
    "const bound: 1 | 2 = other as 1;",
    "const arrow = (a: Map<string, number>) => a;",
  ]) {
    it(`are none in ${source}`, () => assert.deepEqual(mutationsOf(source), []));
  }
});
