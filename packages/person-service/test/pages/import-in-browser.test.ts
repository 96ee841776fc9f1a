import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

const choose = (page: Page, name: string, text: string): Promise<void> =>
  page.locator("[data-part=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

describeInBrowser("an import in a browser", kinds, (scene) => {
  it("has its columns named, every bad line shown, and stores the good ones", async () => {
    const page = await scene().open("/person");
    await page.getByRole("button", { name: "Import" }).click();
    const csv = [
      "Full name;Family name;E-Mail;birthDate;Land",
      "Grace Hopper;Hopper;grace@example.org;1906-12-09;united states",
      '"Clarke; Edith";Clarke;edith;1883-02-10;US',
      "",
      '"Ada ""King""\u00a0Lovelace";Lovelace;;1815-13-10;Untied Kingdom',
    ].join("\r\n");
    await choose(page, "people.csv", csv);
    const select = (column: string) => page.getByLabel(`Member for ${column}`, { exact: true });
    assert.equal(await select("Family name").inputValue(), "familyName");
    assert.equal(await select("E-Mail").inputValue(), "email");
    assert.equal(await select("birthDate").inputValue(), "birthDate");
    assert.equal(await select("Full name").inputValue(), "name");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("1 person can be stored, and 2 cannot:").waitFor();
    assert.deepEqual(await page.locator("#import .errors li").allTextContents(), [
      "Line 3: email must have one @ as in ada@example.org, not 0",
      "Line 5: birthDate must be a real date; there is no month 13",
      'Line 5: address.addressCountry must be an ISO 3166-1 alpha-2 country code in capitals such as NO, not "Untied Kingdom"',
    ]);
    assert.equal(await scene().people.count(), 0);
    await select("Land").selectOption("(left out)");
    await select("E-Mail").selectOption("(left out)");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("2 people can be stored, and 1 cannot:").waitFor();
    await page.getByRole("button", { name: "Store the 2 that are good" }).click();
    await page.getByText("2 people stored.").waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("link", { name: "Clarke; Edith" }).waitFor();
    assert.equal(await scene().people.count(), 2);
  });

  it("shows conflicts with stored people before it stores", async () => {
    await scene().people.create({ name: "Ada Lovelace", identifier: "ada" });
    const page = await scene().open("/person");
    await page.getByRole("button", { name: "Import" }).click();
    await choose(page, "people.csv", "name,identifier\nAda King,ada\nMary,mary\n");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("1 person can be stored, and 1 cannot:").waitFor();
    assert.deepEqual(await page.locator("#import .errors li").allTextContents(), [
      "Line 2: identifier is already used by another record",
    ]);
  });

  it("takes NDJSON as it is, dropped", async () => {
    const before = await scene().people.count();
    const page = await scene().open("/person");
    await page.getByRole("button", { name: "Import" }).click();
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['{"name":"Ada"}\\n{"name":"Grace"}\\n'], "people.ndjson"));
      return transfer;
    })()`);
    await page.dispatchEvent("#import", "drop", { dataTransfer: transfer });
    await page.getByRole("button", { name: "Store 2 people" }).click();
    await page.getByText("2 people stored.").waitFor();
    assert.equal(await scene().people.count(), before + 2);
  });

  it("says what a file lacks", async () => {
    const page = await scene().open("/person");
    await page.getByRole("button", { name: "Import" }).click();
    await choose(page, "empty.csv", "name,email\n");
    await page.getByText("empty.csv has no rows below a header.").waitFor();
    await choose(page, "twice.csv", "name,Name\nAda,Ada\n");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("Two columns become name.").waitFor();
  });
});
