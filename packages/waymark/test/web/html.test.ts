import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, GET, html, router, text } from "waymark";

describe("html", () => {
  it("is a page, with what stands in it escaped", async () => {
    const title = `<script>alert("1 & '2'")</script>`;
    const app = router(GET("/", () => html`<h1 title="${title}">${title}</h1>`.withStatus(404)));
    const { status, headers, value } = await ask(app, "GET /");
    assert.deepEqual([status, headers.get("Content-Type")], [404, "text/html; charset=utf-8"]);
    const escaped = "&lt;script&gt;alert(&quot;1 &amp; &#39;2&#39;&quot;)&lt;/script&gt;";
    assert.equal(value, `<h1 title="${escaped}">${escaped}</h1>`);
  });

  it("takes pages, lists of them, numbers, and nothing", () => {
    const items = ["a<", "b"].map((each) => html`<li>${each}</li>`);
    const page = html`<ul>${items}</ul>${7}${8n}${null}${undefined}${false}${["<", [">"]]}`;
    assert.equal(page.body, "<ul><li>a&lt;</li><li>b</li></ul>78&lt;&gt;");
  });

  it("refuses what is not text, and a response that it has not made", () => {
    for (const [value, found] of [
      [{}, "object"],
      [true, "boolean"],
      [Promise.resolve("a"), "object"],
      [text("<b>"), "object"],
      [html`<p>`.withStatus(404), "object"],
    ] as const) {
      assert.throws(() => html`<p>${value as string}</p>`, { name: "TypeError", message: new RegExp(`not ${found}$`) });
    }
  });

  it("refuses places where escaping does not suffice", () => {
    const value = "x";
    const wrong: readonly (readonly [() => unknown, RegExp])[] = [
      [() => html`<script>let a = "${value}";</script>`, /within a script/],
      [() => html`<p>${value}</p><STYLE>p { color: ${value} }</STYLE>`, /within a STYLE/],
      [() => html`<p title=${value}>`, /in quotation marks/],
      [() => html`<p ${value}>`, /in quotation marks/],
      [() => html`<p a="b" ${value}>`, /in quotation marks/],
    ];
    for (const [make, message] of wrong) assert.throws(make, { name: "TypeError", message });
    assert.equal(
      html`<script src="${value}"></script>${value}<p a='b' c="d ${value}">1 < 2 ${value}`.body,
      `<script src="x"></script>x<p a='b' c="d x">1 < 2 x`,
    );
  });
});
