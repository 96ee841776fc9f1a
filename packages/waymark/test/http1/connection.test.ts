import { it } from "node:test";
import { followsDefinition } from "./connection-model.ts";

it("a connection returns what its definition says, whatever its client and the handlers do", () =>
  followsDefinition(1_000));
