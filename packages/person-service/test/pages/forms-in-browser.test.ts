import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { openFolder } from "../../../waymark/test/folder.ts";
import { openAccess } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";
import { describeInBrowser, kinds, type Scene } from "./scene.ts";

const withoutScripts = { javaScriptEnabled: false };

const press = (page: Page, name: string): Promise<void> => page.getByRole("button", { name, exact: true }).click();
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });

async function stored(scene: Scene, document: object): Promise<number> {
  const creation = await scene.people.create(document);
  assert.ok(creation.kind === "created");
  return creation.record.id;
}

describeInBrowser("the forms without a script", kinds, (scene) => {
  it("choose a language, which stays", async () => {
    const page = await scene().open("/person?sort=name", { ...withoutScripts, locale: "de-DE" });
    await page.getByRole("heading", { name: "Personen" }).waitFor();
    await press(page, "Français");
    await page.getByRole("heading", { name: "Personnes" }).waitFor();
    assert.match(page.url(), /\/person\?sort=name$/);
    await page.getByRole("link", { name: "Nouvelle personne" }).click();
    await field(page, "Nom de famille").waitFor();
  });

  it("store a person, with each fault at its field", async () => {
    const page = await scene().open("/person", withoutScripts);
    await page.getByRole("link", { name: "New person" }).click();
    await field(page, "Job title").fill("Rear admiral");
    await field(page, "Date of birth").fill("soon");
    await press(page, "Store");
    await page.getByText("Not right yet: Name, Date of birth").waitFor();
    assert.equal(await page.locator(":focus").getAttribute("id"), "f-name");
    assert.equal(await field(page, "Job title").inputValue(), "Rear admiral");
    await field(page, "Name").fill("Grace Hopper");
    await field(page, "Date of birth").fill("1906-12-09");
    await press(page, "Store");
    await page.getByText("Stored.", { exact: true }).waitFor();
    assert.equal(await page.locator("h1").textContent(), "Grace Hopper");
    assert.equal(await page.locator("dd.birthDate").textContent(), "Dec 9, 1906");
  });

  it("are shown where they are asked for, and given up by a link", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`, withoutScripts);
    assert.equal(await page.locator(".editor").isVisible(), false);
    await page.getByRole("link", { name: "Edit" }).click();
    assert.equal(await page.locator(".editor").isVisible(), true);
    assert.equal(await page.locator(".card").isVisible(), false);
    await page.getByRole("link", { name: "Cancel" }).click();
    await page.locator(".card").waitFor();
    assert.equal(await page.locator(".editor").isVisible(), false);
  });

  it("change a person, and show both versions of what somebody else changed, too", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk" });
    const page = await scene().open(`/person/${id}`, withoutScripts);
    await page.getByRole("link", { name: "Edit" }).click();
    await field(page, "Job title").fill("Countess");
    await scene().people.replace(id, { name: "Ada King", jobTitle: "Poet" });
    await press(page, "Save");
    await page.getByText("Somebody else changed this person meanwhile").waitFor();
    await press(page, "Back to the form");
    assert.equal(await field(page, "Job title").inputValue(), "Countess");
    await field(page, "Works for").fill("Court");
    await press(page, "Save");
    await page.getByText("Saved.").waitFor();
    assert.match((await scene().people.find(id))?.json ?? "", /"Ada King","jobTitle":"Countess","worksFor":"Court"/);
  });

  it("remove a person after a question", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`, withoutScripts);
    await press(page, "Delete");
    await press(page, "Keep");
    assert.equal(await page.locator("#remove").isVisible(), false);
    await press(page, "Delete");
    await page.locator("#remove").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The person is deleted.").waitFor();
    assert.equal(await scene().people.find(id), undefined);
  });
});

const folder = openFolder("forms-in-browser");

describeInBrowser(
  "the forms without a script, after the session",
  kinds,
  (scene) => {
    const signIn = async (page: Page): Promise<void> => {
      await field(page, "Name").fill("ada");
      await field(page, "Password").fill("correct");
      await press(page, "Sign in");
    };

    it("keep what was typed until it is sent again", async () => {
      const id = await stored(scene(), { name: "Ada" });
      const page = await scene().open(`/person/${id}`, withoutScripts);
      await signIn(page);
      await page.getByRole("link", { name: "Edit" }).click();
      await field(page, "Notes").fill("Two\nlines & more");
      await page.context().clearCookies();
      await press(page, "Save");
      await page.getByText("What you typed is kept on this page.").waitFor();
      const [tab] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "Sign in in another tab" }).click(),
      ]);
      await signIn(tab);
      await tab.getByRole("link", { name: "Ada" }).waitFor();
      await press(page, "Send it again");
      await page.getByText("Saved.").waitFor();
      assert.match((await scene().people.find(id))?.json ?? "", /"Two\\nlines & more"/);
    });
  },
  async () => {
    const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }];
    const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });
    return { access: (await openAccess({ file })).filter };
  },
);
