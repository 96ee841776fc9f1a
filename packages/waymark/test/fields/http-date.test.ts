import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { formatHttpDate, parseHttpDate } from "../../src/fields/http-date.ts";

const now = Date.UTC(2026, 10, 21);

describe("dates of HTTP", () => {
  for (const text of ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"]) {
    it(`understand ${text}`, () => assert.equal(parseHttpDate(text, now), Date.UTC(1994, 10, 6, 8, 49, 37)));
  }

  it("put a year of two digits at most 50 years ahead", () => {
    assert.equal(parseHttpDate("Sunday, 06-Nov-76 08:49:37 GMT", now), Date.UTC(2076, 10, 6, 8, 49, 37));
    assert.equal(parseHttpDate("Sunday, 06-Nov-77 08:49:37 GMT", now), Date.UTC(1977, 10, 6, 8, 49, 37));
  });

  it("take a leap second for the second before it", () =>
    assert.equal(parseHttpDate("Sat, 31 Dec 2016 23:59:60 GMT", now), Date.UTC(2016, 11, 31, 23, 59, 59)));

  const malformed = [
    "",
    "1994-11-06T08:49:37Z",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37",
    "sun, 06 nov 1994 08:49:37 gmt",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:60:00 GMT",
    "Sun, 06 Nov 1994 08:49:61 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
  ];
  for (const text of malformed) {
    it(`are not ${JSON.stringify(text)}`, () => assert.equal(parseHttpDate(text, now), undefined));
  }

  it("come back as they were written, to the second", () =>
    fc.assert(
      fc.property(
        fc.date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date(Date.UTC(9999, 11, 31)), noInvalidDate: true }),
        (date) => {
          const seconds = Math.floor(date.getTime() / 1000) * 1000;
          assert.equal(formatHttpDate(date.getTime()), date.toUTCString());
          assert.equal(parseHttpDate(formatHttpDate(date.getTime()), now), seconds);
        },
      ),
    ));
});
