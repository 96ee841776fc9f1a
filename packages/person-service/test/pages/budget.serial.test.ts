import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Request } from "playwright-core";
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
    const visits = [await visit()];
    // A machine that does something else may take longer once, and not each time.
    while (visits.length < 3 && visits.every(({ paint }) => paint >= 1000)) visits.push(await visit());
    for (const { bytes, requests } of visits) {
      assert.ok(bytes > 5000 && bytes <= 40 * 1024, `${bytes} bytes`);
      assert.ok(requests <= 8, `${requests} requests`);
    }
    const paint = Math.min(...visits.map((each) => each.paint));
    assert.ok(paint < 1000, `${paint} ms`);
  });

  /** What a visit takes that finds nothing in the cache, and after how many milliseconds it shows something. */
  async function visit(): Promise<{ readonly bytes: number; readonly requests: number; readonly paint: number }> {
    const context = await scene().newContext();
    const page = await context.newPage();
    const finished: Request[] = [];
    page.on("requestfinished", (request) => finished.push(request));
    await page.goto(`${scene().url}/person`, { waitUntil: "networkidle" });
    const paint = await page.evaluate(`performance.getEntriesByName("first-contentful-paint")[0].startTime`);
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    await context.close();
    const bytes = sizes.reduce((sum, { responseBodySize, responseHeadersSize }) => {
      return sum + responseBodySize + responseHeadersSize;
    }, 0);
    return { bytes, requests: finished.length, paint: Number(paint) };
  }
});
