import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dateReader } from "../../src/transfer/dates.ts";

describe("the form of dates", () => {
  const now = () => new Date("2026-11-23T12:00:00Z");
  const cases: readonly (readonly [form: string, text: string, date: string | undefined])[] = [
    ["D.M.YYYY", "1.2.1970", "1970-02-01"],
    ["DD.MM.YYYY", "01.02.1970", "1970-02-01"],
    ["dd.mm.yyyy", "1.2.1970", "1970-02-01"],
    ["m/d/yyyy", "12/31/1990", "1990-12-31"],
    ["YYYYMMDD", "18151210", "1815-12-10"],
    ["DDMMYY", "101270", "1970-12-10"],
    ["DDMMYY", "10127", undefined],
    // Two digits are the latest year that is not in the future.
    ["D.M.YY", "1.2.70", "1970-02-01"],
    ["D.M.YY", "1.1.26", "2026-01-01"],
    ["D.M.YY", "23.11.26", "2026-11-23"],
    ["D.M.YY", "24.11.26", "1926-11-24"],
    ["D.M.YY", "1.1.27", "1927-01-01"],
    ["D.M.YY", "1.2.1970", undefined],
    ["D.M.YYYY", "1.2.70", undefined],
    ["D-MMM-YYYY", "12-Jan-1990", "1990-01-12"],
    ["d-mmm-yy", "12-JAN-90", "1990-01-12"],
    ["D MMMM YYYY", "2 sept. 1990", "1990-09-02"],
    ["D. MMM YYYY", "3. März 1990", "1990-03-03"],
    ["D. MMMM YYYY", "3. Dezember 1990", "1990-12-03"],
    ["D MMM YYYY", "14 août 1990", "1990-08-14"],
    ["D MMMM YYYY", "14 de agosto 1990", undefined],
    ["D MMMM YYYY", "1 stycznia 1990", "1990-01-01"],
    ["MMM D, YYYY", "Feb 3, 1990", "1990-02-03"],
    ["DMMMYYYY", "3feb1990", "1990-02-03"],
    ["D MMM YYYY", "3 Foo 1990", undefined],
    ["D MMM YYYY", "3 02 1990", undefined],
  ];
  for (const [form, text, date] of cases) {
    it(`${form} reads ${text} as ${date}`, () => {
      assert.equal(dateReader(form, now).read(text), date);
    });
  }

  for (const form of ["", "D.M", "D.M.YYY", "D.M.YYYY D", "DD.MMMMM.YYYY", "D.M.Y", "tag", "DDD.MM.YYYY"]) {
    it(`${JSON.stringify(form)} is refused`, () => {
      assert.throws(() => dateReader(form), RangeError);
    });
  }

  it("is shown with an example that it reads", () => {
    for (const form of ["D.M.YY", "MM/DD/YYYY", "D MMM YYYY", "MMMM D, YY", "YYYYMMDD"]) {
      const reader = dateReader(form, now);
      assert.equal(reader.read(reader.example), "1990-12-10", form);
    }
  });
});
