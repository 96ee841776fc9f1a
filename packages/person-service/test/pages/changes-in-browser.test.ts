import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { Page, Request } from "playwright-core";
import { openFolder } from "../../../waymark/test/folder.ts";
import { openAccess } from "../../src/index.ts";
import { basic, quickHash } from "../access/basic-authentication.ts";
import { describeInBrowser, kinds } from "./scene.ts";

const note = (page: Page) => page.locator("[data-changes]");
const isStream = (request: Request): boolean => request.url().includes("/person/changes");
const followed = (page: Page): Promise<Request> => page.waitForRequest(isStream);

describeInBrowser("a page whose people change", kinds, (scene) => {
  before(async () => {
    await scene().people.createAll(Array.from({ length: 3 }, (_, n) => ({ name: `Person ${n}` })));
  });

  it("says how many have changed, also before it followed them, and shows them when the reader wants", async () => {
    const page = await scene().open("/person");
    await scene().people.replace(1, { name: "First" });
    await note(page).getByText("Changed meanwhile (1).").waitFor();
    await scene().people.replace(1, { name: "First again" });
    const { record } = (await scene().people.create({ name: "Another" })) as { record: { id: number } };
    await scene().people.remove(record.id);
    await scene().people.replace(2, { name: "Second" });
    await note(page).getByText("Changed meanwhile (3).").waitFor();
    assert.equal(await page.getByText("First again").count(), 0);
    await page.getByRole("link", { name: "Show" }).click();
    await page.getByText("First again").waitFor();
    assert.equal(await note(page).isVisible(), false);
  });

  it("shows them with the choice of people as it was", async () => {
    const page = await scene().open("/person");
    const box = page.locator("[name=_record]").nth(1);
    await box.check();
    await scene().people.replace(1, { name: "First once more" });
    await page.getByRole("link", { name: "Show" }).click();
    await page.getByText("First once more").waitFor();
    assert.equal(await box.isChecked(), true);
  });

  it("ends its stream when it is left or hidden, and has one at most", async () => {
    const page = await scene().open("/person");
    const open = new Set<Request>();
    page.on("request", (request) => isStream(request) && open.add(request));
    page.on("requestfailed", (request) => open.delete(request));
    const ended = (): Promise<Request> => page.waitForEvent("requestfailed", isStream);
    await followed(page);
    const [searched] = await Promise.all([ended(), page.getByRole("searchbox").fill("person")]);
    assert.ok(isStream(searched));
    await followed(page);
    assert.equal(open.size, 1);
    const hide = (state: "hidden" | "visible"): Promise<void> =>
      page.evaluate(`Object.defineProperty(document, "hidden", { value: ${state === "hidden"}, configurable: true });
        document.dispatchEvent(new Event("visibilitychange"))`);
    await Promise.all([ended(), hide("hidden")]);
    await scene().people.replace(3, { name: "Third" });
    assert.equal(open.size, 0);
    await hide("visible");
    await note(page).getByText("Changed meanwhile (1).").waitFor();
    await Promise.all([ended(), page.getByRole("link", { name: "About" }).click()]);
  });

  it("says of a person that somebody has changed them, and of no other one", async () => {
    const page = await scene().open("/person/1");
    const compared = page.waitForResponse((response) => response.request().method() === "HEAD");
    assert.equal((await compared).status(), 304);
    await page.evaluate(`new Promise((resolve) => {
      const other = new EventSource("/person/changes?after=now&fields=id");
      other.onopen = resolve;
      globalThis.heard = new Promise((resolve) => other.onmessage = () => resolve(other.close()));
    })`);
    await scene().people.replace(2, { name: "Second again" });
    await page.evaluate("globalThis.heard");
    assert.equal(await note(page).isVisible(), false);
    await scene().people.replace(1, { name: "First, later" });
    await note(page).waitFor();
    await page.getByRole("link", { name: "Show" }).click();
    await page.getByRole("heading", { name: "First, later" }).waitFor();
  });

  it("says so where the person changed before the page followed", async () => {
    const page = await scene().open("/person/2");
    await scene().people.remove(2);
    await note(page).waitFor();
    assert.match((await note(page).textContent()) ?? "", /^Changed meanwhile\. Show$/);
  });
});

const folder = openFolder("page-changes");

describeInBrowser(
  "a page of people for somebody",
  kinds,
  (scene) => {
    for (const [name, count] of [
      ["reader", 0],
      ["follower", 1],
    ] as const) {
      it(`has ${count} notes of changes for a ${name}`, async () => {
        const { id } = ((await scene().people.create({ name })) as { record: { id: number } }).record;
        for (const path of ["/person", `/person/${id}`]) {
          const headers = { Accept: "text/html", Authorization: basic(name, "x") };
          const answer = await fetch(scene().url + path, { headers });
          assert.equal((await answer.text()).split("data-changes").length - 1, count, path);
        }
      });
    }
  },
  async () => {
    const users = [
      { name: "reader", password: quickHash("x"), scopes: ["read"] },
      { name: "follower", password: quickHash("x"), scopes: ["read", "follow"] },
    ];
    const rules = [
      { path: "/person/changes", scopes: ["follow"] },
      { path: "/person/**", scopes: ["read"] },
    ];
    return { access: (await openAccess({ file: folder.write("access.json", { users, rules }) })).filter };
  },
);
