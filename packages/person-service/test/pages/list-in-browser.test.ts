import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { sqlite } from "../databases.ts";
import { describeInBrowser, kinds } from "./scene.ts";

const names = (page: Page): Promise<readonly string[]> => page.locator("tbody th").allTextContents();

describeInBrowser("the list in a browser", kinds, (scene) => {
  before(async () => {
    const people = Array.from({ length: 120 }, (_, i) => ({
      name: `Person ${String(i + 1).padStart(3, "0")}`,
      jobTitle: i % 10 === 0 ? "Countess" : "Clerk",
      ...(i % 2 === 0 && { birthDate: `19${String(10 + (i % 80))}-01-31` }),
    }));
    await scene().people.createAll([...people, { name: "Ada Lovelace", email: "ada@example.org" }]);
  });

  for (const javaScriptEnabled of [true, false]) {
    const way = javaScriptEnabled ? "with a script" : "without a script";

    it(`is searched by Enter, ${way}`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      await page.getByRole("searchbox").fill("ada lov");
      await page.getByRole("searchbox").press("Enter");
      await page.waitForURL(/q=ada/);
      assert.deepEqual(await names(page), ["Ada Lovelace"]);
    });

    it(`is filtered and sorted, and a filter is taken away, ${way}`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      await page.getByText("Filters").first().click();
      await page.getByLabel("Job title begins with").fill("Count");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.waitForURL(/Count/);
      await page.getByText("Job title begins with Count").waitFor();
      assert.equal((await names(page)).length, 12);
      await page.getByRole("link", { name: "Name", exact: true }).click();
      await page.waitForURL(/sort=name/);
      await page.getByRole("link", { name: "Name", exact: true }).click();
      await page.waitForURL(/sort=-name/);
      assert.equal((await names(page))[0], "Person 111");
      await page.getByLabel("Remove the filter: Job title begins with Count").click();
      await page.waitForURL((url) => !url.search.includes("Count"));
      assert.equal((await names(page))[0], "Person 120");
    });

    it(`is filtered by a country, which has a name, ${way}`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      await page.getByText("Filters").first().click();
      await page.getByLabel("Country is", { exact: true }).fill("Norway");
      await page.getByRole("button", { name: "Apply" }).click();
      await page.waitForURL(/address\.addressCountry=NO/);
      await page.getByText("Country is Norway").waitFor();
      assert.equal(await page.locator(`[name="address.addressCountry"]`).inputValue(), "Norway");
    });

    it(`is walked page by page, to the end and back, ${way}`, async () => {
      const page = await scene().open("/person?sort=-name", { javaScriptEnabled });
      const seen = [...(await names(page))];
      for (const count of [50, 21]) {
        const [last] = (await names(page)).slice(-1);
        await page.getByRole("link", { name: "Next" }).click();
        await page.getByRole("link", { name: last ?? "", exact: true }).waitFor({ state: "detached" });
        const shown = await names(page);
        assert.equal(shown.length, count);
        seen.push(...shown);
      }
      assert.equal(new Set(seen).size, 121);
      await page.getByRole("link", { name: "First" }).click();
      await page.waitForURL((url) => !url.search.includes("after"));
      assert.equal((await names(page))[0], "Person 120");
    });

    it(`shows the columns that are chosen, ${way}`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      await page.getByText("Columns").click();
      await page.locator(".menu").getByRole("link", { name: "Date of birth" }).click();
      await page.waitForURL(/fields=/);
      assert.ok((await page.locator("thead th:not(.box)").allTextContents()).includes("Date of birth"));
      assert.ok((await page.getByRole("cell").allTextContents()).includes("Jan 31, 1910"));
    });

    it(`keeps the columns on the device until they are reset, and shows those of a URL before them, ${way}`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      const heads = async (path: string): Promise<readonly string[]> => {
        await page.goto(scene().url + path);
        return page.locator("thead th:not(.box)").allTextContents();
      };
      const choose = async (name: string): Promise<void> => {
        await page.getByText("Columns").click();
        await page.locator(".menu").getByRole("link", { name }).click();
      };
      await page.context().clearCookies();
      const usual = await heads("/person");
      await choose("Date of birth");
      await page.getByRole("columnheader", { name: "Date of birth" }).waitFor();
      assert.deepEqual(await heads("/person?sort=-name"), [...usual, "Date of birth"]);
      assert.deepEqual(await heads("/person?fields=name,id"), ["Name", "Number"]);
      await heads("/person");
      await choose("Reset");
      await page.getByRole("columnheader", { name: "Date of birth" }).waitFor({ state: "detached" });
      assert.deepEqual(await heads("/person"), usual);
    });
  }

  it("is searched as one types, and the address leads to the same", async () => {
    const page = await scene().open("/person");
    await page.getByRole("searchbox").pressSequentially("ada");
    await page.waitForURL(/q=ada/);
    assert.deepEqual(await names(page), ["Ada Lovelace"]);
    await page.reload();
    assert.deepEqual(await names(page), ["Ada Lovelace"]);
    await page.getByRole("searchbox").fill("!");
    await page.getByText("has no word").first().waitFor();
    await page.getByRole("searchbox").fill("");
    await page.waitForURL((url) => url.search === "");
    assert.equal((await names(page)).length, 50);
  });

  it("shows people as they are now when the visitor comes back to it", async () => {
    const page = await scene().open("/person?q=ada");
    await page.getByRole("link", { name: "Ada Lovelace" }).click();
    await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
    const id = Number(page.url().split("/").at(-1));
    const {
      createdAt: _created,
      updatedAt: _updated,
      ...ada
    } = JSON.parse((await scene().people.find(id))?.json ?? "");
    await scene().people.replace(id, { ...ada, name: "Ada King" });
    await page.goBack();
    await page.getByRole("link", { name: "Ada King" }).waitFor();
    await scene().people.replace(id, ada);
  });

  it("is come back to as it was, and leads from a person to the next", async () => {
    const page = await scene().open("/person?q=person&sort=-name&jobTitle=Clerk");
    assert.equal(await page.title(), "“person” · Job title is Clerk · People");
    await page.getByRole("link", { name: "Next" }).click();
    await page.waitForURL(/after=/);
    const list = page.url();
    const [, second = "", third = ""] = await names(page);
    await page.getByRole("link", { name: second, exact: true }).click();
    await page.getByRole("heading", { name: second }).waitFor();
    await page.getByRole("link", { name: "Next" }).click();
    await page.getByRole("heading", { name: third }).waitFor();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByLabel("Works for").fill("Bank");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await page.getByRole("link", { name: "Previous" }).click();
    await page.getByRole("heading", { name: second }).waitFor();
    await page.getByRole("link", { name: "Back to the list" }).click();
    await page.waitForURL(list);
  });

  it("keeps the focus where a link in it is followed, and the menu open", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Job title", exact: true }).click();
    await page.waitForURL(/sort=jobTitle/);
    await page.locator("th[aria-sort=ascending] a:focus").waitFor();
    await page.getByText("Columns").click();
    await page.locator(".menu").getByRole("link", { name: "Region" }).click();
    await page.getByRole("columnheader", { name: "Region" }).waitFor();
    await page.locator(".menu[open]").getByRole("link", { name: "Country" }).click();
    await page.getByRole("columnheader", { name: "Country" }).waitFor();
    assert.equal(await page.locator(":focus").textContent(), "Country");
    await page.goBack();
    await page.getByRole("columnheader", { name: "Country" }).waitFor({ state: "detached" });
    await page.goBack();
    // That address names no columns, so that it has those that were chosen last.
    await page.getByRole("columnheader", { name: "Country" }).waitFor();
  });

  it("says in view that it is not what was searched for when the connection is lost", async () => {
    const page = await scene().open("/person");
    await page.context().setOffline(true);
    await page.getByRole("searchbox").fill("ada");
    await page.locator(".banner").getByText("There is no answer from the service.").waitFor();
    await page.context().setOffline(false);
  });

  it("stays, and says why, when a link in it is followed without a connection", async () => {
    const page = await scene().open("/person?sort=name&limit=10");
    const shown = await names(page);
    for (const [menu, name] of [
      ["", "Name"],
      ["", "Next"],
      ["Columns", "Town"],
    ] as const) {
      if (menu !== "") await page.getByText(menu).click();
      await page.context().setOffline(true);
      await page.getByRole("link", { name, exact: true }).first().click();
      await page.locator(".banner").getByText("There is no answer from the service.").waitFor();
      assert.deepEqual(await names(page), shown, name);
      await page.context().setOffline(false);
      await page.reload();
    }
  });

  it("has menus that close by Escape, and gives the focus back", async () => {
    const page = await scene().open("/person");
    await page.getByText("Columns").click();
    await page.locator(".menu").getByRole("link", { name: "Town" }).focus();
    await page.keyboard.press("Escape");
    assert.equal(await page.locator(".menu[open]").count(), 0);
    assert.equal(await page.locator(":focus").textContent(), "Columns");
  });

  it("is used by single keys, not while one types, and not once they are turned off", async () => {
    const page = await scene().open("/person");
    const { keyboard } = page;
    await keyboard.press("/");
    await page.locator("[name=q]:focus").waitFor();
    await keyboard.type("n/?");
    assert.equal(await page.locator("[name=q]").inputValue(), "n/?");
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.goto(`${scene().url}/person`);
    await keyboard.press("?");
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    assert.equal(await dialog.locator("dt").count(), 4);
    await dialog.getByLabel("Use these keys").uncheck();
    await dialog.getByRole("button", { name: "Close" }).click();
    await keyboard.press("n");
    await keyboard.press("?");
    assert.equal(await dialog.count(), 0);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await dialog.getByLabel("Use these keys").check();
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.locator("h1").click();
    await keyboard.press("n");
    await page.getByRole("heading", { name: "New person" }).waitFor();
  });
});

describeInBrowser(
  "a list whose reader is turned away",
  [sqlite],
  (scene) => {
    it("keeps its face, and comes by itself", async () => {
      const page = await scene().open("/person");
      await page.goto(`${scene().url}/person?limit=1`);
      await page.getByText("This page tries again by itself").waitFor();
      assert.equal(await page.evaluate("document.styleSheets.length"), 1);
      await page.getByRole("searchbox").waitFor();
    });
  },
  async () => ({ rateLimit: { limit: 1, window: 2 } }),
);
