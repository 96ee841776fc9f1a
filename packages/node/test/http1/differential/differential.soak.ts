import { it } from "node:test";
import { agreesWithNode } from "./differential.ts";

it("the parser takes nothing that Node's does not take, in 10,000,000 cases", (t) => {
  const seed = Date.now() % 2 ** 31;
  const { taken, stricter } = agreesWithNode(10_000_000, seed);
  t.diagnostic(`${taken} messages were taken by both, as the same`);
  for (const [what, count] of stricter) t.diagnostic(`${count} cases that only Node takes: ${what}`);
});
