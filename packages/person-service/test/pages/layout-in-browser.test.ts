import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Locator } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

const middleOf = async (part: Locator): Promise<number> => {
  const box = await part.boundingBox();
  return box === null ? Number.NaN : Math.round(box.y + box.height / 2);
};

describeInBrowser("what stands where on a page, in a browser", kinds, (scene) => {
  before(() => scene().people.create({ name: "Ada" }));

  it("is a form that is seen without scrolling where it fits", async () => {
    const page = await scene().open("/person/1", { viewport: { width: 1280, height: 900 } });
    await page.getByRole("link", { name: "Edit" }).click();
    assert.equal(await page.evaluate("scrollY"), 0);
  });

  it("is a list beside the value that it gets, on a phone", async () => {
    const page = await scene().open("/person", { viewport: { width: 390, height: 844 } });
    await page.locator(".chosen summary").click();
    for (const [one, other] of [
      ["_of", "_value"],
      ["_member", "_to"],
    ])
      assert.equal(await middleOf(page.locator(`[name=${one}]`)), await middleOf(page.locator(`[name=${other}]`)));
  });

  it("is a box in the middle of its line", async () => {
    const page = await scene().open("/person");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    const label = page.locator("dialog label");
    assert.equal(await middleOf(label.locator("input")), await middleOf(label.locator("span")));
  });
});
