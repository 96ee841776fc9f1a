// Makes the pictures of the docs: npm run screenshots, or with a folder, and the names of some of them,
// npm run screenshots -- FOLDER NAME…. It needs Chromium, and writes docs/assets/people-*.png.

import { mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { serve } from "@waymark/node";
import { openPersonService } from "@waymark/person-service";
import { demoPeople } from "../packages/person-service/src/person/demo.ts";
import { findChromium, launchChromium } from "../packages/waymark/test/tools/chromium.ts";
import { pictures } from "./pictures.ts";

const executable = findChromium();
if (executable === undefined) throw new Error("There is no Chromium on this machine");
const [folder = fileURLToPath(new URL("../docs/assets/", import.meta.url)), ...names] = process.argv.slice(2);
const made = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
await mkdir(folder, { recursive: true });

const { app, people, database } = await openPersonService({ database: ":memory:" });
await people.createAll(await demoPeople());
const server = await serve(app);
const browser = await launchChromium(executable);
try {
  for (const { name, path, width, height, scheme, prepare } of made) {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
    const page = await context.newPage();
    await page.goto(server.url + path);
    await page.locator("#main h1").first().waitFor({ state: "attached" });
    await page.locator(".people, .card, .drop, .status").first().waitFor();
    await prepare?.(page);
    await page.screenshot({ path: `${folder}/people-${name}.png`, animations: "disabled" });
    await context.close();
  }
} finally {
  await browser.close();
  await server.close({ grace: 0 });
  await database.close();
}
