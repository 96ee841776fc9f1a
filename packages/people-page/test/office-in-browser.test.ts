import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

const names = (page: Page): Promise<readonly string[]> => page.locator("tbody th").allTextContents();

describeInBrowser("an office's day", kinds, (scene) => {
  const wide = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };

  before(async () => {
    const people = Array.from({ length: 120 }, (_, i) => ({
      name: `Person ${String(i + 1).padStart(3, "0")}`,
      familyName: String(i + 1).padStart(3, "0"),
      jobTitle: i % 10 === 0 ? "Countess" : "Clerk",
      ...(i % 2 === 0 && { birthDate: `19${String(10 + (i % 80))}-01-31` }),
    }));
    await scene().people.createAll([
      ...people,
      {
        name: "Ada Lovelace",
        givenName: "Ada",
        familyName: "Lovelace",
        email: "ada@example.org",
        categories: ["Press"],
      },
    ]);
  });

  it("opens by family name, without a column that hardly anybody has", async () => {
    const page = await scene().open("/person", wide);
    await page.getByRole("link", { name: "Person 001" }).waitFor();
    assert.equal((await names(page)).length, 50);
    assert.deepEqual(await page.locator("thead th:not(.box)").allTextContents(), ["Name", "Job title"]);
    assert.equal(await page.locator("tbody th b").first().textContent(), "001");
  });

  it("finds as one types, offers the nearest name, and the address leads to the same", async () => {
    const page = await scene().open("/person", wide);
    await page.getByRole("searchbox").pressSequentially("lovelase");
    await page.getByRole("link", { name: "lovelace" }).click();
    await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
    assert.equal(new URL(page.url()).search, "?q=lovelace");
    assert.equal(await page.title(), "“lovelace” · People");
    await page.reload();
    await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
    assert.deepEqual(await names(page), ["Ada Lovelace"]);
  });

  it("is narrowed by one filter after the other, which offer the values that exist, and sorted", async () => {
    const page = await scene().open("/person", wide);
    await page.getByText("Filter", { exact: true }).click();
    await page.getByRole("button", { name: "Job title" }).click();
    assert.equal(await page.locator(":focus").getAttribute("aria-label"), "Value");
    await page.keyboard.type("count");
    await page.locator("#v-filter-value option").first().waitFor({ state: "attached" });
    assert.equal(await page.locator("#v-filter-value option").first().getAttribute("value"), "Countess");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.getByText("Job title begins with count").waitFor();
    await page.getByText("12 people found").waitFor({ state: "attached" });
    await page.getByText("Filter", { exact: true }).click();
    await page.getByRole("button", { name: "Date of birth" }).click();
    await page.getByLabel("Value").fill("1.1.1950");
    await page.getByRole("button", { name: "Apply" }).click();
    await page.waitForURL(/birthDate%5Bge%5D=1950-01-01/);
    await page.getByLabel(/Remove the filter: Date of birth/).click();
    await page.waitForURL((url) => !url.search.includes("birthDate"));
    await page.getByRole("link", { name: "Name", exact: true }).click();
    await page.waitForURL(/sort=-familyName/);
    await page.getByRole("link", { name: "Person 111" }).waitFor();
    assert.equal((await names(page))[0], "Person 111");
  });

  it("is walked page by page, to the end and back", async () => {
    const page = await scene().open("/person?sort=-name", wide);
    await page.getByRole("link", { name: "Person 120" }).waitFor();
    const seen = [...(await names(page))];
    for (const count of [50, 21]) {
      const [last = ""] = (await names(page)).slice(-1);
      await page.getByRole("link", { name: "Next" }).click();
      await page.getByRole("link", { name: last, exact: true }).waitFor({ state: "detached" });
      const shown = await names(page);
      assert.equal(shown.length, count);
      seen.push(...shown);
    }
    assert.equal(new Set(seen).size, 121);
    await page.getByRole("link", { name: "First" }).click();
    await page.getByRole("link", { name: "Person 120" }).waitFor();
  });

  it("keeps the columns on the device until they are reset", async () => {
    const page = await scene().open("/person", wide);
    const choose = async (name: string): Promise<void> => {
      await page.getByText("Columns", { exact: true }).click();
      await page.locator(".columns").getByLabel(name, { exact: true }).check();
    };
    await choose("Date of birth");
    await page.getByRole("cell", { name: "31 Jan 1910" }).waitFor();
    await page.reload();
    await page.getByRole("columnheader", { name: "Date of birth" }).waitFor();
    await page.getByText("Columns", { exact: true }).click();
    await page.getByRole("button", { name: "Reset" }).click();
    await page.getByRole("columnheader", { name: "Date of birth" }).waitFor({ state: "detached" });
  });

  it("opens a person beside the list, which keeps its place, and leads to the next", async () => {
    const page = await scene().open("/person?q=person&sort=-name", wide);
    await page.getByRole("link", { name: "Person 120" }).click();
    await page.getByRole("heading", { name: "Person 120" }).waitFor();
    assert.match(page.url(), /\/person\/\d+$/);
    assert.ok(await page.getByRole("link", { name: "Person 120" }).isVisible());
    const panel = page.locator(".panel");
    assert.equal(await panel.getByRole("link", { name: "Previous" }).count(), 0, "it is the first one");
    await panel.getByRole("link", { name: "Next" }).click();
    await page.getByRole("heading", { name: "Person 119" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Person 119" }).waitFor();
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.waitForURL(/\?q=person&sort=-name$/);
  });

  it("says that nothing is where nothing is", async () => {
    const page = await scene().open("/nothing", wide);
    await page.getByRole("heading", { name: "Nothing is here" }).waitFor();
  });

  it("makes a person, with further e-mails and an address, and reads dates and countries as they are written", async () => {
    const page = await scene().open("/person", wide);
    await page.getByRole("link", { name: "New person" }).click();
    await page.locator(".panel").getByLabel("Given name").fill("Grace");
    await page.getByLabel("Family name").fill("Hopper");
    await page.getByLabel("Email", { exact: true }).fill("grace@example.org");
    await page.getByRole("button", { name: "+ Further emails" }).click();
    await page.getByLabel("Further emails 1", { exact: true }).fill("admiral@example.org");
    await page.getByLabel("Further emails 1, what for").selectOption("work");
    await page.getByLabel("Country", { exact: true }).fill("Turkey");
    await page.locator(".more summary").click();
    await page.getByLabel("Date of birth").fill("9.12.1906");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Grace Hopper" }).waitFor();
    const id = page.url().split("/").at(-1);
    const { createdAt: _, updatedAt: __, ...grace } = await scene().ask<Record<string, unknown>>(`/person/${id}`);
    assert.deepEqual(grace, {
      id: Number(id),
      name: "Grace Hopper",
      givenName: "Grace",
      familyName: "Hopper",
      birthDate: "1906-12-09",
      email: "grace@example.org",
      emails: [{ value: "admiral@example.org", contexts: ["work"] }],
      address: { addressCountry: "TR" },
    });
  });

  it("says at the field what is wrong, keeps what was typed, and saves it when it is right", async () => {
    const page = await scene().open("/person?q=ada", wide);
    await page.getByRole("link", { name: "Ada Lovelace" }).click();
    await page.getByRole("link", { name: "Edit" }).waitFor();
    await page.keyboard.press("e");
    await page.getByLabel("Email", { exact: true }).fill("ada at example");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("must be an address such as ada@example.org").waitFor();
    await page.locator(":focus", { hasText: "Not right yet: Email" }).waitFor();
    assert.equal(await page.getByLabel("Email", { exact: true }).inputValue(), "ada at example");
    await page.reload();
    await page.getByText("This is what you typed before").waitFor();
    await page.getByLabel("Email", { exact: true }).fill("countess@example.org");
    await page.getByLabel("Family name").fill("King");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Ada King" }).waitFor();
    await page.getByText("Saved.").waitFor();
    await page.locator(".panel").getByRole("link", { name: "countess@example.org" }).waitFor();
  });

  it("deletes a person, who comes back by Undo, and is gone without it", async () => {
    const id = await scene().add({ name: "Erased Eve" });
    const page = await scene().open(`/person/${id}`, wide);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByText("Erased Eve is deleted.").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.goto(`${scene().url}/person/${id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    const removed = page.waitForResponse((response) => response.request().method() === "DELETE");
    await page.locator(".notice").getByRole("button", { name: "Close" }).click();
    assert.ok((await removed).ok());
    assert.equal(await scene().people.find(id), undefined);
  });

  it("changes many, after showing whom", async () => {
    const page = await scene().open("/person?q=countess", wide);
    await page.getByLabel("Person 001").check();
    await page.getByLabel("Person 011").check();
    await page.getByLabel("Value").fill("Nobility");
    await page.getByRole("button", { name: "Go on…" }).click();
    await page.getByRole("heading", { name: "Change 2 people?" }).waitFor();
    await page.getByText("Categories: “Nobility” is added.").waitFor();
    await page.getByRole("button", { name: "Change 2 people" }).click();
    await page.getByText("2 people are changed.").waitFor();
    const found = await scene().ask<readonly { readonly name: string }[]>("/person?categories=Nobility&fields=name");
    assert.deepEqual(
      found.map(({ name }) => name),
      ["Person 001", "Person 011"],
    );
  });

  it("deletes all of a list only when their number is typed", async () => {
    await scene().people.createAll(Array.from({ length: 60 }, (_, i) => ({ name: `Leaver ${i}` })));
    const page = await scene().open("/person?q=leaver", wide);
    await page.getByLabel("Choose everybody on this page").check();
    await page.getByRole("button", { name: "Choose all 60 of this list" }).click();
    await page.getByLabel("Action").selectOption("delete");
    await page.getByRole("button", { name: "Go on…" }).click();
    await page.getByLabel("To delete them, type 60:").fill("59");
    await page.getByText("This is not how many they are.").waitFor();
    assert.equal(await page.getByLabel("To delete them").getAttribute("aria-invalid"), "true");
    await page.getByLabel("To delete them, type 60:").fill("60");
    await page.getByRole("button", { name: "Delete 60 people" }).click();
    await page.getByText("60 people are deleted.").waitFor();
    assert.deepEqual(await scene().ask("/person?q=leaver"), []);
  });

  it("downloads a card under the name of its person, and the list as a spreadsheet", async () => {
    const page = await scene().open("/person/1", wide);
    const [card] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Card" }).click()]);
    assert.equal(card.suggestedFilename(), "Person 001.vcf");
    assert.match(await readFile(await card.path(), "utf8"), /^BEGIN:VCARD[\s\S]*FN:Person 001/);
    await page.goto(`${scene().url}/person?jobTitle=Countess`);
    await page.getByText("Download", { exact: true }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Spreadsheet (CSV)" }).click(),
    ]);
    assert.equal((await readFile(await file.path(), "utf8")).trim().split("\r\n").length, 13);
  });

  it("shows a QR code of the card", async () => {
    const page = await scene().open("/person/1", wide);
    await page.getByText("QR code for a phone").click();
    assert.match((await page.locator(".qr path").getAttribute("d")) ?? "", /^M2 2h7/);
  });

  it("sorts, downloads and chooses columns on a phone, too", async () => {
    const page = await scene().open("/person", { viewport: { width: 390, height: 844 }, locale: "en-GB" });
    const more = page.locator(".narrow");
    await more.locator("summary").click();
    await more.getByLabel("Sort by").selectOption({ label: "Name ↓" });
    await page.getByRole("link", { name: "Person 120" }).waitFor();
    assert.equal(new URL(page.url()).search, "?sort=-name");
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      more.getByRole("link", { name: "Spreadsheet" }).click(),
    ]);
    assert.match(file.suggestedFilename(), /\.csv$/);
    await more.getByRole("checkbox", { name: "Job title" }).uncheck();
    await page.getByText("Clerk").first().waitFor({ state: "detached" });
    await more.getByRole("button", { name: "Reset" }).click();
    await page.getByText("Clerk").first().waitFor();
  });
});
