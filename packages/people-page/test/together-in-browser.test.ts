import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

describeInBrowser("several at once", kinds, (scene) => {
  const wide = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };
  const field = (page: Page, name: string) => page.locator(".panel").getByLabel(name, { exact: true });
  const save = (page: Page): Promise<void> => page.getByRole("button", { name: "Save", exact: true }).click();
  const amend = async (id: number, patch: object): Promise<void> => {
    const headers = { "Content-Type": "application/merge-patch+json" };
    await fetch(`${scene().url}/person/${id}`, { method: "PATCH", headers, body: JSON.stringify(patch) });
  };

  it("see what the others save, and lose nothing that they type", async () => {
    const id = await scene().add({ name: "Mary Two", jobTitle: "Clerk", worksFor: "ACME" });
    const [one, other] = await Promise.all([0, 1].map(async () => (await scene().newContext(wide)).newPage()));
    assert.ok(one && other);
    await one.goto(`${scene().url}/person/${id}#edit`);
    await field(one, "Department").fill("Sales");
    await other.goto(`${scene().url}/person`);
    await other.getByRole("cell", { name: "Clerk" }).waitFor();
    await save(one);
    await one.locator(".editor").waitFor({ state: "detached" });
    await amend(id, { jobTitle: "Head" });
    await other.getByRole("cell", { name: "Head" }).waitFor();
    await one.getByRole("definition").filter({ hasText: "Head" }).waitFor();
    await one.getByRole("link", { name: "Edit" }).waitFor();
    await one.keyboard.press("e");
    await field(one, "Department").fill("Research");
    await amend(id, { telephone: "1815" });
    await one.getByText("Somebody else has changed this person since").waitFor();
    assert.equal(await field(one, "Department").inputValue(), "Research");
    await save(one);
    await one.locator(".editor").waitFor({ state: "detached" });
    const { department, telephone } = await scene().ask<Record<string, string>>(`/person/${id}`);
    assert.deepEqual({ department, telephone }, { department: "Research", telephone: "1815" });
  });

  it("choose what stays where two have changed the same", async () => {
    const id = await scene().add({ name: "Mary Three", jobTitle: "Clerk", worksFor: "ACME" });
    const page = await scene().open(`/person/${id}#edit`, wide);
    await field(page, "Job title").fill("Mine");
    await field(page, "Works for").fill("My firm");
    await amend(id, { jobTitle: "Theirs", worksFor: "Their firm", email: "mary@example.org" });
    await save(page);
    await page.getByRole("heading", { name: "Somebody else changed this person meanwhile" }).waitFor();
    await page
      .getByRole("row", { name: /Works for/ })
      .getByText("Their firm")
      .click();
    await page.getByRole("button", { name: "Save what is chosen" }).click();
    await page.getByText("Saved.").waitFor();
    const { jobTitle, worksFor, email } = await scene().ask<Record<string, string>>(`/person/${id}`);
    assert.deepEqual(
      { jobTitle, worksFor, email },
      { jobTitle: "Mine", worksFor: "Their firm", email: "mary@example.org" },
    );
  });

  it("keep what they typed where the person was removed, and may store it anew", async () => {
    const id = await scene().add({ name: "Mary Four" });
    const page = await scene().open(`/person/${id}#edit`, wide);
    await field(page, "Job title").fill("Revenant");
    await fetch(`${scene().url}/person/${id}`, { method: "DELETE" });
    await save(page);
    await page.getByText("This person was removed meanwhile").waitFor();
    await save(page);
    await page.getByRole("heading", { name: "Mary Four" }).waitFor();
    await page.getByText("Revenant").first().waitFor();
  });

  it("delete nobody whom somebody else has changed meanwhile", async () => {
    const id = await scene().add({ name: "Mary Five" });
    const page = await scene().open(`/person/${id}`, wide);
    await page.getByRole("button", { name: "Delete" }).click();
    await amend(id, { jobTitle: "Changed" });
    await page.locator(".notice").getByRole("button", { name: "Close" }).click();
    await page.getByText("Mary Five is not deleted.").waitFor();
    assert.notEqual(await scene().people.find(id), undefined);
  });

  it("save when the line is there again, and nobody twice when an answer was lost", async () => {
    const page = await scene().open("/person#new", wide);
    await field(page, "Given name").fill("Cut");
    await field(page, "Family name").fill("Line");
    await page.route("**/person", (route) => route.abort("connectionreset"), { times: 1 });
    await save(page);
    await page.getByText("There is no answer from the service").waitFor();
    await page.route(
      "**/person",
      async (route) => {
        await route.fetch();
        await route.abort("connectionreset");
      },
      { times: 1 },
    );
    await save(page);
    await page.getByText("There is no answer from the service").waitFor();
    assert.equal(await field(page, "Given name").inputValue(), "Cut");
    await save(page);
    await page.getByRole("heading", { name: "Cut Line" }).waitFor();
    assert.equal((await scene().ask<readonly object[]>("/person?q=cut")).length, 1);
  });

  it("go on by themselves when the service is there again", async () => {
    const page = await scene().open("/person", wide);
    await page.getByRole("link", { name: "Mary Two" }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole("searchbox").fill("mary three");
    await page.getByText("The service does not answer").waitFor();
    await page.context().setOffline(false);
    await page.getByRole("link", { name: "Mary Three" }).waitFor();
  });

  it("read an older or newer API: a code without words is said in the sentence of the API", async () => {
    const page = await scene().open("/person#new", wide);
    await field(page, "Given name").fill("New");
    const problem = {
      type: "/problems/of-tomorrow",
      status: 400,
      detail: "The content breaks a rule.",
      errors: [{ pointer: "#/givenName", code: "of-tomorrow", detail: "must be of tomorrow" }],
    };
    const answer = { status: 400, contentType: "application/problem+json", body: JSON.stringify(problem) };
    await page.route("**/person", (route) => route.fulfill(answer), { times: 1 });
    await save(page);
    await page.getByText("must be of tomorrow").waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
  });
});
