import assert from "node:assert/strict";
import { before, it } from "node:test";
import { isThorough } from "../../../waymark/test/runs.ts";
import { personSchema } from "../../src/person/schema.ts";
import { sqlite } from "../databases.ts";
import { naughtyStrings } from "../naughty-strings.ts";
import { describeInBrowser } from "./scene.ts";
import { faultsOf, usualStates } from "./states.ts";

/** The width and height in pixels of all that is pressed on a page, with its menus open; of a box, those of its label. */
const sizesOfTargets = `document.querySelectorAll("details").forEach((each) => (each.open = true));
  [...document.querySelectorAll("a[href]:not(.skip), button, input, select, textarea, summary")]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .map((each) => {
      const { width, height } = (each.closest("label:has(> [type=checkbox], > [type=radio])") ?? each).getBoundingClientRect();
      return [width, height, each.outerHTML];
    })`;

const columns = [
  ...[
    "name",
    "givenName",
    "additionalName",
    "familyName",
    "alternateName",
    "email",
    "telephone",
    "url",
    "knowsLanguage",
  ],
  ...["jobTitle", "worksFor", "identifier", "description"],
  ...["address.streetAddress", "address.addressLocality", "address.addressRegion", "address.postalCode"],
];

type Values = Readonly<Record<string, string>>;

/** The text in every member that takes it. */
function valuesWith(text: string, i: number): Values {
  let values: Values = { name: `Person ${i}` };
  for (const column of columns) {
    const more = { ...values, [column]: column === "identifier" ? `${text}${i}` : text };
    if (personSchema()["~standard"].validate(toPerson(more)).issues === undefined) values = more;
  }
  return values;
}

function toPerson(values: Values): object {
  const [members, address] = [false, true]
    .map((isOfAddress) =>
      Object.entries(values)
        .filter(([name]) => name.startsWith("address.") === isOfAddress)
        .map(([name, value]) => [name.replace("address.", ""), value]),
    )
    .map((entries) => Object.fromEntries(entries ?? []));
  return { ...members, ...(Object.keys(address).length > 0 && { address }) };
}

