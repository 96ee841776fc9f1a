import { it } from "node:test";
import { followsDefinition } from "./connection-model.ts";

it("a connection returns what its definition says, for any client and any handlers", () => followsDefinition(1_000));
