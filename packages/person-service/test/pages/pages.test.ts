import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { countryCodes } from "../../src/person/countries.ts";
import { demoPeople } from "../../src/person/demo.ts";
import { languages } from "../../src/person/languages.ts";
import { asJson, store } from "../answers.ts";
import { type Answer, describeInMemory, describeService, noon, type Service } from "../transports.ts";

/** Chromium's, for a page. */
const Accept =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

const html = "text/html; charset=utf-8";
const policy = /^default-src 'none'; script-src 'self'; style-src 'self'; (?:[a-z-]+ 'self'; )+base-uri 'none'; frame/;

const get = (service: Service, target: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  service.send("GET", target, { headers: { Accept, ...headers } });

/** The targets of the links and files that a page names, as a browser reads them. */
const linksOf = ({ text }: Answer): readonly string[] =>
  Array.from(text.matchAll(/ (?:href|src|action)="([^"]*)"/g), ([, url = ""]) => url.replaceAll("&amp;", "&"));

describeService("pages", (openService) => {
  describe("of people", () => {
    const service = openService();

    it("have people to show", async () => {
      for (let i = 1; i <= 60; i++) await store(service, asJson({ name: `Person ${i}`, jobTitle: `Job ${i % 7}` }));
    });

    for (const target of ["/", "/person", "/person/1"]) {
      it(`${target} is HTML for a browser, under a policy of its own`, async () => {
        const { status, headers, text } = await get(service, target);
        assert.deepEqual([status, headers["content-type"]], [200, html]);
        assert.match(headers["content-security-policy"] ?? "", policy);
        assert.match(headers["cache-control"] ?? "", /^private, no-cache$/);
        assert.match(headers["vary"] ?? "", /\bAccept, /);
        assert.match(text, /^<!doctype html>\n<html lang="en">/);
        // What the policy would block.
        assert.doesNotMatch(text, /<script(?! type="module" src=)|<style| style=| on[a-z]+="/);
        assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\//);
      });

      it(`${target} has the same fields for HEAD, and is JSON for others`, async () => {
        const answer = await get(service, target);
        const head = await service.send("HEAD", target, { headers: { Accept } });
        for (const name of ["content-type", "etag", "vary", "content-security-policy"]) {
          assert.equal(head.headers[name], answer.headers[name], name);
        }
        assert.equal(head.bytes.length, 0);
        const plain = await service.send("GET", target, { headers: { Accept: "*/*" } });
        assert.equal(plain.headers["content-type"], "application/json");
      });
    }

    it("of one person show the members that a query chooses, and offer nothing that needs the others", async () => {
      const { status, text } = await get(service, "/person/1?fields=jobTitle");
      assert.equal(status, 200);
      assert.match(text, /<bdi>No\. 1<\/bdi>.*<dd class="jobTitle"><bdi>Job 1<\/bdi><\/dd>/s);
      assert.doesNotMatch(text, /Person 1|<svg class="qr"|#edit|<form class="editor/);
      assert.match((await get(service, "/person/1")).text, /<svg class="qr".*<form/s);
    });

    it("have an entity tag, by which a copy is known to be current, and keep their policy with it", async () => {
      for (const target of ["/person", "/person/1"]) {
        const { headers } = await get(service, target);
        assert.match(headers["etag"] ?? "", /^"(?:all-)?\d+-html-[0-9a-f]{12}"$/);
        const again = await get(service, target, { "If-None-Match": headers["etag"] ?? "" });
        assert.deepEqual([again.status, again.text], [304, ""]);
        assert.match(again.headers["content-security-policy"] ?? "", policy);
      }
      const { headers } = await get(service, "/person/2");
      const body = '{"jobTitle":"Countess"}';
      const patch = { "Content-Type": "application/merge-patch+json", "If-Match": headers["etag"] ?? "" };
      const change = await service.send("PATCH", "/person/2", { headers: patch, body });
      assert.equal(change.status, 204, "the tag of the page names the state for a change too");
    });

    it("are compressed", async () => {
      const { headers, bytes } = await get(service, "/person", { "Accept-Encoding": "br" });
      assert.equal(headers["content-encoding"], "br");
      assert.match(brotliDecompressSync(bytes).toString(), /Person 50/);
    });

    it("are a list of 50, with links to the others that keep what was asked for", async () => {
      const first = await get(service, "/person?sort=name&jobTitle[prefix]=Job");
      assert.equal(first.text.match(/<th scope="row"/g)?.length, 50);
      const next = linksOf(first).find((url) => url.includes("after="));
      assert.match(next ?? "", /^\/person\?sort=name&jobTitle%5Bprefix%5D=Job&limit=50&after=/);
      assert.equal(first.headers["link"], undefined, "which browsers would follow in advance");
      const second = await get(service, next ?? "");
      assert.equal(second.text.match(/<th scope="row"/g)?.length, 9, "nine more, since one has another job");
      const previous = linksOf(second).find((url) => url.includes("before="));
      assert.equal((await get(service, previous ?? "")).text.match(/<th scope="row"/g)?.length, 50);
    });

    const filters = ["name", "jobTitle", "worksFor", "familyName", "givenName"].flatMap((name) =>
      ["ne", "gt", "ge", "lt", "le"].map((operator) => `${name}[${operator}]`),
    );
    for (const [what, query] of [
      ["a long value", `name=${"'".repeat(7_800)}`],
      ["long words", `q=${"a".repeat(7_800)}`],
      ["many filters", filters.map((name) => `${name}=${"%22".repeat(90)}`).join("&")],
      ["many values", `name[in]=${'"%26'.repeat(1_900)}`],
    ] as const) {
      it(`repeat a query with ${what} only a few times`, async () => {
        const answer = await get(service, `/person?${query}`);
        const { status, text } = answer;
        const { text: short } = await get(service, "/person?name=nobody");
        assert.equal(status, 200, text);
        // In a field of the form, in which a character of three may become one of six, and in three links between pages.
        assert.ok(text.length < short.length + 10 * query.length, `${text.length} characters`);
        assert.ok(linksOf(answer).includes("/person"), "there is a way back");
      });
    }

    it("are as many as a limit says", async () => {
      assert.equal((await get(service, "/person?limit=7")).text.match(/<th scope="row"/g)?.length, 7);
    });

    it("have columns that lead to their order, and back", async () => {
      assert.ok(linksOf(await get(service, "/person")).includes("/person?sort=name"));
      const sorted = await get(service, "/person?sort=name");
      assert.match(sorted.text, /<th scope="col" aria-sort="ascending"><a href="\/person\?sort=-name">Name</);
    });

    it("have the columns that are chosen", async () => {
      const { text } = await get(service, "/person?fields=jobTitle,id");
      assert.match(text, /<th scope="col"><a [^>]*>Job title<\/a><\/th><th scope="col"[^>]*><a [^>]*>Number</);
      assert.match(text, /<a href="\/person\/1"><bdi>Job 1<\/bdi><\/a><\/th><td>/);
    });

    it("keep the columns that are chosen on the device, unless they are the usual ones, and know those of the URL before them", async () => {
      const heads = ({ text }: Answer): readonly string[] =>
        Array.from(text.matchAll(/<th scope="col"[^>]*><a [^>]*>([^<]*)</g), ([, label = ""]) => label);
      const usual = await get(service, "/person");
      const added = await get(service, "/person?sort=name&column=birthDate");
      const [cookie = ""] = added.headers["set-cookie"]?.split(";", 1) ?? [];
      assert.equal(added.status, 303);
      assert.match(added.headers["location"] ?? "", /^\/person\?sort=name&fields=name,[\w.,]+,birthDate$/);
      assert.match(added.headers["set-cookie"] ?? "", /; Max-Age=31536000; Path=\/; HttpOnly; SameSite=Lax$/);
      const kept = await get(service, "/person", { Cookie: cookie, "If-None-Match": usual.headers["etag"] ?? "" });
      assert.deepEqual([kept.status, heads(kept)], [200, [...heads(usual), "Date of birth"]]);
      assert.deepEqual(heads(await get(service, "/person?fields=name", { Cookie: cookie })), ["Name"]);
      for (const choice of ["-birthDate", "usual"]) {
        const { headers } = await get(service, `/person?column=${choice}`, { Cookie: cookie });
        assert.equal(headers["location"], "/person");
        assert.match(headers["set-cookie"] ?? "", /^columns=; Max-Age=0; Path=\//);
      }
    });

    for (const cookie of ["columns=", "columns=nothing:__proto__", "columns=%zz,name", 'columns="']) {
      it(`have the usual columns for a cookie without known ones: ${cookie}`, async () => {
        assert.equal((await get(service, "/person", { Cookie: cookie })).text, (await get(service, "/person")).text);
      });
    }

    for (const query of [
      "column=nothing",
      "column=",
      "column",
      "fields=name&column=-name",
      "fields=%0D%0Aa&column=name",
    ]) {
      it(`come to a list of at least one known column by ?${query}`, async () => {
        const { status, headers, text } = await get(service, `/person?${query}`);
        assert.ok(status === 303 || (status === 400 && /column/.test(text)), `${status} ${text}`);
        assert.match(headers["set-cookie"] ?? "columns=name", /^columns=(?:name[\w.:]*)?(?:;|$)/);
      });
    }

    it("refuse a choice of columns by programs", async () => {
      assert.equal((await service.send("GET", "/person?column=name")).status, 400);
    });

    for (const [query, total] of [
      ["", "60 people"],
      ["?jobTitle=Job%201", "9 people"],
      ["?jobTitle=Job%201&limit=2", "9 people"],
      ["?name=Person%201", "1 person"],
      ["?q=person&sort=-name", "60 people"],
    ] as const) {
      it(`say how many people there are on all pages: /person${query}`, async () => {
        const { text } = await get(service, `/person${query}`);
        assert.ok(text.includes(`<p class="total">${total}</p>`), text);
      });
    }

    it("lead to files of all that is shown, and of a person", async () => {
      const list = await get(service, "/person?jobTitle=Job%201&sort=-id&fields=name&limit=2");
      for (const format of ["csv", "json", "ndjson", "vcard", "vcard3"]) {
        const link = linksOf(list).find((url) => url.endsWith(`format=${format}`));
        const { status, headers, text } = await get(service, link ?? "");
        assert.equal(status, 200, text);
        assert.match(headers["content-disposition"] ?? "", /^attachment; filename="people-\d{4}-\d\d-\d\d\.\w+"/);
        assert.equal(text.match(/Person \d+/g)?.at(0), "Person 57");
        assert.equal(new Set(text.match(/Person \d+/g)).size, 9, "all nine, and not only those on the page");
      }
      const [card] = linksOf(await get(service, "/person/1")).filter((url) => url.includes("format="));
      assert.match((await get(service, card ?? "")).text, /^BEGIN:VCARD/);
    });

    it("leave XML readable, for a browser that asks for it by name", async () => {
      const { headers } = await get(service, "/person/1", { Accept: "application/xml" });
      assert.match(
        headers["content-security-policy"] ?? "",
        /^default-src 'none'; style-src 'unsafe-inline'; img-src data:;/,
      );
    });

    it("take a form whose fields are partly empty, as browsers send it", async () => {
      const answer = await get(service, "/person?q=&name%5Bprefix%5D=Per&email=&sort=-name");
      assert.deepEqual([answer.status, answer.headers["location"]], [303, "/person?name%5Bprefix%5D=Per&sort=-name"]);
      assert.equal((await get(service, "/person?q=")).headers["location"], "/person");
      assert.equal((await service.send("GET", "/person?q=")).status, 400, "others may have made a mistake");
    });

    it("take the name of a country, in any of the languages, for its code", async () => {
      for (const name of ["Deutschland", "germany", "Allemagne", "de"]) {
        const { status, headers } = await get(service, `/person?q=&address.addressCountry=${name}&limit=2`);
        assert.deepEqual([status, headers["location"]], [303, "/person?address.addressCountry=DE&limit=2"], name);
      }
      for (const language of languages) {
        const names = new Intl.DisplayNames(language, { type: "region" });
        for (const code of countryCodes) {
          const { headers } = await get(
            service,
            `/person?address.addressCountry=${encodeURIComponent(names.of(code) ?? "")}`,
          );
          assert.equal(headers["location"], `/person?address.addressCountry=${code}`, `${language} ${code}`);
        }
      }
      const { text } = await get(service, "/person?address.addressCountry=DE");
      assert.match(text, /<input name="address\.addressCountry" value="Germany" list="countries">/);
      assert.equal((await get(service, "/person?address.addressCountry=Atlantis")).status, 200);
    });

    it("are those who lack a member, for which there is a box", async () => {
      await store(service, asJson({ name: "Person 61", email: "ada@example.org" }));
      const { text } = await get(service, "/person?email%5Bexists%5D=false&jobTitle=Job%201");
      assert.match(text, /<p class="total">9 people</);
      assert.match(text, /<li>Without <bdi>Email<\/bdi>/);
      assert.match(text, /<input type="checkbox" name="email\[exists\]" value="false" checked>Email</);
      assert.match(text, /<input type="checkbox" name="birthDate\[exists\]" value="false">Date of birth</);
      const { text: others } = await get(service, "/person?email%5Bexists%5D=true");
      assert.match(
        others,
        /<p class="total">1 person<.*<li>With <bdi>Email<.*name="email\[exists\]" value="true"|name="email\[exists\]" value="true".*1 person/s,
      );
      for (const query of ["email[exists]=no", "email[exists]=", "categories[exists]=true"]) {
        assert.equal((await service.send("GET", `/person?${query}`)).status, 400, query);
      }
    });

    it("say that nobody is like that", async () => {
      const { text } = await get(service, "/person?q=zzz");
      assert.match(text, /Nobody like that/);
    });

    it("name files that can be kept for ever", async () => {
      const files = linksOf(await get(service, "/person")).filter((url) => url.startsWith("/assets/"));
      assert.ok(files.length >= 2);
      for (const file of files) {
        const { status, headers } = await service.send("GET", file);
        assert.deepEqual([status, headers["cache-control"]], [200, "public, max-age=31536000, immutable"]);
      }
      assert.equal((await service.send("GET", "/assets/style.css")).status, 404);
    });
  });

  describe("of more people than are counted", () => {
    const service = openService();

    it("say how many there are at least", async () => {
      const many = { headers: { "Content-Type": "application/x-ndjson" }, body: '{"name":"Ada"}\n'.repeat(10_001) };
      assert.equal((await service.send("POST", "/person", many)).status, 200);
      assert.match((await get(service, "/person")).text, /<p class="total">10,000\+ people</);
      await service.send("DELETE", "/person/7");
      assert.match((await get(service, "/person")).text, /<p class="total">10,000 people</);
    });
  });

  describe("of the demo", () => {
    const service = openService();

    it("are light before they are compressed, a list of 20 in each language", async () => {
      const body = JSON.stringify(await demoPeople());
      const { status } = await service.send("POST", "/person", {
        headers: { "Content-Type": "application/json" },
        body,
      });
      assert.equal(status, 200);
      for (const language of languages) {
        const { bytes } = await get(service, "/person?limit=20", { "Accept-Language": language });
        assert.ok(bytes.length <= 20 * 1024, `${bytes.length} bytes in ${language}`);
      }
    });
  });

  describe("of nobody", () => {
    const service = openService();

    it("say that there is nobody yet, and offer nothing to do with them", async () => {
      const { text } = await get(service, "/person");
      assert.match(text, /Nobody is here yet/);
      assert.doesNotMatch(text, /class="menu/);
    });

    it("say that a page has become empty, and lead to the first", async () => {
      for (const name of ["Ada", "Bo"]) await store(service, asJson({ name }));
      const { text } = await service.send("GET", "/person?limit=1", { headers: { Accept } });
      const next = / rel="next" href="([^"]*)"/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? "";
      await service.send("DELETE", "/person/2");
      const empty = await get(service, next);
      assert.match(empty.text, /Nobody is on this page any more.*href="\/person\?limit=1">First page/);
    });
  });

  describe("of problems", () => {
    const service = openService();

    for (const [target, status, title] of [
      ["/person/7", 404, "Nobody is here"],
      ["/person/abc", 400, "The service does not understand this"],
      ["/nowhere", 404, "Nothing is here"],
      ["/assets/style.css", 404, "Nothing is here"],
      ["/problems/nope", 404, "Nothing is here"],
      ["/person?nope=1&sort=x", 400, "The service does not understand this"],
    ] as const) {
      it(`${target} is a page with what the document says`, async () => {
        const answer = await get(service, target);
        assert.deepEqual([answer.status, answer.headers["content-type"]], [status, html]);
        assert.equal(answer.headers["cache-control"], "no-store");
        assert.match(answer.headers["content-security-policy"] ?? "", policy);
        assert.ok(answer.text.includes(`<h1>${title}</h1>`), answer.text);
        const document = await service.send("GET", target);
        if (document.text === "") return;
        const { detail, errors = [] } = JSON.parse(document.text);
        for (const text of [detail, ...errors.map((error: { readonly detail: string }) => error.detail)]) {
          assert.ok(answer.text.replaceAll("&quot;", '"').includes(text), text);
        }
      });
    }

    it("show what a client sent as text", async () => {
      const { text } = await get(service, "/person?%3Cscript%3Ealert(1)%3C/script%3E=1");
      assert.match(text, /&lt;script&gt;alert\(1\)&lt;\/script&gt;/);
      assert.doesNotMatch(text, /<script>alert/);
    });

    it("are sent only to clients that prefer HTML", async () => {
      for (const accept of [
        "*/*",
        "text/*",
        "application/json",
        "text/html, application/json",
        "text/html;q=0.1, */*",
        "application/xml, text/html;q=0.5",
      ]) {
        const { text } = await service.send("GET", "/person/7", { headers: { Accept: accept } });
        assert.equal(text, "", accept);
      }
    });
  });

  describe("of values", () => {
    const service = openService();

    it("lead to where mail, calls and the web go", async () => {
      const person = {
        name: "Ada",
        email: "ada+b?c@example.org",
        telephone: "+44 (20) 7946 0000 ext. 12",
        url: 'https://example.org/?a=1&b="',
      };
      const { url, ...others } = person;
      const id = await store(service, asJson({ ...others, url: "https://example.org/?a=1&b=2" }));
      const { text } = await get(service, `/person/${id}`);
      assert.match(text, /href="mailto:ada%2Bb%3Fc@example.org"/);
      assert.match(text, /href="tel:\+442079460000;ext=12"/);
      assert.match(text, /href="https:\/\/example.org\/\?a=1&amp;b=2"/);
      assert.match(text, new RegExp(`<time datetime="${noon}">2026-06-15 12:00 UTC</time>`));
      assert.ok(url);
    });
  });
});

describeInMemory("the form of an import", (openService) => {
  const service = openService(async () => ({ bulk: { maxBytes: 1_000 } }));

  it("has the greatest file that the service takes", async () => {
    const { text } = await service.send("GET", "/person?import", { headers: { Accept: "text/html" } });
    assert.match(text, /<form class="import"[^>]* data-most-bytes="1000"/);
  });
});