describeInBrowser("the pages", [sqlite], (scene) => {
  const people = Object.values(naughtyStrings).map(valuesWith);
  before(async () => {
    await scene().people.createAll([
      ...people.map(toPerson),
      { name: "w".repeat(200), jobTitle: "長".repeat(200), email: `${"a".repeat(64)}@example.org` },
    ]);
  });

  for (const scheme of ["light", "dark"] as const) {
    // What nothing was clicked on is below in another language; the dark has other colours, and the same of all else.
    const isJudged = (i: number): boolean =>
      isThorough || (scheme === "light" ? usualStates[i]?.[2] !== undefined : i % 3 === 0);
    for (const [what, path, step] of usualStates.filter((_, i) => isJudged(i))) {
      it(`have nothing that keeps anybody out: ${what}, ${scheme}`, async () => {
        const page = await scene().open(path, { colorScheme: scheme, viewport: { width: 1280, height: 900 } });
        await step?.(page, scene());
        assert.deepEqual(await faultsOf(page), []);
      });
    }
  }

  for (const [i, locale] of ["de-DE", "fr-FR", "es-ES"].entries()) {
    for (const [j, path] of [
      "/person",
      "/person?new",
      "/person?import",
      "/person/1",
      "/person/99999",
      "/problems/not-found",
      "/",
    ].entries()) {
      // The languages have other words, and the same of all else: each page is judged in one of them.
      const isJudged = isThorough || j % 3 === i;
      it(`${isJudged ? "have nothing that keeps anybody out, and " : ""}are no wider than a phone: ${path} in ${locale}`, async () => {
        const page = await scene().open(path, { locale, viewport: { width: 390, height: 844 } });
        if (isJudged) assert.deepEqual(await faultsOf(page), []);
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
        assert.equal(await page.locator("html").getAttribute("lang"), locale);
      });
    }
  }

  it("have room for a finger in all that is pressed, but for the link that only a key shows", async () => {
    const creation = await scene().people.create({
      name: "Ada",
      email: "ada@example.org",
      telephone: "1",
      url: "https://example.org/",
      emails: [{ value: "ada@example.org", preferred: true }, { value: "ada@home.example" }],
    });
    assert(creation.kind === "created");
    const { id } = creation.record;
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    for (const path of [
      "/person?name=Ada&q=ada",
      `/person/${id}`,
      `/person/${id}#edit`,
      "/person?new",
      "/person?import",
      "/",
    ]) {
      const page = await scene().open(path, phone);
      if (path.endsWith("import")) {
        const buffer = Buffer.from("Name,Born,Colour\nAda,01/02/1990,red\n,,blue");
        await page.locator("input[type=file]").setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
        await page.locator("[data-outcome]").waitFor();
      }
      const sizes =
        await page.evaluate<readonly (readonly [width: number, height: number, what: string])[]>(sizesOfTargets);
      assert.ok(sizes.length > 10, path);
      assert.deepEqual(
        sizes.filter(([width, height]) => Math.min(width, height) < 44),
        [],
        path,
      );
    }
    await scene().people.remove(id);
  });

  it("lead somewhere by each link, and have what a field suggests", async () => {
    for (const path of ["/person", "/person?new", "/person/1"]) {
      const page = await scene().open(path);
      assert.equal(await page.locator("a:not([href])").count(), 0, path);
      const lists = `[...document.querySelectorAll("input[list]")].map(({ list }) => list?.localName)`;
      assert.deepEqual(new Set(await page.evaluate<string[]>(lists)), new Set(["datalist"]), path);
    }
  });

  it("show stored text as text, and never run it", async () => {
    const page = await scene().open(`/person?limit=200&fields=${columns}`);
    const shown = await page.evaluate(
      `[...document.querySelectorAll("tbody tr")].map((row) => [...row.children].slice(1).map((cell) => cell.textContent))`,
    );
    const rows = shown as readonly (readonly string[])[]; // A list of rows of texts, as above.
    assert.equal(rows.length, people.length + 1);
    for (const [i, values] of people.entries()) {
      assert.deepEqual(
        rows[i],
        columns.map((column) => values[column] ?? ""),
      );
    }
    assert.equal(await page.locator("main script, main style, main img, main iframe").count(), 0);
  });

  it("show each person so, in the card and in the fields", async () => {
    const page = await scene().open("/person/1");
    for (let i = 0; i < people.length; i += 8) {
      await page.goto(`${scene().url}/person/${i + 1}`);
      const names = Object.keys(people[i] ?? {});
      // All at once: each question to the browser takes as long as all of them.
      const shown = await page.evaluate(
        `${JSON.stringify(names)}.map((name) => [
          name,
          document.querySelector(name === "name" ? "h1" : "dd." + CSS.escape(name))?.textContent,
          document.querySelector('[name="' + name + '"]')?.value,
        ])`,
      );
      assert.deepEqual(
        shown,
        names.map((name) => [name, people[i]?.[name], people[i]?.[name]]),
      );
    }
  });

  it("fit a phone, also with long names", async () => {
    for (const path of ["/person?limit=200", "/person/1", `/person/${people.length + 1}`, "/"]) {
      const page = await scene().open(path, { viewport: { width: 360, height: 700 } });
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 360, path);
      const right = `Math.max(0, ...Array.from(document.querySelectorAll("td a, dd a"), (each) => each.getBoundingClientRect().right))`;
      assert.ok(Number(await page.evaluate(right)) <= 360, path);
    }
  });

  it("fit a phone with two versions to choose from, too", async () => {
    const page = await scene().open("/person/1", { locale: "de-DE", viewport: { width: 390, height: 844 } });
    const url = `https://example.org/${"a".repeat(200)}`;
    await page.goto(`${scene().url}/person/1#edit`);
    await page.evaluate(`fetch("/person/1", {
      method: "PATCH",
      headers: { "Content-Type": "application/merge-patch+json" },
      body: JSON.stringify({ url: ${JSON.stringify(url)} }),
    })`);
    await page.locator("[name=url]").fill("https://example.org/mine");
    await page.locator(".editor .primary").click();
    await page.locator(".conflict").waitFor();
    const right = `Math.max(...Array.from(document.querySelectorAll(".conflict tbody *"), (each) => each.getBoundingClientRect().right))`;
    assert.ok(Number(await page.evaluate(right)) <= 390);
    assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390);
    assert.deepEqual(await faultsOf(page), []);
  });

  it("move nothing while they load", async () => {
    for (const width of [390, 1280]) {
      const page = await scene().open("/", { viewport: { width, height: 900 } });
      await page.addInitScript(`
        globalThis.shifts = [];
        globalThis.observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()));
        observer.observe({ type: "layout-shift", buffered: true });`);
      for (const path of ["/person", "/person/1", "/person?new", "/person?import", "/person?q=nobody"]) {
        await page.goto(scene().url + path);
        await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assert.deepEqual(
          await page.evaluate("[...shifts, ...observer.takeRecords()].map(({ value }) => value)"),
          [],
          `${path} at ${width}`,
        );
      }
    }
  });

  it("can be used by the keyboard only: to find a person, to change it, and to add another", async () => {
    const page = await scene().open("/person");
    const { keyboard } = page;
    // By the name of a field, or the text of anything else.
    const focused = (): Promise<string> =>
      page.locator(":focus").evaluate((element) => element.getAttribute("name") ?? element.textContent);
    const tabTo = async (wanted: string, key = "Tab"): Promise<void> => {
      do await keyboard.press(key);
      while ((await focused()) !== wanted);
    };
    await tabTo("Skip to the content");
    await keyboard.press("Enter");
    await tabTo("q");
    await keyboard.type("robert");
    await page.getByText("1 person found").waitFor({ state: "attached" });
    await tabTo(naughtyStrings["SQL, quoted"] ?? "");
    await keyboard.press("Enter");
    await page.waitForURL(/person\/\d+$/);
    const nameField = page.locator("[name=name]:focus");
    await tabTo("Edit");
    await keyboard.press("Enter");
    await nameField.waitFor();
    await keyboard.press("ControlOrMeta+A");
    await keyboard.type("Found By Keys");
    await keyboard.press("Enter");
    await page.getByText("Saved.").waitFor();
    assert.equal(await page.locator("h1").textContent(), "Found By Keys");
    await tabTo("Back to the list", "Shift+Tab");
    await keyboard.press("Enter");
    await page.waitForURL(/person\?q=robert$/);
    await tabTo("New person");
    await keyboard.press("Enter");
    await nameField.waitFor();
    await keyboard.type("Made By Keys");
    await keyboard.press("Enter");
    await page.getByText("Stored.", { exact: true }).waitFor();
  });

  it("are printed without what only a screen needs, and no wider than the paper", async () => {
    for (const path of ["/person?limit=200", "/person/1"]) {
      const page = await scene().open(path, { viewport: { width: 680, height: 960 } });
      await page.emulateMedia({ media: "print" });
      for (const selector of [".bar", ".actions", ".search", ".trail"]) {
        for (const each of await page.locator(selector).all()) assert.equal(await each.isVisible(), false, selector);
      }
      assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 680, path);
    }
  });
});
