import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page, Route } from "playwright-core";
import { describeInBrowser, kinds, type Scene } from "./scene.ts";

async function stored(scene: Scene, document: object): Promise<number> {
  const creation = await scene.people.create(document);
  assert.ok(creation.kind === "created");
  return creation.record.id;
}

async function read(scene: Scene, id: number): Promise<Readonly<Record<string, unknown>>> {
  const { createdAt, updatedAt, ...members } = JSON.parse((await scene.people.find(id))?.json ?? "{}");
  return members;
}

const edit = (page: Page): Promise<void> => page.getByRole("link", { name: "Edit" }).click();
const save = (page: Page): Promise<void> => page.getByRole("button", { name: "Save" }).click();
const saved = (page: Page): Promise<void> => page.getByText("Saved.").waitFor();

/** Takes what a form sends: the page itself asks whether the person has changed. */
const onPost = (page: Page, url: string, take: (route: Route) => unknown) =>
  page.route(url, (route) => (route.request().method() === "POST" ? take(route) : route.fallback()));

describeInBrowser("a person in a browser", kinds, (scene) => {
  it("has a name that follows the parts which it has, until it is typed itself", async () => {
    const id = await stored(scene(), { name: "Dr. Amy Klobuchar", givenName: "Amy Jean", familyName: "Klobuchar" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Family name").fill("Klobucher");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Dr. Amy Klobucher");
    await save(page);
    await saved(page);
    assert.equal((await read(scene(), id))["name"], "Dr. Amy Klobucher");
    await edit(page);
    await page.getByLabel("Name", { exact: true }).fill("Amy");
    await page.getByLabel("Family name").fill("Klobuchar");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Amy");
    await page.getByRole("link", { name: "Cancel" }).click();
  });

  for (const country of ["uk", "Great Britain", "gb", "united kingdom"]) {
    it(`has a country that is written as people write it: ${country}`, async () => {
      const id = await stored(scene(), { name: "Ada" });
      const page = await scene().open(`/person/${id}`);
      await edit(page);
      await page.getByLabel("Country", { exact: true }).fill(country);
      await save(page);
      await saved(page);
      assert.deepEqual((await read(scene(), id))["address"], { addressCountry: "GB" });
    });
  }

  it("is created, with each fault at its field", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "New person" }).click();
    await page.getByLabel("Given name", { exact: true }).fill("Grace");
    await page.getByLabel("Family name", { exact: true }).fill("Hopper");
    await page.getByLabel("Postal code", { exact: true }).fill("20510");
    await page.getByLabel("Country", { exact: true }).fill("Nowhere");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("Country must be one of the list").waitFor();
    assert.equal(await page.getByLabel("Country", { exact: true }).getAttribute("aria-invalid"), "true");
    assert.equal(await page.locator(":focus").getAttribute("id"), "f-address.addressCountry");
    assert.equal(await page.locator("#countries option[value=Norway]").textContent(), "NO");
    await page.getByLabel("Country", { exact: true }).fill("united states ");
    await page.getByLabel("Given name", { exact: true }).fill(" Grace\u00a0");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("Stored.", { exact: true }).waitFor();
    assert.equal(await page.locator("h1").textContent(), "Grace Hopper");
    assert.equal(await page.locator("dd.address\\.addressCountry").textContent(), "United States");
    const id = Number(page.url().split("/").at(-1));
    assert.deepEqual(await read(scene(), id), {
      id,
      name: "Grace Hopper",
      givenName: "Grace",
      familyName: "Hopper",
      address: { postalCode: "20510", addressCountry: "US" },
    });
  });

  it("is edited in place: only what was changed, and a derived name follows its parts", async () => {
    const id = await stored(scene(), {
      name: "Ada Byron",
      givenName: "Ada",
      familyName: "Byron",
      address: { postalCode: "W1" },
    });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Family name").fill("Lovelace");
    assert.equal(await page.getByLabel("Name", { exact: true }).inputValue(), "Ada Lovelace");
    await page.getByLabel("Additional name").fill("King");
    await page.getByLabel("Postal code").fill("");
    await page.getByLabel("Notes").fill("Countess,\n\tand more");
    await save(page);
    await saved(page);
    assert.deepEqual(await read(scene(), id), {
      id,
      name: "Ada King Lovelace",
      givenName: "Ada",
      additionalName: "King",
      familyName: "Lovelace",
      description: "Countess,\n\tand more",
    });
    await edit(page);
    await page.getByRole("link", { name: "Cancel" }).click();
    assert.equal(await page.locator(".card").isVisible(), true);
  });

  it("that somebody else changed too is shown in both versions, to be chosen from line by line", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk", worksFor: "Bank" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    await page.getByLabel("Works for").fill("Court");
    await scene().people.replace(id, { name: "Ada King", jobTitle: "Poet", worksFor: "Bank" });
    await save(page);
    await page.getByText("Somebody else changed this person").waitFor();
    const rows = await page.locator(".conflict tbody tr").allInnerTexts();
    assert.deepEqual(
      rows.map((row) => row.split(/\s+/).filter((word) => word !== "")),
      [
        ["Name", "Ada", "(yours)", "Ada", "King", "(theirs)"],
        ["Job", "title", "Countess", "(yours)", "Poet", "(theirs)"],
        ["Works", "for", "Court", "(yours)", "Bank", "(theirs)"],
      ],
    );
    await saveChosen(page, "Poet");
    await saved(page);
    assert.deepEqual(await read(scene(), id), { id, name: "Ada King", jobTitle: "Poet", worksFor: "Court" });
  });

  it("that somebody else changed is shown as it is stored when nothing else is to be saved", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    await scene().people.replace(id, { name: "Ada", jobTitle: "Poet" });
    await save(page);
    await saveChosen(page, "Poet");
    await page.locator(".card").getByText("Poet").waitFor();
    assert.equal(await page.locator(".conflict").isVisible(), false);
  });

  it("that somebody else changed elsewhere gets both changes", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Works for").fill("Court");
    await scene().people.replace(id, { name: "Ada", jobTitle: "Countess" });
    await save(page);
    await saved(page);
    assert.deepEqual(await read(scene(), id), { id, name: "Ada", jobTitle: "Countess", worksFor: "Court" });
  });

  it("loses no typed word to a lost connection, nor to a reload", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Works for").fill("The Analytical Engine");
    await page.context().setOffline(true);
    await save(page);
    await page.getByText("There is no answer from the service.").waitFor();
    assert.equal(await page.getByLabel("Works for").inputValue(), "The Analytical Engine");
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText("This is what you typed before").waitFor();
    await save(page);
    await saved(page);
    assert.equal((await read(scene(), id))["worksFor"], "The Analytical Engine");
  });

  it("keeps what somebody else changed after words were typed, and before they are saved", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk", worksFor: "Bank", telephone: "1" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    await scene().people.replace(id, { name: "Ada", jobTitle: "Clerk", worksFor: "Court" });
    await page.reload();
    await page.getByText("Somebody else has changed this person since").waitFor();
    assert.equal(await page.getByLabel("Works for").inputValue(), "Court");
    await save(page);
    await saved(page);
    assert.deepEqual(await read(scene(), id), { id, name: "Ada", jobTitle: "Countess", worksFor: "Court" });
  });

  it("shows both versions of what was typed before somebody else changed it", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    await scene().people.replace(id, { name: "Ada", jobTitle: "Poet" });
    await page.reload();
    await save(page);
    await saveChosen(page, "Poet");
    await page.locator(".card").getByText("Poet").waitFor();
    assert.deepEqual(await read(scene(), id), { id, name: "Ada", jobTitle: "Poet" });
  });

  it("is stored once when the answer is lost", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "New person" }).click();
    await page.getByLabel("Identifier", { exact: true }).fill("lost");
    await page.getByLabel("Name", { exact: true }).fill("Lost Answer");
    // The request arrives, and its answer does not.
    await page.route("**/person", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("There is no answer from the service.").waitFor();
    await page.unroute("**/person");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("Stored.", { exact: true }).waitFor();
    const filters = [{ member: "name", operator: "eq", value: "Lost Answer" }] as const;
    assert.equal(await scene().people.count({ filters }), 1);
  });

  it("says where one looks what came of saving, and leads the keys there", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`, { viewport: { width: 800, height: 600 } });
    await edit(page);
    await page.getByLabel("Notes").fill("Countess");
    const refusal = '<main><p class="detail">Try again soon.</p></main>';
    await onPost(page, `**/person/${id}`, (route) =>
      route.fulfill({ status: 503, contentType: "text/html", body: refusal }),
    );
    await save(page);
    await page.getByText("Try again soon.").waitFor();
    await page.unroute(`**/person/${id}`);
    assert.equal(await page.locator(":focus").textContent(), "Try again soon.");
    assert.equal(await isInView(page, ":focus"), true);
    await save(page);
    await saved(page);
    assert.equal(await page.locator(":focus").textContent(), "Saved.");
    assert.equal(await isInView(page, ":focus"), true);
    await page.getByRole("button", { name: "Delete" }).click();
    const question = page.getByRole("alertdialog", { description: /This cannot be undone/ });
    await question.getByRole("button", { name: "Delete" }).click();
    await page.getByText("The person is deleted.").waitFor();
    assert.equal(await page.locator(":focus").textContent(), "The person is deleted.");
  });

  it("is saved once, by a button that keeps the focus and shows that it takes long", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`);
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    const arrived: Route[] = [];
    await onPost(page, `**/person/${id}`, (route) => void arrived.push(route));
    await page.getByRole("button", { name: "Save" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Saving…" }).waitFor();
    assert.equal(await page.locator(":focus").textContent(), "Saving…");
    await arrived[0]?.continue();
    await saved(page);
    assert.equal(arrived.length, 1);
  });

  it("has its faults listed by the words of the form, with a way to each", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "New person" }).click();
    await page.getByLabel("Email", { exact: true }).fill("ada");
    await page.getByLabel("Website", { exact: true }).fill("ada");
    await page.getByRole("button", { name: "Store" }).click();
    await page.getByText("Name is required where there is no Given name or Family name.").waitFor();
    await page.getByText("Email must have one @").waitFor();
    await page.locator(".banner").getByRole("link", { name: "Website" }).click();
    assert.equal(await page.locator(":focus").getAttribute("id"), "f-url");
    await page.getByRole("link", { name: "Cancel" }).click();
  });

  it("that two have changed is compared on a phone with both sides named", async () => {
    const id = await stored(scene(), { name: "Ada", jobTitle: "Clerk" });
    const page = await scene().open(`/person/${id}`, { viewport: { width: 390, height: 844 } });
    await edit(page);
    await page.getByLabel("Job title").fill("Countess");
    await scene().people.replace(id, { name: "Ada", jobTitle: "Poet" });
    await save(page);
    await page.getByText("(yours)").waitFor();
    assert.equal(await isInView(page, ".conflict label:first-child .side"), true);
    const before = await page.evaluate(
      `getComputedStyle(document.querySelector(".conflict thead tr"), "::before").content`,
    );
    assert.equal(before, "none");
  });

  it("is deleted after a confirmation, also by the keyboard only", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`);
    await page.getByRole("button", { name: "Delete" }).focus();
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(":focus").textContent(), "Keep");
    await page.keyboard.press("Escape");
    assert.ok(await scene().people.find(id));
    await page.keyboard.press("Enter");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/person$/);
    await page.getByText("The person is deleted.").waitFor();
    assert.equal(await scene().people.find(id), undefined);
  });

  it("is still there, and can be deleted again, when it was deleted without a connection", async () => {
    const id = await stored(scene(), { name: "Unreached" });
    const page = await scene().open(`/person/${id}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.context().setOffline(true);
    const confirm = page.locator("#remove").getByRole("button", { name: "Delete" });
    await confirm.click();
    await page.locator("#remove").getByText("There is no answer from the service.").waitFor();
    await page.context().setOffline(false);
    await confirm.click();
    await page.getByText("The person is deleted.").waitFor();
    assert.equal(await scene().people.find(id), undefined);
  });

  it("is not shown by Back once it is deleted", async () => {
    const id = await stored(scene(), { name: "Ada Gone" });
    const page = await scene().open(`/person/${id}`);
    await page.goto(`${scene().url}/health/live`);
    await scene().people.remove(id);
    await page.goBack();
    await page.getByRole("heading", { name: "Nobody is here" }).waitFor();
  });

  it("is not deleted when somebody changed it meanwhile", async () => {
    const id = await stored(scene(), { name: "Ada" });
    const page = await scene().open(`/person/${id}`);
    await scene().people.replace(id, { name: "Ada King" });
    await page.getByRole("button", { name: "Delete" }).click();
    await page.locator("#remove").getByRole("button", { name: "Delete" }).click();
    await page.getByText("Somebody changed this person meanwhile").waitFor();
    assert.ok(await scene().people.find(id));
  });
});

/** Chooses a version of a member that somebody else changed, and saves. */
async function saveChosen(page: Page, value: string): Promise<void> {
  await page.getByLabel(value).check();
  await page.getByRole("button", { name: "Save what is chosen" }).click();
}

/** Returns whether the whole of what a selector finds is in the window. */
async function isInView(page: Page, selector: string): Promise<boolean> {
  const { y, height } = (await page.locator(selector).first().boundingBox()) ?? { y: -1, height: 0 };
  return height > 1 && y >= 0 && y + height <= (page.viewportSize()?.height ?? 0);
}
