import assert from "node:assert/strict";
import { before, it } from "node:test";
import { describeInBrowser, kinds } from "./scene.ts";

describeInBrowser("people who are chosen in a list, in a browser", kinds, (scene) => {
  before(async () => {
    await scene().people.createAll(Array.from({ length: 60 }, (_, i) => ({ name: `Person ${i}` })));
  });

  it("are counted as they are chosen, and all of the page by one box", async () => {
    const page = await scene().open("/person");
    const summary = page.locator(".chosen summary");
    await page.getByRole("checkbox", { name: "Person 0" }).press("Space");
    assert.equal(await summary.textContent(), "With the chosen: 1");
    const whole = page.getByRole("checkbox", { name: "Choose everybody on this page" });
    assert.equal(await page.locator("[data-choose-all]:indeterminate").count(), 1);
    await whole.check();
    assert.equal(await page.locator(".unseen[role=status]").textContent(), "With the chosen: 50");
    await summary.press("Enter");
    await page.getByRole("checkbox", { name: "All of this list: 60 people" }).check();
    assert.equal(await summary.textContent(), "With the chosen: 60 people");
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`get a category by keys, ${javaScriptEnabled ? "with" : "without"} a script`, async () => {
      const page = await scene().open("/person?q=59", { javaScriptEnabled });
      await page.getByRole("checkbox", { name: "Person 59" }).press("Space");
      await page.locator(".chosen summary").press("Enter");
      const value = page.getByLabel("Value").first();
      await value.fill(`Press ${javaScriptEnabled}`);
      await value.press("Enter");
      await page.getByRole("heading", { name: "Change 1 person?" }).waitFor();
      await page.getByRole("button", { name: "Change 1 person" }).press("Enter");
      await page.getByText("The people are changed.").waitFor();
      const stored = await scene().people.find(60);
      assert.match(stored?.json ?? "", new RegExp(`Press ${javaScriptEnabled}"`));
    });
  }

  it("are all that match, with what was typed, also when the list has changed meanwhile", async () => {
    const page = await scene().open("/person?q=person");
    await page.locator(".chosen summary").click();
    await page.getByRole("checkbox", { name: "All of this list: 60 people" }).check();
    await page.getByLabel("Value").first().fill("Veterans");
    await scene().people.create({ name: "Person 60" });
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("Categories: “Veterans” is added.").waitFor();
    await scene().people.create({ name: "Person 61" });
    await page.getByRole("button", { name: "Change 61 people" }).click();
    await page.getByRole("alert").getByText("People have changed since they were shown.").waitFor();
    await page.getByRole("button", { name: "Change 62 people" }).click();
    await page.getByText("The people are changed.").waitFor();
    const ids = [1, 61, 62];
    for (const id of ids) assert.match((await scene().people.find(id))?.json ?? "", /"Veterans"/);
    for (const id of ids.slice(1)) await scene().people.remove(id);
  });

  it("are asked about in full view, whatever stands before the menu", async () => {
    for (const width of [320, 390, 560, 760, 900, 1024, 1280]) {
      for (const menu of [".chosen", ".menu:has([download])"]) {
        const page = await scene().open("/person?name[prefix]=P&q=person", { viewport: { width, height: 900 } });
        await page.locator(`${menu} > summary`).click();
        const box = await page.locator(`${menu} > :is(form, ul)`).boundingBox();
        assert.ok(box !== null && box.x >= 0 && box.x + box.width <= width, `${menu} at ${width}`);
      }
    }
  });

  it("stay chosen, and counted, in another order, and on the way back to a list that has changed", async () => {
    const page = await scene().open("/person?q=person");
    for (const name of ["Person 1", "Person 3"]) await page.getByRole("checkbox", { name, exact: true }).check();
    await page.getByRole("link", { name: "Name", exact: true }).click();
    await page.locator("[aria-sort]").waitFor();
    const summary = page.locator(".chosen summary");
    assert.equal(await summary.textContent(), "With the chosen: 2");
    for (const change of [undefined, () => scene().people.replace(3, { name: "Person 2a" })]) {
      await page.getByRole("link", { name: "Person 10", exact: true }).click();
      await page.getByRole("heading", { name: "Person 10" }).waitFor();
      await change?.();
      await page.goBack();
      if (change !== undefined) await page.getByText("Person 2a").waitFor();
      await page.getByText("With the chosen: 2").waitFor();
      for (const name of ["Person 1", "Person 3"])
        assert.ok(await page.getByRole("checkbox", { name, exact: true }).isChecked());
    }
  });

  it("are changed once by two clicks", async () => {
    const page = await scene().open("/person?q=58");
    await page.getByRole("checkbox", { name: "Person 58" }).check();
    await page.locator(".chosen summary").click();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("button", { name: "Delete 1 person" }).dblclick();
    await page.getByText("The people are deleted.").waitFor();
    assert.equal(await scene().people.find(59), undefined);
  });
});
