import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { openFolder } from "../../../waymark/test/tools/folder.ts";
import { faultInAccent } from "../../src/brand.ts";
import { readLogo } from "../../src/cli/serving/named-files.ts";
import { openPersonService } from "../../src/index.ts";

const picture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><script>alert(1)</script></svg>`;

describe("pages that are somebody's own", () => {
  it("have a title, a colour and a picture, each a file that can be kept", async (test) => {
    const brand = {
      title: "Choir <&> friends",
      accent: "#0b6e4f",
      logo: { kind: "svg", bytes: Buffer.from(picture) },
    } as const;
    const { app, database, people } = await openPersonService({ database: ":memory:", brand });
    test.after(() => database.close());
    await people.create({ name: "Ada" });
    const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
      app.fetch(new Request(`http://localhost${path}`, { headers: { Accept: "text/html", ...headers } }));
    assert.match(await (await get("/person/1")).text(), /<title>Choir &lt;&amp;&gt; friends<\/title>/);
    const front = (await (await get("/", { Accept: "application/json" })).json()) as Record<string, string>;
    assert.deepEqual([front["title"], front["accent"]], [brand.title, brand.accent]);
    const logo = front["logo"] ?? "";
    const { headers } = await get(logo);
    assert.equal(headers.get("Content-Type"), "image/svg+xml");
    assert.match(
      headers.get("Content-Security-Policy") ?? "",
      /^default-src 'none'/,
      "no script of it runs, opened by itself",
    );
    assert.equal((await get(logo, { "If-None-Match": headers.get("ETag") ?? "" })).status, 304);
  });

  it("have letters in a colour that can be read", () => {
    for (const colour of ["#0b6e4f", "#3451c6", "#000000", "#b3261e", "#5b2a86"])
      assert.equal(faultInAccent(colour), undefined, colour);
    for (const colour of ["#ffd400", "#5aa0ff", "#808080", "#FFFFFF"]) {
      const [nearest = ""] = /#[0-9a-f]{6}(?= has)/.exec(faultInAccent(colour) ?? "") ?? [];
      assert.equal(faultInAccent(nearest), undefined, `${colour}: ${faultInAccent(colour)}`);
    }
    for (const text of ["red", "#12", "#12345g", "#1234567", ""])
      assert.match(faultInAccent(text) ?? "", /such as #0b6e4f/);
  });

  const folder = openFolder("logo");
  const written = (name: string, content: string | Uint8Array): string => {
    writeFileSync(folder.path(name), content);
    return folder.path(name);
  };
  for (const [name, content, kind] of [
    ["logo.svg", picture, "svg"],
    ["prolog.svg", `\ufeff<?xml version="1.0"?>\n<!-- ours -->\n${picture}`, "svg"],
    ["logo.png", Buffer.from("89504e470d0a1a0a00", "hex"), "png"],
  ] as const) {
    it(`take ${name}`, async () => assert.equal((await readLogo(written(name, content))).kind, kind));
  }

  for (const [name, content, message] of [
    ["page.html", "<html><svg></svg></html>", /must be a picture, SVG or PNG/],
    ["photo.jpg", Buffer.from("ffd8ffe0", "hex"), /must be a picture/],
    ["large.svg", picture + " ".repeat(65_536), /has 65\d+ bytes; at most 65536 are allowed/],
    ["empty.svg", "", /must be a picture/],
  ] as const) {
    it(`refuse ${name}`, () => assert.rejects(readLogo(written(name, content)), message));
  }

  it("refuse a file that is not there", () => assert.rejects(readLogo("/nowhere/logo.svg"), /cannot be read/));
});
