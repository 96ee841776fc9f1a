import type { Page } from "playwright-core";

/** A picture of the docs, `docs/assets/people-NAME.png`. */
export interface Picture {
  readonly name: string;
  readonly path: string;
  readonly width: number;
  readonly height: number;
  readonly scheme: "light" | "dark";
  /** What is done on the page first. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** The pictures, in the order in which they are made. */
export const pictures: readonly Picture[] = [
  { name: "list-wide", path: "/person", width: 1280, height: 720, scheme: "light" },
  { name: "list-dark", path: "/person?q=senate&sort=name", width: 820, height: 620, scheme: "dark" },
  { name: "list-phone", path: "/person", width: 390, height: 760, scheme: "light" },
  { name: "person-wide", path: "/person/1", width: 1280, height: 900, scheme: "light" },
  { name: "person-phone", path: "/person/1", width: 390, height: 760, scheme: "dark" },
  {
    name: "edit",
    path: "/person/1",
    width: 1024,
    height: 760,
    scheme: "light",
    async prepare(page) {
      await edit(page, "Date of birth", "1958-13-10");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("must be a day that there is").waitFor();
    },
  },
  {
    name: "conflict",
    path: "/person/2",
    width: 1024,
    height: 620,
    scheme: "light",
    async prepare(page) {
      await edit(page, "Telephone", "202-224-3245");
      await page.evaluate(async () => {
        const headers = { "Content-Type": "application/merge-patch+json" };
        await fetch("/person/2", {
          method: "PATCH",
          headers,
          body: '{"telephone":"202-224-3200","jobTitle":"Senator"}',
        });
      });
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Somebody else changed").waitFor();
    },
  },
  {
    name: "import",
    path: "/person#import",
    width: 1024,
    height: 800,
    scheme: "light",
    async prepare(page) {
      const csv =
        "Full name,Email,Born,Country\nGrace Hopper,grace@example.org,1906-12-09,US\nEdith Clarke,edith,1883-02-10,US\n";
      await page
        .locator("[type=file]")
        .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
      await page.getByText("can be stored").waitFor();
    },
  },
  { name: "problem", path: "/person?sort=nmae", width: 1024, height: 560, scheme: "light" },
];

async function edit(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole("link", { name: "Edit" }).click();
  await page.locator(".panel").getByLabel(label, { exact: true }).fill(value);
}
