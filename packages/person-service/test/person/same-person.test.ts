import { describe, it } from "node:test";
import { runs } from "../../../waymark/test/tools/runs.ts";
import { editAtRandom } from "./same-person.ts";

describe("a person who is edited in every way", () => {
  it("is the same in each representation", () => editAtRandom(runs(100)));
});
