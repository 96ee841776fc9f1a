import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, it } from "node:test";
import { openFolder } from "../../../waymark/test/folder.ts";
import { openAccess } from "../../src/index.ts";
import { quickHash } from "../access/basic-authentication.ts";
import { noon } from "../transports.ts";
import { describeInBrowser, kinds } from "./scene.ts";

const folder = openFolder("sign-in-in-browser");
/** The clock of the service. */
let today = Date.parse(noon);

const configure = async () => {
  const now = () => new Date(today);
  const users = [{ name: "ada", password: quickHash("correct"), scopes: ["person"] }];
  const file = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users });
  return { access: (await openAccess({ file, now })).filter, now };
};

describeInBrowser(
  "signing in with a browser",
  kinds,
  (scene) => {
    const evil = createServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>evil</title>");
    });
    before(async () => {
      await scene().people.create({ name: "Ada Lovelace" });
      await once(evil.listen(0, "127.0.0.1"), "listening");
    });
    after(() => evil.close());

    it("is done once, without a script, and ended by signing out", async () => {
      const page = await scene().open("/person/1", { javaScriptEnabled: false });
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password").fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByText("These credentials are not right").waitFor();
      assert.equal(await page.getByLabel("Name").inputValue(), "ada");
      assert.equal(await page.locator(":focus").getAttribute("name"), "password");
      await page.getByLabel("Name").fill("ada ");
      await page.getByLabel("Password").fill("correct");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.waitForURL(/\/person\/1$/);
      assert.equal(await page.locator("h1").textContent(), "Ada Lovelace");
      await page.goto(`${scene().url}/person`);
      assert.equal(await page.locator(".caller").textContent(), "ada");
      await page.getByRole("button", { name: "Sign out" }).click();
      await page.getByRole("heading", { name: "Sign in to see this" }).waitFor();
    });

    it("fits the narrowest phone in each language, and so does the header of somebody who is signed in", async () => {
      for (const locale of ["en", "de", "fr", "es"]) {
        const page = await scene().open("/sign-in", { viewport: { width: 320, height: 640 }, locale });
        const widest = (): Promise<number> => page.evaluate("document.documentElement.scrollWidth");
        assert.equal(await widest(), 320, locale);
        await page.locator("[name=name]").fill("ada");
        await page.locator("[name=password]").fill("correct");
        await page.locator(".sign-in .primary").click();
        await page.locator(".caller").waitFor();
        assert.equal(await widest(), 320, locale);
      }
    });

    it("is asked for again by a search when the session is over, and leads back to it", async () => {
      const page = await scene().open("/person");
      const signIn = async (): Promise<void> => {
        await page.getByLabel("Name").fill("ada");
        await page.getByLabel("Password").fill("correct");
        await page.getByRole("button", { name: "Sign in" }).click();
      };
      await signIn();
      await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
      await page.context().clearCookies();
      await page.getByRole("searchbox").fill("lovelace");
      await page.getByRole("heading", { name: "Sign in to see this" }).waitFor();
      await signIn();
      await page.waitForURL(/\/person\?q=lovelace$/);
      await page.getByRole("link", { name: "Ada Lovelace" }).waitFor();
      await page.context().clearCookies();
    });

    for (const javaScriptEnabled of [true, false]) {
      const what = javaScriptEnabled ? "with" : "without";
      it(`leaves nothing to go back to after signing out, ${what} scripts`, async () => {
        const page = await scene().open("/person/1", { javaScriptEnabled, reducedMotion: "reduce" });
        await page.getByLabel("Name").fill("ada");
        await page.getByLabel("Password").fill("correct");
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("heading", { name: "Ada Lovelace" }).waitFor();
        for (const path of ["/person", "/person?q=ada", "/docs", "/person/1"]) await page.goto(scene().url + path);
        if (javaScriptEnabled) {
          await page.getByRole("link", { name: "Edit" }).click();
          await page.getByLabel("Job title").fill("Not stored");
        }
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByRole("heading", { name: "Sign in to see this" }).waitFor();
        if (javaScriptEnabled) assert.equal(await page.evaluate("sessionStorage.length"), 0);
        for (let steps = 0; steps < 4; steps++) {
          await page.goBack();
          await page.getByRole("heading", { name: "Sign in to see this" }).waitFor();
          assert.doesNotMatch(await page.content(), /Lovelace|class="caller"/);
        }
      });
    }

    it("is asked for by a save, a delete and an import when the session is over, which go on then", async () => {
      const page = await scene().open("/person/1");
      const signIn = async (password = "correct"): Promise<void> => {
        const form = page.locator("form.sign-in");
        await form.getByLabel("Name").fill("ada");
        await form.getByLabel("Password").fill(password);
        await form.getByRole("button", { name: "Sign in" }).click();
      };
      await signIn();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Job title").fill("Countess");
      await page.context().clearCookies();
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("You are not signed in any more.").waitFor();
      await page.keyboard.press("Escape");
      await page.getByText("What you typed stays here").waitFor();
      assert.equal(await page.getByLabel("Job title").inputValue(), "Countess");
      await page.getByRole("button", { name: "Save" }).click();
      await signIn("wrong");
      await page.getByText("These credentials are not right").waitFor();
      await signIn();
      await page.getByText("Saved.").waitFor();
      assert.match((await scene().people.find(1))?.json ?? "", /Countess/);

      await page.goto(`${scene().url}/person`);
      await page.getByRole("link", { name: "Import" }).click();
      await page.context().clearCookies();
      const buffer = Buffer.from('{"name":"Grace Hopper"}');
      await page.locator("[type=file]").setInputFiles({ name: "people.ndjson", mimeType: "text/plain", buffer });
      await signIn();
      await page.getByRole("button", { name: "Store 1 person" }).click();
      await page.getByText("1 person stored.").waitFor();
      await page.getByRole("link", { name: "All people" }).click();
      await page.getByRole("link", { name: "Grace Hopper" }).click();

      await page.getByRole("button", { name: "Delete" }).click();
      await page.context().clearCookies();
      await page.locator("#remove").getByRole("button", { name: "Delete" }).click();
      await signIn();
      await page.getByText("The person is deleted.").waitFor();
      await page.context().clearCookies();
    });

    it("is asked for by a form of two days ago, which loses nothing after an upgrade and others' changes", async () => {
      const page = await scene().open("/person/1");
      const signIn = async (): Promise<void> => {
        await page.locator("form.sign-in").getByLabel("Name").fill("ada");
        await page.locator("form.sign-in").getByLabel("Password").fill("correct");
        await page.locator("form.sign-in").getByRole("button", { name: "Sign in" }).click();
      };
      const typed = { "Job title": "Countess", Town: "Berlin", Country: "Germany" };
      /** Types, and saves two days later: the session has ended, and the files that the page has not loaded are gone. */
      const saveLate = async (meanwhile: object | undefined): Promise<void> => {
        for (const [name, text] of Object.entries(typed)) {
          if (name === "Country") await page.route("**/assets/**", (route) => route.fulfill({ status: 404 }));
          await page.getByLabel(name, { exact: true }).fill(text);
        }
        today += 2 * 86_400_000;
        if (meanwhile !== undefined) await scene().people.replace(id, meanwhile);
        await page
          .getByRole("button", { name: "Save" })
          .or(page.getByRole("button", { name: "Store" }))
          .click();
        await page.getByText("You are not signed in any more.").waitFor();
        await page.unroute("**/assets/**");
        await signIn();
      };
      const person = async () => JSON.parse((await scene().people.find(id))?.json ?? "");
      const creation = await scene().people.create({ name: "Ada" });
      assert.ok(creation.kind === "created");
      const { id } = creation.record;

      await signIn();
      await page.goto(`${scene().url}/person/${id}`);
      await page.getByRole("link", { name: "Edit" }).click();
      await saveLate({ name: "Ada", worksFor: "Bank" });
      await page.getByText("Saved.").waitFor();
      const address = { addressLocality: "Berlin", addressCountry: "DE" };
      const { jobTitle, worksFor, address: kept } = await person();
      assert.deepEqual([jobTitle, worksFor, kept], ["Countess", "Bank", address]);

      typed["Job title"] = "Poet";
      await page.getByRole("link", { name: "Edit" }).click();
      await saveLate({ name: "Ada", jobTitle: "Clerk" });
      await page.locator(".conflict").getByText("Clerk").waitFor();
      await page.locator(".conflict").getByLabel("Poet").check();
      assert.equal((await person()).jobTitle, "Clerk");
      await page.locator(".conflict").getByRole("button").first().click();
      await page.getByText("Saved.").waitFor();
      assert.equal((await person()).jobTitle, "Poet");

      await page.goto(`${scene().url}/person?new`);
      await page.getByLabel("Name", { exact: true }).fill("Grace");
      await saveLate(undefined);
      await page.getByText("Stored.").waitFor();
      assert.equal(await page.locator("dd.jobTitle").textContent(), "Poet");
      await page.context().clearCookies();
    });

    it("does not let a page of another origin change anything", async () => {
      const page = await scene().open("/person/1");
      await page.getByLabel("Name").fill("ada");
      await page.getByLabel("Password").fill("correct");
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("link", { name: "Edit" }).waitFor();
      const revision = await scene().people.revision();
      await page.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}`); // It listens.
      // Of one site with the service, so that the browser sends the cookie.
      // The response is kept from the page, also where it is one.
      const attack = (url: string): Promise<unknown> =>
        page.evaluate(async (target) => {
          const init = { method: "POST", mode: "no-cors", credentials: "include", body: "x" } as const;
          await fetch(target, init).catch(() => undefined);
        }, url);
      await attack(`${scene().url}/sign-out`);
      await attack(`${scene().url}/person`);
      await attack(`${scene().url}/person/1`);
      await page.setContent(`<form method="post" action="${scene().url}/sign-out"><button>Win</button></form>`);
      await page.getByRole("button").click();
      await page.getByText("A page of another site sent this request.").waitFor();
      assert.equal(await scene().people.revision(), revision);
      await page.goto(`${scene().url}/person/1`);
      assert.equal(await page.locator(".caller").textContent(), "ada");
    });
  },
  configure,
);
