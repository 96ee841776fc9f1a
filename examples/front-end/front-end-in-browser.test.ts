import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import type { RunningServer } from "@waymark/node";
import { findChromium, launchChromium } from "../../packages/waymark/test/chromium.ts";
import { openFolder } from "../../packages/waymark/test/folder.ts";
import { servePage, startService, writeClient } from "./main.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const chromium = findChromium();

describe("a front end", () => {
  const { root: folder } = openFolder("front-end");
  let page: RunningServer;
  let service: Awaited<ReturnType<typeof startService>>;
  before(async () => {
    for (const file of ["people.ts", "page.ts"]) await copyFile(join(import.meta.dirname, file), join(folder, file));
    await writeClient(join(folder, "client.ts"));
    page = await servePage(0, folder);
    service = await startService(0, page.url);
  });
  after(async () => {
    await page.close({ grace: 0 });
    await service.stop();
  });

  it("compiles with the types of the service, and not with a member that it does not have", async () => {
    await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    await writeFile(
      join(folder, "wrong.ts"),
      'import type { Person } from "./people.ts";\nexport const nameOf = (person: Person) => person.nam;\n',
    );
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--allowImportingTsExtensions", "--module", "nodenext"];
    const files = ["--target", "es2024", "--lib", "es2024,dom,dom.iterable", "page.ts", "wrong.ts"];
    const { stdout } = await run(join(root, "node_modules/.bin/tsc"), [...options, ...files], { cwd: folder }).catch(
      (error) => error,
    );
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
