import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { serve } from "@waymark/node";
import { contract } from "@waymark/testing";
import { testEngine } from "../../../node/test/tools/test-engine.ts";
import { openPersonService } from "../../src/index.ts";

for (const transport of ["in process", "over a socket"] as const) {
  describe(`the requests that the contract kit makes, ${transport}`, async () => {
    const faults: unknown[] = [];
    const { app, database } = await openPersonService({
      database: ":memory:",
      checkAnswers: true,
      onFault: (error) => faults.push(error),
    });
    const server = transport === "in process" ? undefined : await serve(app, { engine: testEngine });
    after(async () => {
      await server?.close({ grace: 0 });
      await database.close();
      assert.deepEqual(faults, []);
    });
    const options = {
      ...(server === undefined ? { requests: 100 } : { base: server.url, requests: 60 }),
      // The example in the document has the server wait.
      examples: { Prefer: ["return=minimal", "return=representation", "handling=lenient", "count=exact", "fly"] },
    };
    for (const { name, run, statuses } of await contract(app, options)) {
      it(`are answered as declared: ${name}`, async () => {
        await run();
        const isMet = [...statuses.keys()].some((status) => status < 300);
        // Nobody is stored under an id of the client's choice, a file has its digest in its name, the choice of a language leads back,
        // and nothing else is there.
        assert.equal(
          isMet,
          !/^(?:POST \/person\/\{id\}|GET \/assets|POST \/language|what)/.test(name),
          [...statuses.keys()].join(" "),
        );
      });
    }
  });
}
