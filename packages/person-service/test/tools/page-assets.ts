import assert from "node:assert/strict";

/** Gets the page of people, and the style sheet and the script that it names; the script is JavaScript. */
export async function assertServesPage(url: string): Promise<void> {
  const page = await (await fetch(`${url}/person`, { headers: { Accept: "text/html" } })).text();
  for (const file of ["style.css", "app.js"]) {
    const path = new RegExp(`"(/assets/\\w+/${file})"`).exec(page)?.[1] ?? assert.fail(page);
    const response = await fetch(url + path);
    assert.equal(response.status, 200);
    assert.doesNotMatch(await response.text(), /: string\b/);
  }
}
