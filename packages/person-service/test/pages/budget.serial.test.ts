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

  it("takes at most 40 KiB and 8 requests", async () => {
    const context = await scene().newContext();
    const page = await context.newPage();
    const finished: Request[] = [];
    page.on("requestfinished", (request) => finished.push(request));
    await page.goto(`${scene().url}/person`, { waitUntil: "networkidle" });
    const sizes = await Promise.all(finished.map((request) => request.sizes()));
    await context.close();
    const bytes = sizes.reduce((sum, { responseBodySize, responseHeadersSize }) => {
      return sum + responseBodySize + responseHeadersSize;
    }, 0);
    assert.ok(bytes > 5000 && bytes <= 40 * 1024, `${bytes} bytes`);
    assert.ok(finished.length <= 8, `${finished.length} requests`);
  });

  it("shows the people as soon as the page and its style are there", async () => {
    const context = await scene().newContext();
    const held: string[] = [];
    await context.route(
      (url) => !/^\/person$|\.css$/.test(url.pathname),
      (route) => held.push(route.request().url()),
    );
    const page = await context.newPage();
    await page.goto(`${scene().url}/person`, { waitUntil: "commit" });
    await page.getByText("Ada Lovelace 0").waitFor();
    await page.evaluate(
      `new Promise((resolve) => new PerformanceObserver(() => resolve()).observe({ type: "paint", buffered: true }))`,
    );
    assert.ok(held.length > 0);
    await context.close();
  });
});
