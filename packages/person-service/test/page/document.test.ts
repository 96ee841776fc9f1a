import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeService } from "../tools/transports.ts";

const html = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describeService("the page for browsers", (openService) => {
  describe("the document", () => {
    const service = openService();

    it("has the first page of the list and links to downloads where there are no scripts, and nothing else of the people", async () => {
      await service.send("POST", "/person", {
        headers: { "Content-Type": "application/json" },
        body: `{"name":"Ada <b>"}`,
      });
      const { status, headers, text } = await service.send("GET", "/person", { headers: html });
      assert.equal(status, 200);
      assert.match(text, /<div id="app"><\/div>\n<noscript>.*Ada &lt;b&gt;.*<\/noscript>/s);
      assert.match(text, /<a href="\/person\?format=vcard" download>vCard<\/a>/);
      assert.match(headers["cache-control"] ?? "", /^private/);
      assert.match(
        headers["content-security-policy"] ?? "",
        /^default-src 'none'; script-src 'self'; style-src 'self'/,
      );
      assert.doesNotMatch(text, /<script(?! type="module" src=)|<style|style=|\son\w+=/);
    });

    it("is the same for each person but for that", async () => {
      const { text } = await service.send("GET", "/person/1", { headers: html });
      assert.match(text, /<noscript>.*\/person\/1\?format=vcard.*<\/noscript>/s);
    });

    it("is not sent again to a browser that has it", async () => {
      const { headers } = await service.send("GET", "/person/1", { headers: html });
      const again = await service.send("GET", "/person/1", {
        headers: { ...html, "If-None-Match": headers["etag"] ?? "" },
      });
      assert.equal(again.status, 304);
    });

    it("is where the address of the service leads", async () => {
      const { status, headers } = await service.send("GET", "/", { headers: html });
      assert.deepEqual([status, headers["location"]], [303, "/person"]);
    });

    it("loads no file of another version", async () => {
      assert.equal((await service.send("GET", "/assets/0123456789/app.js")).status, 404);
    });
  });

  describe("a refusal", () => {
    const service = openService();
    for (const [path, status, detail] of [
      ["/person/999", 404, /<h1>404<\/h1>/],
      ["/person?nothing=1", 400, /is not known here/],
      ["/nothing", 404, /<h1>Not found<\/h1>/i],
    ] as const) {
      it(`has its status, and the page that says why: ${path}`, async () => {
        const answer = await service.send("GET", path, { headers: html });
        assert.equal(answer.status, status);
        assert.match(answer.text, detail);
        assert.match(answer.text, /<script type="module"/);
      });
    }
  });
});
