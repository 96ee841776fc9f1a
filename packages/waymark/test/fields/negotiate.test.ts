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
  const csv = [json, "text/csv", "text/csv;dialect=excel"];
  const header = ["text/csv;header=present", "text/csv;header=absent"];
  type Case = readonly [
    behaviour: string,
    choice: string | undefined,
    accepts: readonly string[],
    offered?: readonly string[],
  ];
  const cases: readonly Case[] = [
    ["takes an empty field for no preference", json, ["", " ", ",", ", ,"]],
    ["takes the first offer a wildcard allows", json, ["*/*", "application/*"]],
    ["finds a type by name, without case", xml, ["application/xml", "Application/XML"]],
    [
      "accepts nothing when no range matches",
      undefined,
      ["text/html", "image/*", "application/*+json", "application/json+ld"],
    ],
    [
      "takes the offer with the highest weight",
      xml,
      ["application/json;q=0.5, application/xml", "application/json;q=0.998, application/xml;q=0.999"],
    ],
    [
      "takes the first offer of those with equal weight",
      json,
      ["application/xml, application/json", "application/xml;q=0.3,application/json;q=0.3", "application/xml, */*"],
    ],
    [
      "takes the offer that has the parameters of a range, of those that the range gives its weight to",
      "text/csv;dialect=excel",
      [
        "text/csv;dialect=excel",
        "text/csv;dialect=excel, application/json;q=0.5",
        "text/csv;q=0.5, text/csv;dialect=excel",
      ],
      csv,
    ],
    [
      "takes the first offer under a range whose parameters none of them has, or all",
      "text/csv",
      ["text/csv", "text/csv;header=present", "text/*"],
      csv,
    ],
    [
      "lets the most specific range set the weight",
      xml,
      [
        "*/*, application/*;q=0.5, application/json;q=0.1",
        "application/*, application/json;q=0.999",
        "*/*;q=0.1, application/*;q=0.2, application/json;q=0.19",
      ],
    ],
    ["excludes with q=0", xml, ["application/json;q=0, */*", "*/*, application/json;q=0.000"]],
    ["excludes everything with q=0", undefined, ["*/*;q=0", "application/*;q=0.", "*/*;q=0, text/html"]],
    ["lets a type in that a wildcard excludes", xml, ["*/*;q=0, application/xml;q=0.001"]],
    [
      "reads a weight in any legal spelling",
      xml,
      [
        "application/json;q=0.3, application/xml;q=1.000",
        "application/json;q=0., application/xml",
        "application/json;Q=0.3, application/xml;Q=1.",
        "application/json \t; \tq=0.3 , application/xml",
      ],
    ],
    [
      "reads a weight that is not last, and ignores what follows it",
      xml,
      ["application/json;q=0.2;charset=utf-8, application/xml;q=0.3", "application/xml;q=1;version=2"],
    ],
    [
      "ignores a range with a malformed weight",
      xml,
      ["2", "x", "0.1234", "1.001", "-1", ".1234", "1e0", "00", '""', "0,5"].map(
        (weight) => `application/json;q=${weight}, application/xml;q=0.1`,
      ),
    ],
    [
      "ignores a malformed range",
      json,
      ["application/json;, application/xml;q=0.5", "text/html;q, application/json", "application/json;q=0, */json"],
    ],
    [
      "takes a field without a well-formed range for no preference",
      json,
      [
        ...["garbage", "application/", "**", "*/json", "a/b c", "application/xml;q=2", "text/html;q=x, \x00", '"'],
        ...["application/xml;q", "text/html, garbage", "text/html, application/json;q=2"],
      ],
    ],
    [
      "does not split at commas and semicolons that are quoted",
      xml,
      ['a/b;x="1,2;q=0", application/xml', 'a/b;x="\\",application/json,\\"", application/xml'],
    ],
    [
      "gives an unclosed quotation mark the rest of the field",
      json,
      ['application/json;q=0.1, a/b;x=", application/xml'],
    ],
    ["ignores empty members", xml, [", ,application/xml,,", ",\t,application/xml ,"]],
    [
      "counts a charset of UTF-8 as matched by a type without charset",
      json,
      ["application/json;charset=utf-8", 'application/json; charset="UTF-8"'],
    ],
    [
      "reads what older clients of Java send",
      json,
      ["text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "*", "*;q=.2", " * ; q=.200"],
    ],
    [
      "orders weights without a leading zero with the others",
      xml,
      [
        "application/json;q=.2, application/xml;q=0.3",
        "application/json;q=.999, application/xml",
        "*;q=.1, application/xml",
      ],
    ],
    [
      "ignores a parameter that the type lacks",
      xml,
      ["application/xml;version=2", 'application/xml;p="https://a.example/a b"', "application/xml;a=1;b=2;q=0.1"],
    ],
    [
      "prefers a range that the type matches in whole to one with parameters that it lacks",
      json,
      [
        "application/json;v=1;q=0.1, application/json, application/xml;q=0.5",
        "application/json;v=1;q=0, application/json",
      ],
    ],
    [
      "has a range that names the subtype precede a wildcard, whatever parameters the type lacks",
      xml,
      ["application/xml;v=1, */*;q=0.1", "application/json;v=1;q=0, */*"],
    ],
    [
      "does not match a type with another value of a parameter",
      undefined,
      ["application/json;charset=utf-16", "text/csv;header=absent"],
      [json, "text/csv;header=present"],
    ],
    [
      "prefers the range with more parameters",
      "text/csv;header=present",
      ["text/csv;q=0.1, text/csv;header=present", "text/csv;header=present, text/csv;q=0.1"],
      header.toReversed(),
    ],
    [
      "prefers the range with more parameters, even where its weight is lower",
      "text/csv;header=absent",
      ["text/csv, text/csv;header=present;q=0.1", "text/csv;header=present;q=0, text/csv;q=0.1"],
      header,
    ],
    [
      "matches an offer with parameters by the bare type",
      "text/csv;header=present",
      ["text/csv", "text/*;q=0.1"],
      header.slice(0, 1),
    ],
    [
      "has a range that names the subtype precede a wildcard with parameters",
      "text/plain",
      ["text/*;header=present, text/csv;q=0.1, text/plain;q=0.2"],
      ["text/csv;header=present", "text/plain"],
    ],
    [
      "takes the highest weight of a range that is given twice",
      xml,
      [
        "application/json;q=0.5, application/xml;q=0.1, application/xml",
        "application/xml, application/xml;q=0, */*;q=0.5",
      ],
    ],
  ];
  for (const [behaviour, choice, accepts, offered = [json, xml]] of cases) {
    for (const accept of accepts) {
      it(`${behaviour}: ${JSON.stringify(accept)}`, () => assert.equal(chosen(accept, offered), choice));
    }
  }

  it("takes no field for no preference", () => assert.equal(chosen(undefined, [json, xml]), json));

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
    const malformed = fc.constantFrom(..."a a/ */a a/b;x a/b;q=2 a/b;x=1;x=2 a/b;q=. a/b;q=.1234".split(" "), "a/b c");
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
