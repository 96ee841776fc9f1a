import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import type { Scene } from "./scene.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds: each rule that is broken, and where. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(`axe.run({ rules: { "td-has-header": { enabled: true }, "target-size": { enabled: true } } }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`);
}

/** What a page shows at a moment: where it is, and what was done there. */
export type State = readonly [what: string, path: string, step?: (page: Page, scene: Scene) => Promise<unknown>];

const press = (page: Page, name: string | RegExp): Promise<void> => page.getByRole("button", { name }).first().click();
const open = (page: Page, text: string): Promise<void> => page.locator("summary", { hasText: text }).first().click();
const says = (page: Page, text: string): Promise<void> => page.getByText(text).first().waitFor();
const type = (page: Page, label: string, value: string): Promise<void> =>
  page.getByLabel(label, { exact: true }).first().fill(value);

/** The states that a reader is in most of the time. */
export const usualStates: readonly State[] = [
  ["the list", "/person?name[prefix]=P"],
  ["the form of a new person", "/person", (page) => page.getByRole("link", { name: "New person" }).click()],
  ["the filters", "/person?name[prefix]=P", (page) => page.getByText("Filters").first().click()],
  ["the columns", "/person", (page) => page.getByText("Columns").click()],
  ["a person", "/person/1"],
  ["the form of a person", "/person/1", (page) => page.getByRole("link", { name: "Edit" }).click()],
  ["a question", "/person/1", (page) => page.getByRole("button", { name: "Delete" }).click()],
  ["a problem", "/person/99999"],
  ["the front page", "/"],
];

/** People for the other states: one with all that a page shows, one who is written from right to left, one with long words, and a crowd. */
export const crowd: readonly object[] = [
  {
    ...{ name: "Ada Lovelace", birthDate: "1815-12-10", jobTitle: "Poet", description: "Two\nlines" },
    emails: [
      { value: "ada@example.org", preferred: true },
      { value: "ada@home.example", contexts: ["private"] },
    ],
    ...{ telephone: "+44 20 7946 0000", url: "https://example.org/ada", categories: ["press", "<b>"] },
    address: { streetAddress: "1 Dorset St", addressLocality: "London", addressCountry: "GB" },
  },
  { name: "مريم ميرزاخاني", jobTitle: "أستاذة", address: { addressLocality: "תל אביב" } },
  { name: "w".repeat(200), jobTitle: "長".repeat(200), email: `${"a".repeat(64)}@example.org` },
  ...Array.from({ length: 57 }, (_, i) => ({ name: `Person ${i}`, birthDate: `19${10 + i}-01-31`, worksFor: "Bank" })),
];

async function choose(page: Page, ...names: readonly string[]): Promise<void> {
  for (const name of names) await page.getByRole("checkbox", { name, exact: true }).check();
  await open(page, "With the chosen");
}

async function chooseAll(page: Page): Promise<void> {
  await open(page, "With the chosen");
  await page.getByRole("checkbox", { name: /^All of this list/ }).check();
}

async function addCategory(page: Page, value: string): Promise<void> {
  await type(page, "Value", value);
  await press(page, "Add");
}

const chooseFile = (page: Page, text: string): Promise<void> =>
  page
    .locator("[type=file]")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(text.replaceAll("|", "\n")) });

const amend = (scene: Scene, id: number): Promise<unknown> =>
  scene.people.replace(id, { name: `Person ${id - 4}`, jobTitle: `Clerk ${Math.random()}` });

async function stored(scene: Scene, name: string): Promise<number> {
  const creation = await scene.people.create({ name });
  return creation.kind === "created" ? creation.record.id : 0;
}

async function loseAnswer(page: Page, button: string): Promise<void> {
  await page.context().setOffline(true);
  await press(page, button);
  await says(page, "There is no answer from the service");
}

