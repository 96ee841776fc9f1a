import assert from "node:assert/strict";
import { before, it } from "node:test";
import { sqlite } from "../databases.ts";
import { describeInBrowser } from "./scene.ts";

describeInBrowser("the first visit of a list of 50", [sqlite], (scene) => {
  before(async () => {
    const person = {
      givenName: "Ada",
      familyName: "Lovelace",
      jobTitle: "Countess",
      worksFor: "The Analytical Engine",
    };
    await scene().people.createAll(
      Array.from({ length: 60 }, (_, i) => ({ ...person, name: `Ada Lovelace ${i}`, email: `ada.${i}@example.org` })),
    );
  });

  it("takes at most 40 KiB and 8 requests, and shows something within a second", async () => {
    const context = await scene().newContext();
    const page = await context.newPage();
    let bytes = 0;
    let requests = 0;
    page.on("requestfinished", async (request) => {
      requests++;
      const { responseBodySize, responseHeadersSize } = await request.sizes();
      bytes += responseBodySize + responseHeadersSize;
    });
    await page.goto(`${scene().url}/person`, { waitUntil: "networkidle" });
    const paint = await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`);
    await context.close();
    assert.ok(bytes > 5000 && bytes <= 40 * 1024, `${bytes} bytes`);
    assert.ok(requests <= 8, `${requests} requests`);
    assert.ok(Number(paint) < 1000, `${paint} ms`);
  });
});
