import assert from "node:assert/strict";

/** Gets the page of people, and a style sheet and a script that it names; the script is JavaScript. */
export async function assertServesPage(url: string): Promise<void> {
  const page = await (await fetch(`${url}/person`, { headers: { Accept: "text/html" } })).text();
  for (const file of ["style", "list"]) {
    const path = new RegExp(`"(/assets/${file}[^"]*)"`).exec(page)?.[1] ?? assert.fail(page);
    const response = await fetch(url + path);
    assert.equal(response.status, 200);
    assert.doesNotMatch(await response.text(), /: string\b/);
  }
}
