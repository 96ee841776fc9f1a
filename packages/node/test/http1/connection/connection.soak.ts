import { it } from "node:test";
import { followsDefinition } from "./connection-model.ts";

it("a connection returns what its definition says, in 50,000 scripts", () => followsDefinition(50_000));
