import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { contract } from "@waymark/testing";
import { openPersonService } from "../../src/index.ts";

// What clients have. A change that is meant writes it again: npm start -s -- openapi > packages/person-service/openapi.json
const published = JSON.parse(await readFile(join(import.meta.dirname, "../../openapi.json"), "utf8"));

describe("the service, and the document that its clients have", async () => {
  const { app, database } = await openPersonService({ database: ":memory:" });
  after(() => database.close());
  // The example in the document has the server wait.
  const examples = { Prefer: ["return=minimal", "return=representation", "handling=lenient", "count=exact", "fly"] };
  for (const { name, run } of await contract(app, { published, examples, requests: 40 })) it(`agree on ${name}`, run);
});
