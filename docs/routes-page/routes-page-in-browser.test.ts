import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { findChromium, launchChromium } from "../../packages/waymark/test/tools/chromium.ts";
import { openFolder } from "../../packages/waymark/test/tools/folder.ts";

const chromium = findChromium();

describe("the page of the documentation that asks a table of routes", () => {
  const folder = openFolder("routes-page");

  it("is one file, and shows who is refused, which route answers, and what", {
    skip: chromium === undefined && "there is no Chromium",
  }, async () => {
    const file = folder.path("routes.html");
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, "../../scripts/routes-page.ts"), file]);
    const browser = await launchChromium(chromium as string); // There is one, or this is skipped.
    try {
      const page = await browser.newPage();
      const requests: string[] = [];
      page.on("request", (request) => requests.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      assert.match(await page.innerText("#reach"), /DELETE\s+\/orders\/\{id\}\s+401, 403/);
      assert.match(await page.innerText("#reach"), /GET\s+\/health\s+open\s+monitors have no credentials/);
      await page.locator(".chosen", { hasText: "→ DELETE /orders/{id}" }).waitFor();
      await page.locator("#answer", { hasText: /^403\n/ }).waitFor();
      await page.getByLabel("Request").fill("GET /orders/1");
      await page.locator("#answer", { hasText: /^405, the router’s own answer\nAllow: DELETE, OPTIONS/ }).waitFor();
      await page.getByLabel("Request").fill("GET orders");
      await page.locator("#answer", { hasText: "The target must begin with" }).waitFor();
      await page.getByLabel("Table").selectOption("What nobody has thought of");
      assert.match(await page.innerText("#findings"), /unguarded: POST \/users\/\{id\}\/password is open to everybody/);
      assert.match(await page.innerText("#findings"), /shadowed: GET \/users\/me is never reached/);
      assert.deepEqual(requests, [pathToFileURL(file).href]);
    } finally {
      await browser.close();
    }
  });
});
