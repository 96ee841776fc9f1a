import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nodeCodings } from "@waymark/node";
import fc from "fast-check";
import { negotiateCoding } from "../../src/filters/accept-encoding.ts";

/** The codings are zstd, br and gzip, in this order. */
const choose = (field: string): string => {
  const { coding, identity } = negotiateCoding(field, nodeCodings);
  return `${coding?.name ?? "none"}${identity ? "" : ", not as it is"}`;
};

describe("negotiateCoding", () => {
  const cases: Readonly<Record<string, string>> = {
    "": "none",
    identity: "none",
    gzip: "gzip",
    "x-gzip": "gzip",
    GZip: "gzip",
    "gzip, deflate, br": "br",
    "gzip, deflate, br, zstd": "zstd",
    " gzip\t;\tq=0.5 ,, br ; Q=0.4 ": "gzip",
    "zstd;q=0.001": "zstd",
    "zstd;q=0.8, gzip;q=0.9": "gzip",
    "gzip;q=0": "none",
    "gzip;q=0.000": "none",
    "gzip;q=0, br": "br",
    deflate: "none",
    "compress, sdch": "none",
    "gzip;q=.5, br;q=.4": "gzip",
    "gzip;q=1.5, br;q=0.1.1": "none",
    "identity;q=1, gzip;q=0.5": "none",
    "identity;q=0.5, gzip;q=0.5": "gzip",
    "identity;q=0.5, gzip;q=0.4, br;q=0.6": "br",
    "*": "gzip",
    "gzip, *": "gzip",
    "*, br": "br",
    "*, br, gzip": "br",
    "zstd;q=0.5, *": "gzip",
    "gzip;q=0, *": "zstd",
    "*;q=0.5, gzip": "gzip",
    "zstd;q=0, *": "gzip",
    "x-gzip;q=0.5, *;q=0.6": "zstd",
    "*;q=0": "none, not as it is",
    "identity;q=0": "none, not as it is",
    "identity;q=0, *;q=0": "none, not as it is",
    "identity;q=0, gzip": "gzip, not as it is",
    "*;q=0, gzip": "gzip, not as it is",
    "*;q=0, identity": "none",
    "identity;q=0, *": "gzip, not as it is",
    "gzip;q=0, x-gzip": "gzip",
    "gzip, gzip;q=0": "gzip",
    // Malformed members are as if they were not there.
    "gzip;q=2, br;q=0.1": "br",
    "gzip;q=0.1234": "none",
    "gzip;q=": "none",
    "gzip;q=-1": "none",
    "gzip;level=9": "none",
    "gzip br": "none",
    '"gzip"': "none",
    "gzip;q=1;q=0, br": "br",
  };
  for (const [field, expected] of Object.entries(cases)) {
    it(`makes ${expected} of ${JSON.stringify(field)}`, () => assert.equal(choose(field), expected));
  }

  it("does not depend on the order of the members", () => {
    const name = fc.constantFrom("gzip", "x-gzip", "br", "zstd", "identity", "*", "deflate");
    const weight = fc.constantFrom("", ";q=0", ";q=0.5", ";q=1", ";q=7");
    const members = fc.array(
      fc.tuple(name, weight).map((parts) => parts.join("")),
      { maxLength: 6 },
    );
    fc.assert(
      fc.property(members, (list) => assert.equal(choose(list.join(", ")), choose(list.toReversed().join(", ")))),
    );
  });

  it("takes a field of any length in a moment", () => {
    assert.equal(choose(`${"gzip ".repeat(100_000)}, ${";".repeat(100_000)}, br`), "br");
  });
});
