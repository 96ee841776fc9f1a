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

  it("is the button of the filters, where it was before they were opened", async () => {
    const page = await scene().open("/person", { viewport: { width: 1280, height: 900 } });
    const button = page.locator(".filters > summary");
    const closed = await button.boundingBox();
    await button.click();
    assert.deepEqual(await button.boundingBox(), closed);
  });

  it("is one row of languages, and no keys, on a phone", async () => {
    const page = await scene().open("/person", {
      ...{ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
    });
    const tops = `new Set(Array.from(document.querySelectorAll("footer form button"), (each) => each.offsetTop)).size`;
    assert.equal(await page.evaluate(tops), 1);
    assert.equal(await page.locator("[data-keys]").isVisible(), false);
  });

  it("is a field as high as what it holds", async () => {
    const emails = Array.from({ length: 12 }, (_, i) => ({ value: `ada${i}@example.org` }));
    const creation = await scene().people.create({ name: "Ada", emails });
    assert.equal(creation.kind, "created");
    const page = await scene().open(`/person/${creation.kind === "created" && creation.record.id}`);
    await page.getByRole("link", { name: "Edit" }).click();
    const hidden = await page
      .locator("[name=emails]")
      .evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight);
    assert.equal(hidden, 0);
  });

  it("is a table no wider than the paper, however many columns it has", async () => {
    const fields = "name,email,telephone,url,emails,birthDate,address.addressCountry,jobTitle,worksFor,identifier";
    const page = await scene().open(`/person?fields=${fields}`, { viewport: { width: 680, height: 960 } });
    await page.emulateMedia({ media: "print" });
    const display = await page.evaluate("getComputedStyle(document.querySelector('tbody tr')).display");
    assert.equal(display, "table-row");
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 680);
  });
});
