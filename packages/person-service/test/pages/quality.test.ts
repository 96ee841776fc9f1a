import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { before, it } from "node:test";
import type { Page } from "playwright-core";
import { personSchema } from "../../src/person/person.ts";
import { sqlite } from "../databases.ts";
import { naughtyStrings } from "../naughty-strings.ts";
import { describeInBrowser } from "./scene.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds: each rule that is broken, and where. */
async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`);
}

const members = ["name", "givenName", "alternateName", "jobTitle", "worksFor", "identifier", "description"] as const;

/** The members that take the text, with it. */
function personWith(text: string, i: number): Readonly<Record<string, string>> {
  const person: Record<string, string> = { name: `Person ${i}` };
  for (const member of members) {
    const value = { ...person, [member]: member === "identifier" ? `${text}${i}` : text };
    if (personSchema()["~standard"].validate(value).issues === undefined) Object.assign(person, value);
  }
  return person;
}

describeInBrowser("the pages", [sqlite], (scene) => {
  const people = Object.values(naughtyStrings).map(personWith);
  before(async () => {
    await scene().people.createAll([
      ...people,
      { name: "w".repeat(200), jobTitle: "長".repeat(200), email: `${"a".repeat(64)}@example.org` },
    ]);
  });

  for (const scheme of ["light", "dark"] as const) {
    const all = [
      ["the list", "/person?name[prefix]=P", undefined],
      ["the form of a new person", "/person", (page: Page) => page.getByRole("button", { name: "New person" }).click()],
      ["the filters", "/person?name[prefix]=P", (page: Page) => page.getByText("Filters").first().click()],
      ["the columns", "/person", (page: Page) => page.getByText("Columns").click()],
      ["a person", "/person/1", undefined],
      ["the form of a person", "/person/1", (page: Page) => page.getByRole("button", { name: "Edit" }).click()],
      ["a question", "/person/1", (page: Page) => page.getByRole("button", { name: "Delete" }).click()],
      ["a problem", "/person/99999", undefined],
      ["the front page", "/", undefined],
    ] as const;
    // In the dark there are other colours, and the same of all else.
    for (const [what, path, step] of scheme === "light" ? all : all.filter((_, i) => i % 3 === 0)) {
      it(`have nothing that keeps anybody out: ${what}, ${scheme}`, async () => {
        const page = await scene().open(path, { colorScheme: scheme, viewport: { width: 1280, height: 900 } });
        await step?.(page);
        assert.deepEqual(await faultsOf(page), []);
      });
    }
  }

  it("show whatever is stored as text, and nothing of it runs", async () => {
    const page = await scene().open("/person?limit=200&fields=name,givenName,jobTitle,worksFor,identifier");
    const shown = await page.evaluate(
      `[...document.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent))`,
    );
    const rows = shown as readonly (readonly string[])[]; // A list of rows of texts, as above.
    assert.equal(rows.length, people.length + 1);
    for (const [i, { name = "", givenName = "", jobTitle = "", worksFor = "", identifier = "" }] of people.entries()) {
      assert.deepEqual(rows[i], [name, givenName, jobTitle, worksFor, identifier]);
    }
    assert.equal(await page.locator("main script, main style, main img, main iframe").count(), 0);
  });

  it("show each person so, in the card and in the fields", async () => {
    const page = await scene().open("/person/1");
    for (let i = 0; i < people.length; i += 8) {
      await page.goto(`${scene().url}/person/${i + 1}`);
      const { name, description } = people[i] ?? {};
      assert.equal(await page.locator("h1").textContent(), name);
      if (description !== undefined) {
        assert.equal(await page.locator("dd.description").textContent(), description);
        assert.equal(await page.locator("[name=description]").inputValue(), description);
      }
    }
  });

  it("are no wider than a phone, whatever the names", async () => {
    for (const path of ["/person?limit=200", "/person/1", `/person/${people.length + 1}`, "/"]) {
      const page = await scene().open(path, { viewport: { width: 360, height: 700 } });
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360, path);
    }
  });
});
