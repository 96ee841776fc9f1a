import assert from "node:assert/strict";
import { it } from "node:test";
import type { Page, Route } from "playwright-core";
import { describeInBrowser, kinds } from "./scene.ts";

const choose = (page: Page, name: string, content: string | Buffer): Promise<void> =>
  page.locator("[type=file]").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(content) });

/** The label of the choice of what becomes of them. */
const likely = "People who are likely stored already";

describeInBrowser("an import in a browser", kinds, (scene) => {
  it("has its columns named, every bad line shown, and stores the good ones", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    const csv = [
      "Full name;Family name;E-Mail;birthDate;Land",
      "Grace Hopper;Hopper;grace@example.org;1906-12-09;united states",
      '"Clarke; Edith";Clarke;edith;1883-02-10;US',
      "",
      '"Ada ""King""\u00a0Lovelace";Lovelace;;1815-13-10;Untied Kingdom',
    ].join("\r\n");
    await choose(page, "people.csv", csv);
    const select = (column: string) => page.getByLabel(`Member for ${column}`, { exact: true });
    assert.equal(await select("Family name").inputValue(), "familyName");
    assert.equal(await select("E-Mail").inputValue(), "email");
    assert.equal(await select("birthDate").inputValue(), "birthDate");
    assert.equal(await select("Full name").inputValue(), "name");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("1 person can be stored, and 2 cannot:").waitFor();
    assert.deepEqual(await page.locator(".errors li").allTextContents(), [
      "Line 3: Email must have one @ as in ada@example.org, not 0",
      "Line 5: Date of birth must be a real date; there is no month 13",
      "Line 5: Country must be one of the list, or two capital letters such as NO",
    ]);
    assert.equal(await scene().people.count(), 0);
    await select("Land").selectOption("(left out)");
    await select("E-Mail").selectOption("(left out)");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("2 people can be stored, and 1 cannot:").waitFor();
    await page.getByRole("button", { name: "Store the 2 that are good" }).click();
    await page.getByText("2 people stored.").waitFor();
    await page.getByRole("link", { name: "All people" }).click();
    await page.getByRole("link", { name: "Clarke; Edith" }).waitFor();
    assert.equal(await scene().people.count(), 2);
  });

  it("checks a file, then stores it, without a script", async () => {
    const page = await scene().open("/person", { javaScriptEnabled: false });
    await page.getByRole("link", { name: "Import" }).click();
    const press = async (name: string, csv: string): Promise<void> => {
      await page
        .locator("[type=file]")
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
      await page.getByRole("button", { name, exact: true }).click();
    };
    await press("Check", "Vorname;Geburtstag\nHedy;1914-11-09\nRózsa;soon\n");
    await page.getByText("1 person can be stored, and 1 cannot:").waitFor();
    assert.match(await page.locator(".errors").innerText(), /^Line 3: Date of birth must be a date/);
    assert.match(await page.locator(":focus").innerText(), /1 person can be stored, and 1 cannot:$/);
    const mended = "Vorname;Geburtstag\nHedy;1914-11-09\nRózsa;1905-02-17\n";
    await press("Check", mended);
    await page.getByText("2 people can be stored.").waitFor();
    await press("Store 2 people", mended);
    await page.getByText("2 people stored.").waitFor();
    await page.reload();
    await page.getByRole("link", { name: "All people" }).click();
    assert.equal(await page.getByRole("link", { name: "Rózsa" }).count(), 1);
  });

  const german = 'sep=;\r\nName;Geburtstag;Bemerkung;\r\n Jörg Müller ;10.12.1970;"eins\r\nzwei";\r\n;;;\r\n';
  const charsets: Readonly<Record<string, Buffer>> = {
    "Windows-1252": Buffer.from(german, "latin1"),
    "UTF-8": Buffer.from(`\ufeff${german}`),
    "UTF-16": Buffer.from(`\ufeff${german}`, "utf16le"),
  };
  for (const [charset, content] of Object.entries(charsets)) {
    it(`reads what a spreadsheet writes in ${charset}, with dates of its country`, async () => {
      const page = await scene().open("/person");
      await page.getByRole("link", { name: "Import" }).click();
      await choose(page, "people.csv", content);
      await page.getByRole("row", { name: "Geburtstag" }).waitFor();
      await page.getByLabel(likely).selectOption("are stored once more");
      await page.getByRole("button", { name: "Store 1 person" }).click();
      await page.getByText("1 person stored.").waitFor();
      const [[last] = []] = await Array.fromAsync(
        scene().people.list({ order: [{ member: "id", descending: true }], limit: 1 }),
      );
      const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, ...person } = JSON.parse(last?.json ?? "");
      assert.deepEqual(person, { name: "Jörg Müller", birthDate: "1970-12-10", description: "eins\nzwei" });
    });
  }

  it("takes dates with the month or the day first", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    const order = page.locator("[name=_date]");
    for (const [date, due, choices] of [
      ["01/31/1970", "M/D/YYYY", ["Jan 31, 1970"]],
      ["31/01/1970", "D/M/YYYY", ["Jan 31, 1970"]],
      ["01/02/1970", "", ["(choose)", "Jan 2, 1970", "Feb 1, 1970"]],
    ] as const) {
      await choose(page, "people.csv", `name,birthDate\nAda,${date}\n`);
      await page.getByRole("cell", { name: date }).waitFor();
      await page.locator(".dates").getByText(`${date} is`).waitFor();
      assert.equal(await order.inputValue(), due);
      assert.deepEqual(await order.locator("option").allTextContents(), choices);
    }
    await choose(page, "people.csv", "name,birthDate\nAda,1970-01-02\n");
    await order.waitFor({ state: "hidden" });
  });

  it("takes the answer and the button away when anything that was checked is changed", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    await choose(page, "people.csv", "name,Staff No,birthDate\nMary Staff,mary-7,05/06/1970\n");
    const changes = [
      () => page.getByLabel("Member for Staff No").selectOption("identifier"),
      () => page.locator("[name=_date]").selectOption("M/D/YYYY"),
    ];
    await page.locator("[name=_date]").selectOption("D/M/YYYY");
    for (const change of changes) {
      await page.getByRole("button", { name: "Check" }).click();
      await page.getByText("1 person can be stored.").waitFor();
      await change();
      assert.equal(await page.getByText("1 person can be stored.").isVisible(), false);
      assert.equal(await page.getByRole("button", { name: /^Store/ }).count(), 0);
    }
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Store 1 person" }).click();
    await page.getByText("1 person stored.").waitFor();
    const filters = [{ member: "identifier", operator: "eq", value: "mary-7" }] as const;
    const [[mary] = []] = await Array.fromAsync(
      scene().people.list({ filters, order: [{ member: "id", descending: false }], limit: 1 }),
    );
    assert.equal(JSON.parse(mary?.json ?? "{}").birthDate, "1970-05-06");
  });

  it("drops the answer for a file when another one has been chosen", async () => {
    const before = await scene().people.count();
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    const arrived = Promise.withResolvers<Route>();
    await page.route("**/person?import=check", (route) => arrived.resolve(route), { times: 1 });
    await choose(page, "first.ndjson", '{"name":"First"}\n');
    const first = await arrived.promise;
    const ended = Promise.race([page.waitForEvent("requestfinished"), page.waitForEvent("requestfailed")]);
    await choose(page, "second.csv", "name\nSecond\nThird\n");
    await page.getByText("2 people can be stored.").waitFor();
    await first.continue();
    await ended;
    assert.equal(await page.getByText("1 person can be stored.").count(), 0);
    await page.getByRole("button", { name: "Store 2 people" }).click();
    await page.getByText("2 people stored.").waitFor();
    assert.equal(await scene().people.count(), before + 2);
  });

  it("shows conflicts with stored people before it stores", async () => {
    await scene().people.create({ name: "Ada Lovelace", identifier: "ada" });
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    await choose(page, "people.csv", "name,identifier\nAda King,ada\nMary,mary\n");
    await page.getByLabel(likely).selectOption("are stored once more");
    await page.getByText("1 person can be stored, and 1 cannot:").waitFor();
    assert.deepEqual(await page.locator(".errors li").allTextContents(), [
      "Line 2: Identifier is already used by another person",
    ]);
  });

  it("stores nobody again, and changes those who are stored, as its reader chooses", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    const choice = page.getByLabel(likely);
    const cards = (title: string) =>
      ["Zoe", "Yan"]
        .map((name) => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:${name}\r\nEMAIL:${name}@example.org\r\n${title}END:VCARD\r\n`)
        .join("");
    await choose(page, "people.vcf", cards(""));
    await page.getByText("2 people can be stored.").waitFor();
    assert.equal(await choice.locator("option:checked").textContent(), "are left out");
    await page.getByRole("button", { name: "Store 2 people" }).click();
    await page.getByText("2 people stored.").waitFor();
    const count = await scene().people.count();
    await choose(page, "people.vcf", cards("TITLE:Clerk\r\n"));
    await page.getByText("2 people are stored already. 0 people can be stored.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Store" }).count(), 0);
    await choice.selectOption("change by what the file says");
    await page.getByText("2 people are changed. 0 people can be stored.").waitFor();
    await page.getByRole("button", { name: "Store 2 people" }).click();
    await page.getByText("2 people stored.").waitFor();
    assert.equal(await scene().people.count(), count);
    const clerks = { filters: [{ member: "jobTitle", operator: "eq", value: "Clerk" }] } as const;
    assert.equal(await scene().people.count(clerks), 2);
  });

  for (const javaScriptEnabled of [true, false]) {
    it(`stores one person of the same list with one more row, ${javaScriptEnabled ? "with" : "without"} a script`, async () => {
      const page = await scene().open("/person", { javaScriptEnabled });
      await page.getByRole("link", { name: "Import" }).click();
      const rows = `name,email\n${["Una", "Duo", "Tria"].map((name) => `${name},${name}-${javaScriptEnabled}@example.org\n`).join("")}`;
      const count = await scene().people.count();
      for (const [more, known, due] of [
        ["", "", "3 people"],
        [`Quattuor,quattuor-${javaScriptEnabled}@example.org\n`, "3 people are stored already. ", "1 person"],
      ]) {
        const press = async (name: string): Promise<void> => {
          const file = { name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(rows + more) };
          // Without a script, the file is chosen again for each button.
          if (name === "Check" || !javaScriptEnabled) await page.locator("input[type=file]").setInputFiles(file);
          if (name !== "Check" || !javaScriptEnabled) await page.getByRole("button", { name, exact: true }).click();
        };
        await press("Check");
        await page.getByText(`${known}${due} can be stored.`).waitFor();
        await press(`Store ${due}`);
        await page.getByText(`${due} stored.`).waitFor();
      }
      assert.equal(await scene().people.count(), count + 4);
    });
  }

  it("checks a file that was chosen before the script came", async () => {
    const page = await scene().open("/person");
    const asked = Promise.withResolvers<Route>();
    await page.route("**/assets/import*.js", asked.resolve, { times: 1 });
    await page.getByRole("link", { name: "Import" }).click({ noWaitAfter: true });
    const script = await asked.promise;
    await choose(page, "people.csv", "name\nTarda\n");
    await script.continue();
    await page.getByText("1 person can be stored.").waitFor();
  });

  it("takes NDJSON as it is, dropped", async () => {
    const before = await scene().people.count();
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    const transfer = await page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['{"name":"Ada"}\\n{"name":"Grace"}\\n'], "people.ndjson"));
      return transfer;
    })()`);
    await page.dispatchEvent("form.import", "drop", { dataTransfer: transfer });
    await page.getByRole("button", { name: "Store 2 people" }).click();
    await page.getByText("2 people stored.").waitFor();
    assert.equal(await scene().people.count(), before + 2);
  });

  it("has columns named and days chosen without a script, too", async () => {
    const page = await scene().open("/person?import", { javaScriptEnabled: false });
    const press = async (name: string): Promise<void> => {
      await choose(page, "clerks.csv", "Clerk,Hired,Shoe\nBo,02/03/1999,42\n");
      await page.getByRole("button", { name }).click();
    };
    await press("Check");
    await page.getByText("Say first what its columns are.").waitFor();
    await page.getByLabel("Member for Clerk").selectOption("name");
    await page.getByLabel("Member for Hired").selectOption("birthDate");
    await press("Check");
    await page.getByText("Choose which day 02/03/1999 is.").waitFor();
    await page.getByLabel("02/03/1999 is").selectOption("Mar 2, 1999");
    await press("Check");
    await page.getByText("1 person can be stored.").waitFor();
    assert.equal(await page.getByLabel("Member for Hired").inputValue(), "birthDate");
    await press("Store 1 person");
    await page.getByText("1 person stored.").waitFor();
    const bo = { filters: [{ member: "birthDate", operator: "eq", value: "1999-03-02" }] } as const;
    assert.equal(await scene().people.count(bo), 1);
  });

  it("stores nobody twice of a file that two tabs check before one of them stores it", async () => {
    const count = await scene().people.count();
    const context = await scene().newContext();
    const tabs = [await context.newPage(), await context.newPage()];
    for (const tab of tabs) {
      await tab.goto(`${scene().url}/person?import`);
      await choose(tab, "both.ndjson", '{"name":"Both","email":"both@example.org"}\n');
      await tab.getByText("1 person can be stored.").waitFor();
    }
    for (const [i, tab] of tabs.entries()) {
      await tab.getByRole("button", { name: "Store 1 person" }).click();
      await tab.getByText(i === 0 ? "1 person stored." : "0 people stored.").waitFor();
    }
    assert.equal(await scene().people.count(), count + 1);
  });

  it("keeps a file that was sent without a connection, and says so", async () => {
    const page = await scene().open("/person?import");
    await choose(page, "offline.ndjson", '{"name":"Offline"}\n');
    await page.getByText("1 person can be stored.").waitFor();
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Store 1 person" }).click();
    await page.getByText("There is no answer from the service.").waitFor();
    assert.match(await page.locator(":focus").innerText(), /^There is no answer/);
    await page.context().setOffline(false);
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Store 1 person" }).click();
    await page.getByText("1 person stored.").waitFor();
  });

  it("says what is wrong with a folder and with a file that is too large, which it does not send", async () => {
    const page = await scene().open("/person?import");
    const sent: string[] = [];
    page.on("request", (request) => {
      // The browser may fetch the icon of the page late.
      if (request.method() !== "GET") sent.push(request.method());
    });
    const choosing = (file: string) =>
      page.evaluate(`(() => {
      const input = document.querySelector("[type=file]");
      const file = ${file};
      Object.defineProperty(input, "files", { configurable: true, value: [file] });
      input.dispatchEvent(new Event("change", { bubbles: true }));
    })()`);
    await choosing(`Object.defineProperty(new File(["x"], "large.csv"), "size", { value: 2 ** 31 })`);
    await page.getByText("large.csv is too large for this page.").waitFor();
    await choosing(
      `Object.assign(new File([], "folder"), { slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException("", "NotFoundError")) }) })`,
    );
    await page.getByText("folder cannot be read. Is it a folder").waitFor();
    assert.deepEqual(sent, []);
  });

  it("says what a file lacks", async () => {
    const page = await scene().open("/person");
    await page.getByRole("link", { name: "Import" }).click();
    await choose(page, "empty.csv", "name,email\n");
    await page.getByText("empty.csv has no people in it.").waitFor();
    await choose(page, "people.xlsx", Buffer.from("PK\u0003\u0004\0"));
    await page
      .getByText("Nothing was stored: The file is not a text. To import a spreadsheet, save it as CSV.")
      .waitFor();
    await choose(page, "twice.csv", "name,Name\nAda,Ada\n");
    await page.getByLabel("Member for Name", { exact: true }).selectOption("name");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText('The header names the column "name" twice').waitFor();
  });
});
