import { it } from "node:test";
import { followsDefinition } from "./connection-model.ts";

it("a connection returns what its definition says, in 100,000 scripts", () => followsDefinition(100_000));
