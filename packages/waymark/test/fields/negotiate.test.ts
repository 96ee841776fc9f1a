import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { negotiate, parseAccept } from "../../src/fields/accept.ts";
import { essence, type MediaType, parseMediaType } from "../../src/fields/media-type.ts";
import { anyText } from "../tools/any-text.ts";

const types = (...texts: readonly string[]): readonly MediaType[] =>
  texts.map((text) => {
    const parsed = parseMediaType(text);
    assert.ok(parsed, `${text} is a media type`);
    return parsed;
  });

/** The offer that is chosen, by its text; undefined when none is acceptable. */
const chosen = (accept: string | undefined, offered: readonly string[]): string | undefined =>
  offered[negotiate(accept, types(...offered))];

const json = "application/json";
const xml = "application/xml";

describe("negotiate", () => {
  const cases: readonly {
    readonly behaviour: string;
    readonly accepts: readonly (string | undefined)[];
    readonly offered?: readonly string[];
    readonly choice: string | undefined;
  }[] = [
    {
      behaviour: "takes no field, or an empty one, for no preference",
      accepts: [undefined, "", " ", ",", ", ,"],
      choice: json,
    },
    { behaviour: "takes the first offer a wildcard allows", accepts: ["*/*", "application/*"], choice: json },
    { behaviour: "finds a type by name, without case", accepts: ["application/xml", "Application/XML"], choice: xml },
    {
      behaviour: "accepts nothing when no range matches",
      accepts: ["text/html", "image/*", "application/*+json", "application/json+ld"],
      choice: undefined,
    },
    {
      behaviour: "takes the offer with the highest weight",
      accepts: ["application/json;q=0.5, application/xml", "application/json;q=0.998, application/xml;q=0.999"],
      choice: xml,
    },
    {
      behaviour: "takes the first offer of those with equal weight",
      accepts: [
        "application/xml, application/json",
        "application/xml;q=0.3,application/json;q=0.3",
        "application/xml, */*",
      ],
      choice: json,
    },
    {
      behaviour: "takes the offer that has the parameters of a range, of those that the range gives its weight to",
      accepts: [
        "text/csv;dialect=excel",
        "text/csv;dialect=excel, application/json;q=0.5",
        "text/csv;q=0.5, text/csv;dialect=excel",
      ],
      offered: [json, "text/csv", "text/csv;dialect=excel"],
      choice: "text/csv;dialect=excel",
    },
    {
      behaviour: "takes the first offer under a range whose parameters none of them has, or all",
      accepts: ["text/csv", "text/csv;header=present", "text/*"],
      offered: [json, "text/csv", "text/csv;dialect=excel"],
      choice: "text/csv",
    },
    {
      behaviour: "lets the most specific range set the weight",
      accepts: [
        "*/*, application/*;q=0.5, application/json;q=0.1",
        "application/json;q=0.1, application/*;q=0.5, */*",
        "application/*, application/json;q=0.999",
        "*/*;q=0.1, application/*;q=0.2, application/json;q=0.19",
      ],
      choice: xml,
    },
    {
      behaviour: "excludes with q=0",
      accepts: ["application/json;q=0, */*", "*/*, application/json;q=0.000"],
      choice: xml,
    },
    {
      behaviour: "excludes everything with q=0",
      accepts: ["*/*;q=0", "application/*;q=0.", "*/*;q=0, text/html"],
      choice: undefined,
    },
    {
      behaviour: "lets a type in that a wildcard excludes",
      accepts: ["*/*;q=0, application/xml;q=0.001"],
      choice: xml,
    },
    {
      behaviour: "reads a weight in any legal spelling",
      accepts: [
        "application/json;q=0.3, application/xml;q=1.000",
        "application/json;q=0., application/xml",
        "application/json;Q=0.3, application/xml;Q=1.",
        "application/json \t; \tq=0.3 , application/xml",
      ],
      choice: xml,
    },
    {
      behaviour: "reads a weight that is not last, and ignores what follows it",
      accepts: ["application/json;q=0.2;charset=utf-8, application/xml;q=0.3", "application/xml;q=1;version=2"],
      choice: xml,
    },
    {
      behaviour: "ignores a range with a malformed weight",
      accepts: ["2", "x", "0.1234", "1.001", "-1", ".1234", "1e0", "00", '""', "0,5"].map(
        (weight) => `application/json;q=${weight}, application/xml;q=0.1`,
      ),
      choice: xml,
    },
    {
      behaviour: "ignores a malformed range",
      accepts: ["application/json;, application/xml;q=0.5", "text/html;q, application/json"],
      choice: json,
    },
    {
      behaviour: "takes a field without a well-formed range for no preference",
      accepts: [
        "garbage",
        "application/",
        "**",
        "*/json",
        "a/b c",
        "application/xml;q=2",
        "text/html;q=x, \x00",
        '"',
        "application/xml;q",
      ],
      choice: json,
    },
    {
      behaviour: "does not split at commas and semicolons that are quoted",
      accepts: ['a/b;x="1,2;q=0", application/xml', 'a/b;x="\\",application/json,\\"", application/xml'],
      choice: xml,
    },
    {
      behaviour: "gives an unclosed quotation mark the rest of the field",
      accepts: ['application/json;q=0.1, a/b;x=", application/xml'],
      choice: json,
    },
    { behaviour: "ignores empty members", accepts: [", ,application/xml,,", ",\t,application/xml ,"], choice: xml },
    {
      behaviour: "counts a charset of UTF-8 as matched by a type without charset",
      accepts: [
        "application/json;charset=utf-8",
        'application/json;charset="utf-8"',
        "application/json; charset=UTF-8",
      ],
      choice: json,
    },
    {
      behaviour: "reads what older clients of Java send",
      accepts: ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "*", "*;q=.2", " * ; q=.200"],
      choice: json,
    },
    {
      behaviour: "orders weights without a leading zero with the others",
      accepts: [
        "application/json;q=.2, application/xml;q=0.3",
        "application/json;q=.999, application/xml",
        "*;q=.1, application/xml",
      ],
      choice: xml,
    },
    {
      behaviour: "ignores a parameter that the type lacks",
      accepts: [
        "application/xml;version=2",
        'application/xml;profile="https://example.org/a b"',
        "application/xml;a=1;b=2;q=0.1",
      ],
      choice: xml,
    },
    {
      behaviour: "prefers a range that the type matches in whole to one with parameters that it lacks",
      accepts: [
        "application/json;v=1;q=0.1, application/json, application/xml;q=0.5",
        "application/json;v=1;q=0, application/json",
      ],
      choice: json,
    },
    {
      behaviour: "has a range that names the subtype precede a wildcard, whatever parameters the type lacks",
      accepts: ["application/xml;v=1, */*;q=0.1", "application/json;v=1;q=0, */*"],
      choice: xml,
    },
    {
      behaviour: "does not match a type with another value of a parameter",
      accepts: ["application/json;charset=utf-16", "text/csv;header=absent"],
      offered: [json, "text/csv;header=present"],
      choice: undefined,
    },
    {
      behaviour: "chooses the first offer where only malformed members may mean one",
      accepts: ["text/html, garbage", "text/html, application/json;q=2", "application/json;q=0, */json"],
      choice: json,
    },
    {
      behaviour: "prefers the range with more parameters",
      accepts: ["text/csv;q=0.1, text/csv;header=present", "text/csv;header=present, text/csv;q=0.1"],
      offered: ["text/csv;header=absent", "text/csv;header=present"],
      choice: "text/csv;header=present",
    },
    {
      behaviour: "prefers the range with more parameters, even where its weight is lower",
      accepts: ["text/csv, text/csv;header=present;q=0.1", "text/csv;header=present;q=0, text/csv;q=0.1"],
      offered: ["text/csv;header=present", "text/csv;header=absent"],
      choice: "text/csv;header=absent",
    },
    {
      behaviour: "matches an offer with parameters by the bare type",
      accepts: ["text/csv", "text/*;q=0.1"],
      offered: ["text/csv;header=present"],
      choice: "text/csv;header=present",
    },
    {
      behaviour: "has a range that names the subtype precede a wildcard with parameters",
      accepts: ["text/*;header=present, text/csv;q=0.1, text/plain;q=0.2"],
      offered: ["text/csv;header=present", "text/plain"],
      choice: "text/plain",
    },
    {
      behaviour: "takes the highest weight of a range that is given twice",
      accepts: [
        "application/json;q=0.5, application/xml;q=0.1, application/xml",
        "application/xml, application/xml;q=0, */*;q=0.5",
      ],
      choice: xml,
    },
  ];
  for (const { behaviour, accepts, offered = [json, xml], choice } of cases) {
    describe(behaviour, () => {
      for (const accept of accepts) {
        it(accept === undefined ? "no field" : JSON.stringify(accept), () =>
          assert.equal(chosen(accept, offered), choice),
        );
      }
    });
  }

  it("says -1 where nothing is offered, also without a field", () => {
    assert.equal(negotiate(undefined, []), -1);
    assert.equal(negotiate("*/*", []), -1);
  });

  const name = fc.constantFrom("a", "b", "c");
  const weight = fc.constantFrom("", ";q=0", ";q=0.2", ";q=0.5", ";q=1", ";q=2");
  const parameter = fc.constantFrom("", ";x=1", ";x=1;y=2");
  const pattern = fc.oneof(
    fc.constant("*/*"),
    fc.tuple(name, fc.oneof(name, fc.constant("*"))).map(([type, subtype]) => `${type}/${subtype}`),
  );
  const range = fc.tuple(pattern, parameter, weight).map((parts) => parts.join(""));
  const offer = fc.tuple(name, name, parameter).map(([type, subtype, parameters]) => `${type}/${subtype}${parameters}`);

  it("does not depend on the order of the ranges", () => {
    const ordered = fc.array(range, { maxLength: 6 });
    const both = ordered.chain((ranges) =>
      fc.tuple(fc.constant(ranges), fc.shuffledSubarray(ranges, { minLength: ranges.length })),
    );
    fc.assert(
      fc.property(both, fc.array(offer), ([ranges, shuffled], offered) => {
        assert.equal(
          negotiate(ranges.join(","), types(...offered)),
          negotiate(shuffled.join(" , "), types(...offered)),
        );
      }),
    );
  });

  it("does not depend on malformed ranges, unless the others accept nothing", () => {
    const wellFormed = range.filter((text) => !text.endsWith("q=2"));
    const malformed = fc.constantFrom(
      "a",
      "a/",
      "*/a",
      "a/b;x",
      "a/b;q=2",
      "a/b c",
      "a/b;x=1;x=2",
      "a/b;q=.",
      "a/b;q=.1234",
    );
    fc.assert(
      fc.property(fc.array(wellFormed, { minLength: 1 }), malformed, fc.array(offer), (ranges, fault, offered) => {
        const clean = negotiate(ranges.join(","), types(...offered));
        const first = offered.length === 0 ? -1 : 0;
        assert.equal(negotiate([fault, ...ranges, fault].join(","), types(...offered)), clean < 0 ? first : clean);
        assert.equal(negotiate(["", ...ranges, ""].join(","), types(...offered)), clean);
      }),
    );
  });

  it("chooses an offered type or nothing, for any field", () => {
    const piece = fc.constantFrom("a/b", "*/*", ";", "q=", "0.5", ",", '"', "\\", " ", "=", "/", "\ud800");
    const garbage = fc.oneof(
      anyText(),
      fc.array(piece).map((pieces) => pieces.join("")),
    );
    fc.assert(
      fc.property(garbage, fc.array(offer, { minLength: 1 }), (accept, offered) => {
        const index = negotiate(accept, types(...offered));
        assert.ok(Number.isInteger(index) && index >= -1 && index < offered.length);
      }),
    );
  });

  // An algorithm that goes over the field again for each part of it would not come to an end here.
  const length = 500_000;
  const long: readonly (readonly [name: string, accept: string, choice: string | undefined])[] = [
    ["ranges", `${"text/html;q=0.5,".repeat(10_000)}application/xml`, xml],
    ["different ranges", `${Array.from({ length: 10_000 }, (_, i) => `a/b${i};x=${i}`).join()},application/xml`, xml],
    ["semicolons", `application/xml${";".repeat(length)}`, xml],
    ["commas", `${",".repeat(length)}application/xml`, xml],
    ["spaces", `${" ".repeat(length)}application/xml${" ".repeat(length)}`, xml],
    ["parameters", `application/xml;q=1${Array.from({ length: 10_000 }, (_, i) => `;x${i}=1`).join("")}`, xml],
    ["quotation marks", `${'"'.repeat(length)},application/xml`, xml],
    ["backslashes", `"${"\\".repeat(length)}",application/xml`, xml],
  ];
  for (const [name, accept, choice] of long) {
    it(`takes linear time over ${name}`, () => assert.equal(chosen(accept, [json, xml]), choice));
  }
});

describe("parseAccept", () => {
  it("gives ranges and weights in the order sent", () => {
    const ranges = parseAccept('text/*;q=0.5, text/csv;header="present";q=0.25;x=1, */*, a/b;q=7');
    assert.deepEqual(
      ranges.map(({ range, weight }) => [essence(range), [...range.parameters], weight]),
      [
        ["text/*", [], 0.5],
        ["text/csv", [["header", "present"]], 0.25],
        ["*/*", [], 1],
      ],
    );
  });

  it("gives nothing for an empty field", () => assert.deepEqual(parseAccept(""), []));
});
