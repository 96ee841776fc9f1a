import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { wording } from "waymark/internal";

describe("the nearest name", () => {
  const members = ["id", "name", "givenName", "familyName", "birthDate", "email", "telephone", "address.postalCode"];
  const cases: readonly [name: string, nearest: string | undefined][] = [
    ["birthdate", "birthDate"],
    ["familynane", "familyName"],
    ["emial", "email"],
    ["e-mail", "email"],
    ["nam", "name"],
    ["tel", "telephone"],
    ["given", "givenName"],
    ["ad", undefined],
    ["shoeSize", undefined],
    ["", undefined],
    ["x", undefined],
    ["id ", "id"],
    ["n".repeat(65), undefined],
  ];
  for (const [name, nearest] of cases) {
    it(`to ${JSON.stringify(name.slice(0, 20))} is ${nearest ?? "none"}`, () => {
      assert.equal(wording.nearestName(name, members), nearest);
    });
  }

  it("is the first of two that are equally near", () => {
    assert.equal(wording.nearestName("cat", ["bat", "hat"]), "bat");
  });

  it("is undefined where several begin so", () => {
    assert.equal(wording.nearestName("address", ["address.postalCode", "address.addressRegion"]), undefined);
  });
});
