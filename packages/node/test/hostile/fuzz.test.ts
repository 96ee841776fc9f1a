import { it } from "node:test";
import { withstandsFuzzing } from "./fuzz.ts";

it("answers random bytes, faulty requests and random pieces of sound ones rightly", () => withstandsFuzzing(300));
