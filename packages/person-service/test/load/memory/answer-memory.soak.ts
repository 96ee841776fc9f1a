import { it } from "node:test";
import { compareWithOrdinaryWay } from "./answer-memory.ts";

/** How many answers are compared: the variable COMPARISONS, or a million. */
const comparisons = Number(process.env["COMPARISONS"] ?? 1_000_000);

for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
  const what = `${comparisons} answers over ${protocol}, 16 clients, keys revoked`;
  it(`sends from memory what it would make: ${what}`, async (t) => {
    const disturbances = Math.ceil(comparisons / 100_000);
    const { equal, between, writes } = await compareWithOrdinaryWay({
      protocol,
      comparisons,
      readers: 16,
      disturbances,
    });
    t.diagnostic(`${equal} answers equal, ${between} between two others, during ${writes} changes`);
  });
}
