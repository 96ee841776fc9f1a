import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { collectionProblemTypes } from "@waymark/collection";
import { connectionProblemTypes } from "@waymark/node";
import { problemTypes } from "waymark";
import { personServiceProblemTypes } from "../../src/index.ts";
import { assertProblemPage } from "../tools/answers.ts";
import { describeService } from "../tools/transports.ts";

describeService("the pages of problems", (openService) => {
  describe("there is one for each kind", () => {
    const service = openService();
    for (const types of [problemTypes, connectionProblemTypes, collectionProblemTypes, personServiceProblemTypes]) {
      for (const { code } of Object.values(types)) it(code, () => assertProblemPage(service, `/problems/${code}`));
    }

    it("as a page for a browser", async () => {
      const headers = { Accept: "text/html,*/*;q=0.8", "Accept-Language": "de" };
      const { status, text } = await service.send("GET", "/problems/misdirected-request", { headers });
      assert.equal(status, 200);
      assert.match(text, /<h1>421 Misdirected Request<\/h1>.*<code>--host-name<\/code>/s);
    });
  });
});
