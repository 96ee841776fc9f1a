import { it } from "node:test";
import { agreesWithNode } from "./differential.ts";

it("the parser takes nothing that Node's does not take, in 10,000,000 cases", async () => {
  const seed = Date.now() % 2 ** 31;
  await agreesWithNode(10_000_000, seed);
});
