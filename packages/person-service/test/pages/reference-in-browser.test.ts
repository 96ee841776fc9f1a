import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { sqlite } from "../databases.ts";
import { describeInBrowser } from "./scene.ts";

describeInBrowser("the reference of the API", [sqlite], (scene) => {
  /** Sends the form of an operation as it is filled in, and returns what it shows of the answer. */
  async function send(page: Page, operation: string): Promise<string> {
    const article = page.locator(`#${operation}`);
    await article.locator("summary").first().click();
    await article.getByRole("button", { name: "Send" }).click();
    const output = article.locator("output");
    await output.getByText(/^\d{3} /).waitFor();
    return output.innerText();
  }

  it("has every operation", async () => {
    const page = await scene().open("/docs");
    const ids = await page.locator("article").evaluateAll((articles) => articles.map(({ id }) => id));
    assert.ok(
      ["readPerson", "listPeople", "createPerson", "greet"].every((id) => ids.includes(id)),
      ids.join(),
    );
  });

  it("sends what its forms say, and shows what comes", async () => {
    const page = await scene().open("/docs");
    assert.match(await send(page, "createPerson"), /^200 OK\n.*\nlocation: \/person\/1\n/s);
    assert.match(await send(page, "readPerson"), /^200 OK\n.*"name":"Ada Lovelace"/s);
    assert.match(await send(page, "removePerson"), /^200 OK\n/);
  });
});
