import assert from "node:assert/strict";
import { before, it } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { openFolder } from "../../../waymark/test/folder.ts";
import { openAccess } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";
import { sqlite } from "../databases.ts";
import { describeInBrowser, type Scene } from "./scene.ts";
import { crowd, faultsOf, otherStates, type State, usualStates } from "./states.ts";

/** How pages are looked at; 320 pixels are 1,280 at 400 %. */
const views: Readonly<Record<string, BrowserContextOptions>> = {
  "wide and light": { viewport: { width: 1280, height: 900 } },
  "on a phone, dark": { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true, isMobile: true },
  "at 400 %, in colours of the reader": { viewport: { width: 320, height: 256 }, forcedColors: "active" },
};

/** Judges states, each in a context of its own. */
function judge(scene: () => Scene, states: readonly State[]): void {
  for (const [view, options] of Object.entries(views)) {
    for (const [what, path, step] of states) {
      it(`have nothing that keeps anybody out: ${what}, ${view}`, async () => {
        const context = await scene().newContext(options);
        const page = await context.newPage();
        await page.goto(scene().url + path);
        await step?.(page, scene());
        await page.waitForLoadState();
        assert.deepEqual(await faultsOf(page), []);
        await context.close();
      });
    }
  }
}

describeInBrowser("the states of the pages", [sqlite], (scene) => {
  before(() => scene().people.createAll(crowd));
  judge(scene, [...usualStates, ...otherStates]);
});

describeInBrowser("the pages of nobody", [sqlite], (scene) => judge(scene, [["an empty list", "/person"]]));

const signIn = async (page: Page, name: string, password = "correct"): Promise<void> => {
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
};

const folder = openFolder("states");

describeInBrowser(
  "the pages of those who sign in",
  [sqlite],
  (scene) => {
    before(() => scene().people.createAll(crowd));
    judge(scene, [
      ["a page for others", "/person"],
      ["the page to sign in on", "/sign-in"],
      [
        "a wrong password",
        "/sign-in",
        async (page) => {
          await signIn(page, "ada", "wrong");
          await page.getByText("These credentials are not right").waitFor();
        },
      ],
      ["a key", "/sign-in", (page) => page.getByText("Use an API key instead").click()],
      [
        "a list of somebody",
        "/person",
        async (page) => {
          await signIn(page, "ada");
          await page.getByText("Sign out").waitFor();
        },
      ],
      [
        "a page that somebody may not see",
        "/person",
        async (page) => {
          await signIn(page, "bob");
          await page.getByText("You may not do this").waitFor();
        },
      ],
      [
        "a form whose session is over",
        "/person/1",
        async (page) => {
          await signIn(page, "ada");
          await page.getByRole("link", { name: "Edit" }).click();
          await page.context().clearCookies();
          await page.getByLabel("Job title").fill("Poet");
          await page.getByRole("button", { name: "Save" }).click();
          await page.getByRole("dialog").waitFor();
        },
      ],
    ]);
  },
  async () => {
    const users = [
      { name: "ada", password: quickHash("correct"), scopes: ["person"] },
      { name: "bob", password: quickHash("correct"), scopes: ["other"] },
    ];
    const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });
    return { access: (await openAccess({ file })).filter };
  },
);

describeInBrowser(
  "the pages of a busy service",
  [sqlite],
  (scene) => judge(scene, [["a list that is tried again", "/person", (page) => page.reload()]]),
  async () => ({ rateLimit: { limit: 1, window: 60 } }),
);
