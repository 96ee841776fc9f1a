import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page } from "playwright-core";
import { openAccess } from "../../person-service/src/index.ts";
import { quickHash } from "../../person-service/test/access/basic-authentication.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { describeInBrowser, kinds } from "./scene.ts";

const folder = openFolder("page-sign-in");
const rules = [
  { methods: ["GET"], path: "/person/**", scopes: ["person:read"] },
  { path: "/person/**", scopes: ["person:write"] },
];
const users = (scopes: readonly string[] = ["person:read", "person:write"]) => [
  { name: "ada", password: quickHash("correct"), scopes },
  { name: "reader", password: quickHash("correct"), scopes: ["person:read"] },
  { name: "nobody", password: quickHash("correct"), scopes: ["other"] },
];
let reload: () => Promise<void>;

const configure = async () => {
  const file = folder.write("access.json", { rules, users: users() });
  const access = await openAccess({ file });
  reload = access.reload;
  return { access: access.filter };
};

const signIn = async (page: Page, name: string, password = "correct"): Promise<void> => {
  const form = page.locator("form.sign-in").last();
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("Password").fill(password);
  await form.getByRole("button", { name: "Sign in", exact: true }).click();
};

describeInBrowser(
  "signing in with a browser",
  kinds,
  (scene) => {
    const wide = { viewport: { width: 1280, height: 800 }, locale: "en-GB" };
    const leave = async (page: Page): Promise<void> => page.context().clearCookies();

    it("greets, has the focus in its first field, and leads to what was asked for", async () => {
      const page = await scene().open("/person", wide);
      await page.getByRole("heading", { name: "Welcome to People" }).waitFor();
      assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /401/);
      assert.equal(await page.locator(":focus").getAttribute("name"), "name");
      await signIn(page, "ada", "wrong");
      await page.getByText("These credentials are not right").waitFor();
      assert.equal(await page.locator("[name=name]").inputValue(), "ada");
      await signIn(page, "ada");
      await page.getByText("Nobody is here yet").waitFor();
      assert.equal(await page.locator(".caller").textContent(), "ada");
      await page.getByText("Begin with a new person").waitFor();
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Welcome to People" }).waitFor();
    });

    it("is asked for again by a save when the session is over, which goes on then", async () => {
      const page = await scene().open("/person#new", wide);
      await signIn(page, "ada");
      await page.locator(".panel").getByLabel("Given name").fill("Typed");
      await page.locator(".panel").getByLabel("Family name").fill("Before");
      await leave(page);
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("You are not signed in any more").waitFor();
      await page.getByRole("button", { name: "Cancel" }).last().click();
      await page.getByText("What you typed stays here until you are").waitFor();
      await page.getByRole("button", { name: "Save" }).click();
      await signIn(page, "ada");
      await page.getByRole("heading", { name: "Typed Before" }).waitFor();
      await leave(page);
    });

    it("asks nobody to sign in who signs out while the list is read again", async () => {
      const page = await scene().open("/person", wide);
      await signIn(page, "ada");
      await page.getByRole("link", { name: "Typed Before" }).waitFor();
      let goOn = (): void => {};
      const held = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await page.route(new URL("/", page.url()).href, (route) => held.then(() => route.continue()));
      const left = page.waitForResponse((answer) => answer.url().endsWith("/session"));
      const refused = page.waitForResponse((answer) => answer.status() === 401 && /person\?/.test(answer.url()));
      await page.getByRole("button", { name: "Sign out" }).click();
      await left;
      await scene().people.create({ name: "Somebody Else" });
      await refused;
      goOn();
      await page.getByRole("heading", { name: "Welcome to People" }).waitFor();
      await page.unrouteAll();
      assert.equal(await page.locator("dialog[open]").count(), 0);
    });

    it("offers who only reads nothing that would be refused", async () => {
      const page = await scene().open("/person", wide);
      await signIn(page, "reader");
      await page.getByRole("link", { name: "Typed Before" }).click();
      await page.getByRole("heading", { name: "Typed Before" }).waitFor();
      assert.equal(await page.getByRole("link", { name: /New person|Import|Edit/ }).count(), 0);
      assert.equal(await page.getByRole("button", { name: "Delete" }).count(), 0);
      await leave(page);
    });

    it("says to somebody who may not as whom they are signed in, and lets them sign out", async () => {
      const page = await scene().open("/person", wide);
      await signIn(page, "nobody");
      await page.getByText("You are signed in as nobody.").waitFor();
      await page.locator("main").getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Welcome to People" }).waitFor();
    });

    it("keeps what was typed when the right to change is taken away", async () => {
      const page = await scene().open("/person", wide);
      await signIn(page, "ada");
      await page.getByRole("link", { name: "Typed Before" }).click();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.locator(".panel").getByLabel("Job title").fill("Unsaved");
      folder.write("access.json", { rules, users: users(["person:read"]) });
      await reload();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("You may not do this here.").waitFor();
      assert.equal(await page.locator(".panel").getByLabel("Job title").inputValue(), "Unsaved");
    });
  },
  configure,
);
