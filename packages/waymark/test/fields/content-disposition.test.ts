import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attachment } from "waymark/fields";

describe("attachment(name)", () => {
  const cases: readonly [name: string, field: string][] = [
    ["person.csv", 'attachment; filename="person.csv"'],
    ["a person; one.csv", 'attachment; filename="a person; one.csv"'],
    ["Bücher.csv", "attachment; filename=\"B_cher.csv\"; filename*=UTF-8''B%C3%BCcher.csv"],
    ["😀.csv", "attachment; filename=\"_.csv\"; filename*=UTF-8''%F0%9F%98%80.csv"],
    ['the "one".csv', "attachment; filename=\"the _one_.csv\"; filename*=UTF-8''the%20%22one%22.csv"],
    ["100%.csv", "attachment; filename=\"100_.csv\"; filename*=UTF-8''100%25.csv"],
    ["ü'(*).csv", "attachment; filename=\"_'(*).csv\"; filename*=UTF-8''%C3%BC%27%28%2A%29.csv"],
  ];
  for (const [name, field] of cases) {
    it(`gives ${field}`, () => assert.equal(attachment(name), field));
  }

  for (const name of ["", "a/b", "a\\b", "a\nb", "a\u007f"]) {
    it(`refuses ${JSON.stringify(name)}`, () => assert.throws(() => attachment(name), TypeError));
  }
});
