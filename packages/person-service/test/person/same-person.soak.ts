import { describe, it } from "node:test";
import { editAtRandom } from "./same-person.ts";

describe("a person who is edited 200,000 times in every way", () => {
  it("is the same in each representation", async () => {
    for (let i = 0; i < 200; i++) await editAtRandom(1000);
  });
});
