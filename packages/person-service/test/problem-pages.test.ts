import { describe, it } from "node:test";
import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { problemTypes } from "waymark";
import { personServiceProblemTypes } from "../src/index.ts";
import { assertProblemPage } from "./answers.ts";
import { describeService } from "./transports.ts";

describeService("the pages of problems", (openService) => {
  describe("there is one for each kind", () => {
    const service = openService();
    for (const types of [problemTypes, connectionProblemTypes, collectionProblemTypes, personServiceProblemTypes]) {
      for (const { code } of Object.values(types)) it(code, () => assertProblemPage(service, `/problems/${code}`));
    }
  });
});
