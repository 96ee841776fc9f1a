import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page, Response } from "playwright-core";
import { openPersonService } from "../../person-service/src/index.ts";
import { programFiles } from "../../person-service/test/tools/programs/program-files.ts";
import { noon } from "../../person-service/test/tools/transports.ts";
import { describeInBrowser, kinds } from "./scene.ts";

describeInBrowser("importing in a browser", kinds, (scene) => {
  const wide = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };
  const choose = (page: Page, text: string | Buffer, name = "people.csv"): Promise<void> =>
    page.locator("input[type=file]").setInputFiles({ name, mimeType: "", buffer: Buffer.from(text) });
  const found = (query: string): Promise<readonly unknown[]> => scene().ask(`/person?${query}&fields=name`);

  it("shows what it understood, and saves", async () => {
    const page = await scene().open("/person", wide);
    await page.getByRole("link", { name: "Import" }).click();
    await choose(
      page,
      "First Name,Last Name,E-mail Address,Fax 2,Shoe size\nAda,Lovelace,ada@example.org,,38\nBob,Bee,,,40\n",
    );
    await page.getByText("2 people can be stored.").waitFor();
    assert.equal(await page.getByLabel("Member for First Name").inputValue(), "givenName");
    await page.getByText("2 columns are left out: Fax 2, Shoe size").waitFor();
    const save = page.getByRole("button", { name: "Save 2 people" });
    const box = await save.boundingBox();
    assert.ok(box !== null && box.y + box.height <= 800, "Save is in sight");
    await save.click();
    await page.getByText("2 people saved.").waitFor();
    await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
    assert.equal((await found("q=bee")).length, 1);
  });

  it("stores nobody twice, unless that is chosen", async () => {
    const page = await scene().open("/person#import", wide);
    await choose(page, "First Name,Last Name,E-mail Address\nAda,Lovelace,ada@example.org\n");
    await page.getByText("1 person is stored already.").waitFor();
    assert.equal(await page.getByRole("button", { name: /^Save/ }).count(), 0);
    await page.getByLabel("People who are likely stored already").selectOption({ label: "are stored once more" });
    await page.getByRole("button", { name: "Save 1 person" }).waitFor();
  });

  it("asks which day a date is, and takes a column for another member", async () => {
    const page = await scene().open("/person#import", wide);
    await choose(page, "Name;Born;Rang\nGrace Hopper;9/12/1906;Admiral\n");
    await page.getByLabel("Member for Born").selectOption({ label: "Date of birth" });
    await page.getByText("Choose which day 9/12/1906 is.").waitFor();
    await page.getByLabel("9/12/1906 is").selectOption({ label: "9 Dec 1906" });
    await page.getByText("1 column is left out").click();
    await page.getByLabel("Member for Rang").selectOption({ label: "Job title" });
    await page.getByRole("button", { name: "Save 1 person" }).click();
    await page.getByRole("link", { name: "Grace Hopper" }).waitFor();
    assert.equal((await found("birthDate=1906-12-09&jobTitle=Admiral")).length, 1);
  });

  it("says what is wrong in which line, and saves those who are good", async () => {
    const page = await scene().open("/person#import", wide);
    await choose(page, "Name,E-mail\nGood One,good@example.org\nBad One,not an address\n");
    await page.getByText("Line 3: Email must be an address such as ada@example.org").waitFor();
    await page.getByRole("button", { name: "Save the 1 that is good" }).click();
    await page.locator(".outcome").getByText("1 person saved.").waitFor();
    assert.equal((await found("q=good")).length, 1);
    assert.equal((await found("q=bad")).length, 0);
  });

  for (const [name, content] of Object.entries(programFiles)) {
    it(`has the report of a request, byte for byte, and so of the command: ${name}`, async () => {
      const page = await scene().open("/person#import", wide);
      const { app, database } = await openPersonService({ database: ":memory:", now: () => new Date(noon) });
      await using _ = database;
      const headers = { "Content-Type": `application/octet-stream; name="${name}"`, Prefer: "handling=lenient" };
      const asked = async (query: string): Promise<string> => {
        const body = new Uint8Array(Buffer.from(content));
        const request = new Request(`http://localhost/person?${query}`, { method: "POST", headers, body });
        return (await app.fetch(request)).text();
      };
      const answer = (isDry: boolean): Promise<Response> =>
        page.waitForResponse((each) => each.request().method() === "POST" && each.url().includes("dry-run") === isDry);
      for (const { id } of await scene().ask<readonly { readonly id: number }[]>("/person?fields=id"))
        await scene().people.remove(id);
      const checked = answer(true);
      await choose(page, content, name);
      assert.equal(await (await checked).text(), await asked("dry-run=true&on-match=skip"));
      const saved = answer(false);
      await page.getByRole("button", { name: /^Save/ }).click();
      assert.equal(await (await saved).text(), await asked("on-match=skip"));
    });
  }

  it("takes cards, and what was dropped", async () => {
    const page = await scene().open("/person#import", wide);
    await page.locator("form.import").evaluate((form) => {
      const data = new DataTransfer();
      data.items.add(new File(["BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Dropped Dora\r\nEND:VCARD\r\n"], "dora.vcf"));
      form.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    await page.getByRole("button", { name: "Save 1 person" }).click();
    await page.getByRole("link", { name: "Dropped Dora" }).waitFor();
  });

  it("says what a file is not, and takes the next", async () => {
    const page = await scene().open("/person#import", wide);
    await choose(page, "Name,E-mail\n", "empty.csv");
    await page.getByText("has no people in it").waitFor();
    await choose(page, "{", "broken.json");
    await page.locator(".outcome .banner").waitFor();
    await page.route("**/person?dry-run=true*", (route) => route.abort("connectionreset"), { times: 1 });
    await choose(page, "Name\nNext Nora\n");
    await page.getByText("There is no answer from the service").waitFor();
    await choose(page, "Name\nNext Nora\n");
    await page.getByRole("button", { name: "Save 1 person" }).waitFor();
  });
});
