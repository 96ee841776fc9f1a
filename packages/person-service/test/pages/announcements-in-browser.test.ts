import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

/**
 * Notes what changes in live regions that were there, and were not hidden, a frame before: this is what every screen reader
 * announces. What comes with its region, or shows it, is silent in some.
 */
const listen = `
  const known = new WeakSet();
  const regionOf = (node) => (node instanceof Element ? node : node.parentElement)?.closest("[role=status], [role=alert], [aria-live]");
  addEventListener("DOMContentLoaded", () => {
    const look = () => {
      for (const each of document.querySelectorAll("[role=status], [role=alert], [aria-live]"))
        each.checkVisibility() ? known.add(each) : known.delete(each);
      requestAnimationFrame(look);
    };
    look();
    new MutationObserver((changes) => {
      for (const region of new Set(changes.map(({ target }) => regionOf(target)))) {
        const text = region?.innerText.trim();
        if (known.has(region) && text) console.info("announced: " + text);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ["hidden"] });
  });`;

interface Node {
  readonly role?: { readonly value: string };
  readonly name?: { readonly value: string };
  readonly properties?: readonly { readonly name: string; readonly value: { readonly value: unknown } }[];
}

/** All of the page as the browser gives it to a screen reader. */
async function treeOf(page: Page): Promise<readonly Node[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = await session.send("Accessibility.getFullAXTree");
  await session.detach();
  return nodes as readonly Node[]; // of the protocol
}

describeInBrowser("what a screen reader says", kinds, (scene) => {
  before(async () => {
    await scene().people.createAll([{ name: "Ada", birthDate: "1815-12-10" }, { name: "Grace" }, { name: "Rózsa" }]);
  });
  const open = async (path: string): Promise<Page> => {
    const page = await (await scene().newContext()).newPage();
    await page.addInitScript(listen);
    await page.goto(scene().url + path);
    return page;
  };
  const hears = (page: Page, text: string): Promise<unknown> =>
    page.waitForEvent("console", (message) => message.text() === `announced: ${text}`);
  const focused = (page: Page): Promise<unknown> =>
    page.evaluate(`[document.activeElement.getAttribute("role"), document.activeElement.innerText]`);

  it("has how many were found, who is chosen, what changed, and why nothing came", async () => {
    const page = await open("/person");
    const search = page.getByRole("searchbox");
    await Promise.all([hears(page, "1 person found"), search.fill("ada")]);
    await Promise.all([hears(page, "With the chosen: 1"), page.getByRole("checkbox", { name: "Ada" }).check()]);
    const change = scene().people.replace(2, { name: "Grace Hopper" });
    await Promise.all([hears(page, "Changed meanwhile (1). Show"), change]);
    await page.context().setOffline(true);
    const why = "There is no answer from the service. Nothing you typed is lost: try again in a moment.";
    await Promise.all([hears(page, why), search.fill("grace")]);
  });

  it("has which fields are not right, also when the focus stays where it was", async () => {
    const page = await open("/person/1#edit");
    for (const day of ["soon", "1815-13-10"]) {
      await page.getByLabel("Date of birth").fill(day);
      await Promise.all([hears(page, "Not right yet: Date of birth"), page.getByLabel("Date of birth").press("Enter")]);
    }
  });

  it("has the text of what is focused after a change, and not the role of a region", async () => {
    const page = await open("/person/1#edit");
    await page.getByLabel("Job title").fill("Poet");
    await page.getByLabel("Job title").press("Enter");
    await page.getByText("Saved.").waitFor();
    assert.deepEqual(await focused(page), [null, "Saved."]);
    await page.goto(`${scene().url}/person?import`);
    await page.getByRole("button", { name: "Check" }).press("Enter");
    await page.getByText("Choose a file first.").waitFor();
    assert.deepEqual(await focused(page), [null, "Choose a file first."]);
    const buffer = Buffer.from("Name,Born\nHedy,1914-11-09\nRózsa,soon");
    await page.locator("[type=file]").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
    await page.getByText("1 person can be stored").waitFor();
    assert.deepEqual(await focused(page), [null, "people.csv: 1 person can be stored, and 1 cannot:"]);
    await page.getByRole("button", { name: "Store the 1 that is good" }).press("Enter");
    await page.getByText("1 person stored.").waitFor();
    assert.deepEqual(await focused(page), [null, "1 person stored."]);
  });

  it("has the shortcuts from their heading on", async () => {
    const page = await open("/person/1");
    await page.getByRole("button", { name: "Keyboard shortcuts" }).press("Enter");
    assert.deepEqual(await focused(page), [null, "Keyboard shortcuts"]);
  });

  it("calls no field invalid before something is typed, and no column of boxes by what the box above it does", async () => {
    for (const path of ["/person", "/person?import", "/person?new", "/person/1#edit"]) {
      const nodes = await treeOf(await open(path));
      assert.ok(nodes.length > 50, path);
      const isInvalid = ({ properties = [] }: Node): boolean =>
        properties.some(({ name, value }) => name === "invalid" && value.value !== "false");
      assert.deepEqual(nodes.filter(isInvalid), [], path);
      const headers = nodes.flatMap(({ role, name }) => (role?.value === "columnheader" ? [name?.value] : []));
      assert.ok(!headers.includes("Choose everybody on this page"), path);
    }
  });
});
