import { it } from "node:test";
import { withstandsFuzzing } from "./fuzz.ts";

/** How many inputs of each kind: the variable FUZZ_ROUNDS, or fifty thousand. */
const rounds = Number(process.env["FUZZ_ROUNDS"] ?? 50_000);

it(`answers ${rounds} inputs of each kind rightly`, () => withstandsFuzzing(rounds));
