import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { demoPeople } from "../../person-service/src/person/demo.ts";
import { describeInBrowser, kinds } from "./scene.ts";

const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What axe-core finds: each rule that is broken, and where. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run({ rules: { "target-size": { enabled: true } } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`);
}

type State = readonly [what: string, path: string, step?: (page: Page) => Promise<unknown>];

const states: readonly State[] = [
  ["the list", "/person"],
  ["a filter", "/person?jobTitle=Clerk", (page) => page.locator(".filters summary").click()],
  ["what the list is shown by", "/person", (page) => page.locator(":is(.columns, .narrow) summary:visible").click()],
  ["chosen people", "/person", (page) => page.locator("tbody input").first().check()],
  ["a person", "/person/1"],
  ["a form", "/person/1#edit", (page) => page.locator(".more summary").click()],
  ["a new person", "/person#new"],
  ["an import", "/person#import"],
  ["nobody", "/person?q=xyzzy"],
  ["a problem", "/person/99999"],
];

describeInBrowser("the page", kinds, (scene) => {
  before(async () => {
    await scene().people.createAll([
      {
        name: "Ada Lovelace",
        familyName: "Lovelace",
        jobTitle: "Clerk",
        emails: [{ value: "a@example.org", contexts: ["work"] }],
      },
      { name: "w".repeat(200), jobTitle: "長".repeat(200), email: `${"a".repeat(64)}@example.org` },
    ]);
  });

  for (const [i, [what, path, step]] of states.entries()) {
    const locale = ["en-GB", "de-DE", "fr-FR", "es-ES"][i % 4] ?? "en-GB";
    for (const [scheme, width] of [
      ["light", 1280],
      ["dark", 390],
    ] as const) {
      it(`keeps nobody out: ${what}, ${scheme}, ${width} pixels, ${locale}`, async () => {
        const page = await scene().open(path, { colorScheme: scheme, viewport: { width, height: 800 }, locale });
        await page.locator("#main").waitFor();
        await page.locator(":is(.people, .card, .editor, .drop, .empty):visible").first().waitFor();
        await step?.(page);
        assert.deepEqual(await faultsOf(page), []);
      });
    }
  }

  for (const width of [320, 768, 1920]) {
    it(`fits ${width} pixels in each language`, async () => {
      for (const locale of ["en-GB", "de-DE", "fr-FR", "es-ES"]) {
        for (const path of ["/person", "/person/2", "/person/1#edit", "/person#import"]) {
          const page = await scene().open(path, { viewport: { width, height: 800 }, locale });
          await page.locator("h1").first().waitFor({ state: "attached" });
          assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width, `${locale} ${path}`);
        }
      }
    });
  }
});

describeInBrowser("the first visit", kinds, (scene) => {
  before(async () => {
    await scene().people.createAll(await demoPeople());
  });

  for (const width of [390, 1280]) {
    it(`shows the list of 537 people by seven answers and 60 kB, ${width} pixels`, async () => {
      const context = await scene().newContext({ viewport: { width, height: 800 }, locale: "de-DE" });
      const page = await context.newPage();
      const network = await context.newCDPSession(page);
      await network.send("Network.enable");
      const urls = new Map<string, string>();
      network.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response.url));
      // The list is asked for again when the feed of changes opens after it has come.
      const sizes = new Map<string | undefined, number>();
      network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        const url = urls.get(requestId);
        if (!sizes.has(url)) sizes.set(url, encodedDataLength);
      });
      await page.goto(`${scene().url}/person`);
      await page.locator("tbody tr").nth(49).waitFor();
      assert.equal(sizes.size, 7, [...sizes.keys()].join("\n"));
      const bytes = sizes.values().reduce((sum, size) => sum + size);
      assert.ok(bytes <= 60_000, `${bytes} bytes`);
    });
  }
});
