import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Page } from "playwright-core";
import { isThorough } from "../../waymark/test/tools/runs.ts";
import { describeInBrowser, kinds } from "./scene.ts";

type Known = Record<string, unknown>;

const members = ["email", "telephone", "jobTitle", "worksFor", "department"] as const;
/** What members have that take not every text. */
const checked = new Map([
  ["email", "new@example.org"],
  ["telephone", "+1 202 225 1510"],
]);
const wide = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };

/** Somebody with all that a form could spoil: values that it shows in another way, and lists with what nobody sees in it. */
const somebody = {
  name: "Dr.  Ada  Lovelace",
  givenName: "Ada",
  familyName: "Lovelace",
  birthDate: "1815-12-10",
  email: "ada@example.org",
  emails: [{ value: "countess@example.org", contexts: ["work"], label: "Office" }, { value: "ada@home.example" }],
  telephone: "+44 20 7946 0000",
  telephones: [{ value: "+44 20 7946 0001", contexts: ["private"], features: ["mobile"] }],
  address: { streetAddress: "12 St James's Square", addressLocality: "London", addressCountry: "GB" },
  addresses: [{ value: { streetAddress: "Ockham Park", addressCountry: "GB" }, contexts: ["private"] }],
  categories: ["Press", "Mathematics"],
  description: "First line\n  second line  ",
};

describeInBrowser("edits by the page", kinds, (scene) => {
  const press = async (page: Page, key: string, until: string): Promise<void> => {
    for (let presses = 0; presses < 80; presses++) {
      if ((await page.locator(`${until}:focus`).count()) > 0) return;
      await page.keyboard.press(key);
    }
    assert.fail(`${key} does not lead to ${until}`);
  };

  for (const round of Array(isThorough ? 10 : 1).keys()) {
    it(`change what was typed, and nothing else (${round + 1})`, () => assertChangesOnlyWhatIsTyped());
  }

  const assertChangesOnlyWhatIsTyped = async (): Promise<void> => {
    const id = await scene().add(somebody);
    assert.equal((await scene().ask<Known>(`/person/${id}`))["name"], somebody.name);
    const page = await scene().open(`/person/${id}`, wide);
    const typed = fc.dictionary(fc.constantFrom(...members), fc.constantFrom("", "Clerk", "Größe 7", "a'b\"c", "長"), {
      minKeys: 1,
      maxKeys: 3,
    });
    await fc.assert(
      fc.asyncProperty(typed, async (texts) => {
        const { updatedAt: _, ...before } = await scene().ask<Known>(`/person/${id}`);
        await page.getByRole("link", { name: "Edit" }).click();
        const expected: Known = { ...before };
        for (const [member, text] of Object.entries(texts)) {
          const value = text === "" ? "" : (checked.get(member) ?? text);
          await page.locator(`#f-${member}`).fill(value);
          if (value === "") delete expected[member];
          else expected[member] = value;
        }
        await page.getByRole("button", { name: "Save" }).click();
        await page.locator(".editor").waitFor({ state: "detached" });
        const { updatedAt: __, ...after } = await scene().ask<Known>(`/person/${id}`);
        assert.deepEqual(after, expected);
      }),
      { numRuns: isThorough ? 100 : 15, endOnFailure: true },
    );
  };

  it("need no more than the keyboard", async () => {
    const id = await scene().add({ name: "Key Board", familyName: "Aaa" });
    const page = await scene().open("/person", wide);
    await page.getByRole("link", { name: "Key Board" }).waitFor();
    await press(page, "Tab", `a[href$="/person/${id}"]`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Key Board" }).waitFor();
    await press(page, "Tab", `a[href$="/person/${id}#edit"]`);
    await page.keyboard.press("Enter");
    await press(page, "Tab", "#f-jobTitle");
    await page.keyboard.type("Typist");
    await press(page, "Tab", ".foot .primary");
    await page.keyboard.press("Enter");
    await page.locator(".editor").waitFor({ state: "detached" });
    assert.equal((await scene().ask<Known>(`/person/${id}`))["jobTitle"], "Typist");
    await press(page, "Shift+Tab", `a[href$="/person/${id}"]`);
  });
});
