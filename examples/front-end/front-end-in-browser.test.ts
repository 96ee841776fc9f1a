import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { RunningServer } from "@waymark/node";
import { findChromium, launchChromium } from "../../packages/waymark/test/tools/chromium.ts";
import { openFolder } from "../../packages/waymark/test/tools/folder.ts";
import { compile, writeServiceTypes } from "../service-types.ts";
import { servePage, startService } from "./main.ts";

const chromium = findChromium();

describe("a front end", () => {
  const folder = openFolder("front-end");
  let page: RunningServer;
  let service: Awaited<ReturnType<typeof startService>>;
  before(async () => {
    page = await servePage(0);
    service = await startService(0, page.url);
  });
  after(async () => {
    await page.close({ grace: 0 });
    await service.stop();
  });

  it("compiles with the types of the service, and not with a member that it does not have", async () => {
    await writeServiceTypes(folder);
    for (const file of ["people.ts", "page.ts"]) copyFileSync(join(import.meta.dirname, file), folder.path(file));
    folder.write(
      "wrong.ts",
      'import type { Person } from "./people.ts";\nexport const nameOf = (person: Person) => person.nam;\n',
    );
    const stdout = await compile(folder, "page.ts", "wrong.ts");
    assert.match(stdout, /^wrong\.ts\(2,\d+\): error TS\d+: Property 'nam' does not exist[^\n]*\n$/);
  });

  it("shows what is stored, and what is refused", {
    skip: chromium === undefined && "there is no Chromium",
  }, async () => {
    const browser = await launchChromium(chromium as string); // There is one, or this is skipped.
    try {
      const shown = await browser.newPage();
      await shown.goto(`${page.url}/?service=${service.url}`);
      for (const name of ["Grace Hopper", "Ada Lovelace"]) {
        await shown.getByLabel("Name").fill(name);
        await shown.getByRole("button").click();
        await shown.getByRole("listitem").filter({ hasText: name }).waitFor();
      }
      assert.deepEqual(await shown.getByRole("listitem").allTextContents(), ["Ada Lovelace", "Grace Hopper"]);
      await shown.getByLabel("Name").fill("");
      await shown.getByRole("button").click();
      await shown.locator("output").filter({ hasText: /\w/ }).waitFor();
      assert.match((await shown.locator("output").textContent()) ?? "", /character/);
    } finally {
      await browser.close();
    }
  });
});