/** What else readers come to, on a service where everybody may do everything. */
export const otherStates: readonly State[] = [
  ["a list of one", "/person?q=ada"],
  ["a list of nobody", "/person?q=nobodyatall"],
  ["a page in the middle", "/person?limit=20", (page) => page.getByRole("link", { name: "Next" }).click()],
  ["the last page", "/person?limit=40", (page) => page.getByRole("link", { name: "Next" }).click()],
  ["a list as somebody types", "/person", (page) => page.getByRole("searchbox").fill("ada")],
  ["a list with filters", "/person?address.addressCountry=GB&birthDate[ge]=1800-01-01&q=ada"],
  ["a list of those who lack something", "/person?email[exists]=false"],
  ["a sorted list", "/person?sort=-name"],
  [
    "a list with many columns",
    "/person?fields=name,email,telephone,url,emails,categories,birthDate,address.addressCountry",
  ],
  ["a list that is written from right to left", "/person?q=مريم"],
  ["a list of long words", "/person?q=www"],
  ["the files to download", "/person", (page) => open(page, "Download")],
  ["a few who are chosen", "/person", (page) => choose(page, "Ada Lovelace", "Person 1")],
  ["a page that is chosen", "/person", (page) => choose(page, "Choose everybody on this page")],
  ["all who are chosen", "/person", chooseAll],
  ["a choice of nobody", "/person", (page) => choose(page).then(() => press(page, "Add"))],
  ["a change of many", "/person?q=bank", (page) => chooseAll(page).then(() => addCategory(page, "press"))],
  ["a change of a few", "/person", (page) => choose(page, "Person 2").then(() => addCategory(page, "x"))],
  ["a change of nobody", "/person?q=ada", (page) => chooseAll(page).then(() => addCategory(page, "press"))],
  [
    "a change of some who have changed",
    "/person",
    async (page, scene) => {
      await choose(page, "Person 5", "Person 6");
      await amend(scene, 10);
      await addCategory(page, "x");
    },
  ],
  [
    "a change of a list that has changed",
    "/person?q=bank",
    async (page, scene) => {
      await chooseAll(page);
      await amend(scene, 11);
      await addCategory(page, "x");
      await says(page, "People have changed");
    },
  ],
  [
    "a change that has a fault",
    "/person",
    async (page) => {
      await choose(page, "Person 1");
      await page.getByLabel("Member").selectOption({ label: "Date of birth" });
      await page.getByLabel("Value").nth(1).fill("soon");
      await press(page, "Set");
    },
  ],
  [
    "people who are changed",
    "/person",
    async (page) => {
      await choose(page, "Person 3");
      await addCategory(page, `x ${Math.random()}`);
      await press(page, "Change 1 person");
      await says(page, "The people are changed.");
    },
  ],
  ["a removal of many", "/person?q=bank", (page) => chooseAll(page).then(() => press(page, "Delete…"))],
  [
    "a removal of another number",
    "/person?q=bank",
    async (page) => {
      await chooseAll(page);
      await press(page, "Delete…");
      await page.locator("[name=_typed]").fill("7");
      await press(page, /^Delete \d+ people/);
      await says(page, "This is not how many they are.");
    },
  ],
  [
    "people who are removed",
    "/person",
    async (page, scene) => {
      await scene.people.create({ name: "Gone" });
      await page.getByRole("searchbox").fill("gone");
      await says(page, "1 person");
      await choose(page, "Gone");
      await press(page, "Delete…");
      await press(page, "Delete 1 person");
      await says(page, "The people are deleted.");
    },
  ],
  [
    "people who have changed meanwhile",
    "/person",
    async (page, scene) => {
      await amend(scene, 12);
      await says(page, "Changed meanwhile");
    },
  ],
  [
    "a search without an answer",
    "/person",
    async (page) => {
      await page.context().setOffline(true);
      await page.getByRole("searchbox").fill("ada");
      await says(page, "There is no answer from the service");
    },
  ],
  ["the shortcuts", "/person", (page) => press(page, "Keyboard shortcuts")],
  ["a query that is not known", "/person?colour=red"],
  ["a format that is not known", "/person?format=spoken"],
  ["a person who is written from right to left", "/person/2"],
  ["a person of long words", "/person/3"],
  ["a person with a code", "/person/1", (page) => open(page, "QR code")],
  ["a few members of a person", "/person/1?fields=name,birthDate"],
  [
    "a person who has changed meanwhile",
    "/person/20",
    async (page, scene) => {
      await amend(scene, 20);
      await says(page, "Changed meanwhile");
    },
  ],
  [
    "a form with faults",
    "/person/1#edit",
    async (page) => {
      await type(page, "Date of birth", "soon");
      await type(page, "Country", "Nowhere");
      await press(page, "Save");
      await says(page, "Not right yet:");
    },
  ],
  [
    "a form that was left",
    "/person/1#edit",
    async (page) => {
      await type(page, "Job title", "Clerk");
      await page.reload();
      await says(page, "This is what you typed before");
    },
  ],
  ["a form without an answer", "/person/1#edit", (page) => loseAnswer(page, "Save")],
  [
    "two versions of a person",
    "/person/21#edit",
    async (page, scene) => {
      await amend(scene, 21);
      await type(page, "Job title", "Poet");
      await press(page, "Save");
      await says(page, "Somebody else changed this person");
    },
  ],
  [
    "a form of somebody who is gone",
    "/",
    async (page, scene) => {
      const id = await stored(scene, "Left");
      await page.goto(`${scene.url}/person/${id}#edit`);
      await scene.people.remove(id);
      await type(page, "Job title", "Poet");
      await press(page, "Save");
      await says(page, "This person was removed meanwhile");
    },
  ],
  [
    "a person who is saved",
    "/person/23#edit",
    async (page) => {
      await type(page, "Job title", `Poet ${Math.random()}`);
      await press(page, "Save");
      await says(page, "Saved.");
    },
  ],
  [
    "a person who is stored",
    "/person?new",
    async (page) => {
      await type(page, "Name", "New");
      await press(page, "Store");
      await says(page, "Stored.");
    },
  ],
  [
    "a new person with a fault",
    "/person?new",
    async (page) => {
      await press(page, "Store");
      await says(page, "is required");
    },
  ],
  [
    "a question whose person has changed",
    "/person/24",
    async (page, scene) => {
      await amend(scene, 24);
      await press(page, "Delete");
      await page.locator("#remove").getByRole("button", { name: "Delete" }).click();
      await says(page, "Somebody changed this person meanwhile");
    },
  ],
  [
    "a person who is removed",
    "/",
    async (page, scene) => {
      await page.goto(`${scene.url}/person/${await stored(scene, "Alone")}`);
      await press(page, "Delete");
      await page.locator("#remove").getByRole("button", { name: "Delete" }).click();
      await says(page, "The person is deleted.");
    },
  ],
  ["an import", "/person?import"],
  [
    "an import of no file",
    "/person?import",
    (page) => press(page, "Check").then(() => says(page, "Choose a file first")),
  ],
  [
    "an import of good people",
    "/person?import",
    (page) => chooseFile(page, "Name,Born|Eve,1990-12-31").then(() => says(page, "can be stored")),
  ],
  [
    "an import with faults",
    "/person?import",
    (page) => chooseFile(page, "Name,Born|Eve,soon|Kay,1990-12-31").then(() => says(page, "Line 2")),
  ],
  [
    "an import of unclear dates",
    "/person?import",
    (page) => chooseFile(page, "Name,Born|Eve,01/02/1990").then(() => says(page, "Choose which day")),
  ],
  [
    "an import of unknown columns",
    "/person?import",
    (page) => chooseFile(page, "Colour,Size|red,7").then(() => says(page, "Say first")),
  ],
  ["an import of nobody", "/person?import", (page) => chooseFile(page, "Name").then(() => says(page, "has no people"))],
  [
    "an import of people who are there",
    "/person?import",
    (page) => chooseFile(page, "Name,Email|Ada Lovelace,ada@example.org").then(() => says(page, "stored already")),
  ],
  [
    "an import without an answer",
    "/person?import",
    async (page) => {
      await page.context().setOffline(true);
      await chooseFile(page, "Name|Eve");
      await says(page, "There is no answer from the service");
    },
  ],
  [
    "an import that is stored",
    "/person?import",
    async (page) => {
      await chooseFile(page, `Name|Somebody ${Math.random()}`);
      await press(page, /^Store 1/);
      await says(page, "1 person stored.");
    },
  ],
  ["the page of a problem", "/problems/not-found"],
  ["the API reference", "/docs"],
];
