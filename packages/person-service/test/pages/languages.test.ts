import assert from "node:assert/strict";
import { it } from "node:test";
import { html } from "../../src/pages/frame/html.ts";
import { asJson, store } from "../answers.ts";
import { describeService } from "../transports.ts";

const Accept = "text/html";

describeService("the language of a page", (openService) => {
  const service = openService();

  it("has people to show", async () => {
    const many = { headers: { "Content-Type": "application/x-ndjson" }, body: '{"name":"Ada"}\n'.repeat(1234) };
    assert.equal((await service.send("POST", "/person", many)).status, 200);
  });

  for (const [accepted, cookie, lang, language, people] of [
    ["", "", "en", "en", "people"],
    ["de", "", "de", "de", "Personen"],
    ["de-AT;q=0.9, fr;q=0.8", "", "de-AT", "de", "Personen"],
    ["nl, fr-CH;q=0.5, de;q=0.4", "", "fr-CH", "fr", "personnes"],
    ["ES-mx", "", "es-MX", "es", "personas"],
    ["es-419", "", "es", "es", "personas"],
    ["en-ZZ, de;q=0.9", "", "en", "en", "people"],
    ["de;q=0, en-GB", "", "en-GB", "en", "people"],
    ["deu, *, ;;, de;q=x", "", "en", "en", "people"],
    ["en-US, de-CH;q=0.5", "language=de", "de-CH", "de", "Personen"],
    ["en-US", "language=fr", "fr", "fr", "personnes"],
    ["en-US", "language=tlh", "en-US", "en", "people"],
  ] as const) {
    it(`of a reader of "${accepted}"${cookie && ` with ${cookie}`} is ${lang}`, async () => {
      const headers = { Accept, ...(accepted && { "Accept-Language": accepted }), ...(cookie && { Cookie: cookie }) };
      const answer = await service.send("GET", "/person?limit=1", { headers });
      assert.ok(answer.text.includes(`<html lang="${lang}">`), answer.text.slice(0, 100));
      assert.equal(answer.headers["content-language"], language);
      assert.match(answer.headers["vary"] ?? "", /Accept-Language, Cookie/);
      const total = html`<p class="total">${(1234).toLocaleString(lang)} ${people}</p>`;
      assert.ok(answer.text.includes(String(total)), String(total));
    });
  }

  for (const [language, searched] of [
    ["en", "Search in Name, Email, Telephone, Town, Job title, Works for, …"],
    ["de", "Suchen in Name, E-Mail, Telefon, Ort, Funktion, Arbeitgeber, …"],
  ] as const) {
    it(`has in ${language} what is searched, from the table of members`, async () => {
      const { text } = await service.send("GET", "/person", { headers: { Accept, "Accept-Language": language } });
      assert.ok(text.includes(`placeholder="${searched}"`), text);
    });
  }

  it("is part of the entity tag, so that no copy in another is shown", async () => {
    const id = await store(service, asJson({ name: "Ada" }));
    const get = (language: string, tag = "") =>
      service.send("GET", `/person/${id}`, {
        headers: { Accept, "Accept-Language": language, ...(tag && { "If-None-Match": tag }) },
      });
    const german = await get("de");
    assert.equal((await get("de", german.headers["etag"])).status, 304);
    const spanish = await get("es", german.headers["etag"]);
    assert.deepEqual([spanish.status, spanish.headers["content-language"]], [200, "es"]);
  });

  it("is that of each page, and of no answer of the API", async () => {
    for (const [target, text] of [
      ["/", "Personen"],
      ["/person?new", "Neue Person"],
      ["/person?import", "Personen importieren"],
      ["/person/99999", "Hier ist niemand"],
      ["/person?nope=1", "Alle Personen"],
      ["/docs", "Über"],
    ] as const) {
      const { text: page, headers } = await service.send("GET", target, {
        headers: { Accept, "Accept-Language": "de" },
      });
      assert.ok(page.includes('<html lang="de">') && page.includes(text), target);
      assert.equal(headers["content-language"], "de", target);
    }
    const { headers, text } = await service.send("GET", "/person/99999?x=1", { headers: { "Accept-Language": "de" } });
    assert.equal(headers["content-language"], undefined);
    assert.doesNotMatch(headers["vary"] ?? "", /Accept-Language/);
    assert.doesNotMatch(text, /niemand/);
  });

  it("is chosen by a form, and kept in a cookie that says nothing else", async () => {
    const { text } = await service.send("GET", "/person?q=ada&limit=1", { headers: { Accept } });
    assert.match(
      text,
      /<form method="post" action="\/language" aria-label="Language"><input type="hidden" name="to" value="\/person\?q=ada&amp;limit=1">/,
    );
    assert.match(text, /<button name="language" value="de" lang="de">Deutsch<\/button>/);
    const choose = (body: string) =>
      service.send("POST", "/language", { headers: { "Content-Type": "application/x-www-form-urlencoded" }, body });
    const chosen = await choose("language=de&to=%2Fperson%3Fq%3Dada");
    assert.deepEqual([chosen.status, chosen.headers["location"]], [303, "/person?q=ada"]);
    assert.match(
      String(chosen.headers["set-cookie"]),
      /^language=de; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax/,
    );
    const elsewhere = await choose("language=tlh&to=https%3A%2F%2Fexample.com");
    assert.deepEqual([elsewhere.headers["location"], elsewhere.headers["set-cookie"]], ["/person", undefined]);
  });
});
