import { it } from "node:test";
import { compareWithOrdinaryWay } from "./answer-memory.ts";

/** How many answers are compared: the variable COMPARISONS, or a million. */
const comparisons = Number(process.env["COMPARISONS"] ?? 1_000_000);

it(`sends from memory what it would make: ${comparisons} answers, 16 clients, keys revoked, workers killed`, async (t) => {
  const disturbances = Math.ceil(comparisons / 20_000);
  const { equal, between, writes } = await compareWithOrdinaryWay({ comparisons, readers: 16, disturbances });
  t.diagnostic(`${equal} answers equal, ${between} between two others, during ${writes} changes`);
});
