import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { parsePrefer } from "waymark/fields";

describe("parsePrefer", () => {
  const cases: readonly [
    behaviour: string,
    field: string | undefined,
    preferences: Readonly<Record<string, string>>,
  ][] = [
    ["finds none without a field", undefined, {}],
    ["finds none in an empty field", " , ,", {}],
    ["takes a token for a value", "return=minimal", { return: "minimal" }],
    ["takes a quoted text for a value", 'note="a, \\"b\\"; c=d"', { note: 'a, "b"; c=d' }],
    ["gives a preference without a value an empty one", 'respond-async, wait=""', { "respond-async": "", wait: "" }],
    ["reads several, in order", "handling=lenient, wait=10", { handling: "lenient", wait: "10" }],
    ["takes names without case, and values as they are", "Return=Minimal", { return: "Minimal" }],
    ["takes the first of those with one name", "return=minimal, RETURN=representation", { return: "minimal" }],
    ["passes over parameters", 'a=1; x; y="2,b=3" ;, b; z = 4', { a: "1", b: "" }],
    ["takes white space around the equals sign", "return = minimal ;", { return: "minimal" }],
    ["leaves out what is malformed, and nothing beside it", 'a b, =c, d=, "e", f=", g', {}],
    ["reads on behind what is malformed", "a b, c=1, d=@", { c: "1" }],
    ["has no member that it was not given", "__proto__=x", { ["__proto__"]: "x" }],
  ];
  for (const [behaviour, field, preferences] of cases) {
    it(behaviour, () => assert.deepEqual([...parsePrefer(field)], Object.entries(preferences)));
  }

  it("never throws", () => {
    const character = fc.constantFrom(...'ab,;="\\ \t@');
    fc.assert(fc.property(fc.string({ unit: character }), (field) => void parsePrefer(field)));
  });

  it("takes a time that grows only with the length of the field", { timeout: 15_000 }, () => {
    for (const piece of ["; ", "a;", "a ; ", 'a="', "\\", "a=b ", " "]) parsePrefer(`a${piece.repeat(100_000)}@`);
  });
});
