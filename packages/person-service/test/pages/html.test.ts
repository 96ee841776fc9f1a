import assert from "node:assert/strict";
import { it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { html, type Interpolation } from "../../src/pages/frame/html.ts";

const cases: readonly (readonly [value: Interpolation, expected: string])[] = [
  [`<b title="a" class='b'>&amp;`, "&lt;b title=&quot;a&quot; class=&#39;b&#39;&gt;&amp;amp;"],
  [html`<b>${"<"}</b>`, "<b>&lt;</b>"],
  [["<", html`<br>`, ["&", []]], "&lt;<br>&amp;"],
  [0, "0"],
  [false, "false"],
  [null, ""],
  [undefined, ""],
];

for (const [value, expected] of cases) {
  it(`puts ${JSON.stringify(String(value))} into HTML as ${expected || "nothing"}`, () => {
    assert.equal(String(html`<p>${value}</p>`), `<p>${expected}</p>`);
  });
}

it("leaves String.prototype in the form for which V8 inlines its methods", async () => {
  setFlagsFromString("--allow-natives-syntax");
  const isFast = new Function("return %HasFastProperties(String.prototype)");
  await import("../../src/index.ts");
  assert.equal(String(html`<p>${"one"}</p>`), "<p>one</p>");
  assert.equal(isFast(), true);
});
