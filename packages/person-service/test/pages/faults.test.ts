import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readerFor } from "../../src/pages/frame/reader.ts";
import { faultInWords } from "../../src/pages/members/faults.ts";
import { languages } from "../../src/person/languages.ts";
import { memberEntries, partNames } from "../../src/person/members.ts";
import { membersOf } from "../../src/person/own-members.ts";
import { personSchema } from "../../src/person/schema.ts";
import { asJson, store } from "../answers.ts";
import { describeService, noon } from "../transports.ts";

/** Values as a form may send them, each of which some member refuses. */
const values = [
  ...["x", "a@b@c", "@b", "a@", "a b@c", "1".repeat(3000), "a\u0000b", "a\ud800b", "a\ufffeb", "\u2060", " a", "a "],
  ...["soon", "0000-01-01", "1990-13-01", "1990-02-30", "2990-01-01"],
  ...["https://a:b@example.org", "Atlantis"],
];

/** Of an object, the value is that of its first member. */
const entryOf = (single: string, value: string): object => {
  const [part] = partNames(single);
  return { value: part === undefined ? value : { [part]: value } };
};

describe("what the API says of a member", () => {
  const members = membersOf({
    desk: { type: "integer" },
    floor: { type: "integer", minimum: 1, maximum: 3 },
    rate: { type: "number" },
    share: { type: "number", minimum: 0, maximum: 1 },
    joined: { type: "string", format: "date", formatMinimum: "2000-01-01" },
    staffNumber: { type: "string", pattern: "^[A-Z]+$" },
    team: { type: "string", enum: ["red"] },
  });
  const { validate } = personSchema(() => new Date(noon), members)["~standard"];
  const entries = memberEntries.filter(([name]) => name !== "id" && !name.includes("."));
  const people = [
    {},
    ...entries.flatMap(([name, { list, of }]) =>
      values.map((value) => ({
        name: "Ada",
        [name]: list ? [value] : of === undefined ? value : [entryOf(of, value)],
      })),
    ),
    ...memberEntries
      .filter(([name]) => name.startsWith("address."))
      .flatMap(([name]) => values.map((value) => ({ name: "Ada", address: { [name.slice(8)]: value } }))),
    ...entries.flatMap(([name, { list, of, example = "a@b" }]) => {
      if (list)
        return [
          { name: "Ada", [name]: ["a", "a"] },
          { name: "Ada", [name]: Array(51).fill("a") },
        ];
      if (of === undefined) return [];
      const marked = { ...entryOf(of, String(example)), preferred: true };
      return [
        { name: "Ada", [name]: [marked, marked] },
        { name: "Ada", [name]: Array(51).fill(marked) },
        { name: "Ada", [name]: [{ ...entryOf(of, "https://example.org"), label: "l".repeat(101) }] },
      ];
    }),
    { name: "Ada", email: "a@b", emails: [{ value: "c@d" }] },
    ...members.entries
      .filter(([name]) => name.startsWith("custom."))
      .flatMap(([name, { filter }]) =>
        ["x", filter === "number" ? 7.5 : "1990-01-01"].map((value) => ({
          name: "Ada",
          custom: { [name.slice(7)]: value },
        })),
      ),
  ];
  const said = new Set(
    people.flatMap((person) => {
      const { issues = [] } = validate(person) as { readonly issues?: readonly { readonly message: string }[] }; // not a promise
      return issues.map(({ message }) => message);
    }),
  );

  it("is much", () => assert.ok(said.size > 40, [...said].join("\n")));

  for (const language of languages.filter((each) => each !== "en")) {
    it(`has words in ${language}`, () => {
      const missing = [...said].filter((detail) => faultInWords(readerFor(language), detail, String) === detail);
      assert.deepEqual(missing, []);
    });
  }
});

describeService("a form", (openService) => {
  const service = openService();
  const send = (language: string, target: string, fields: Readonly<Record<string, string>>) =>
    service.send("POST", target, {
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        Accept: "text/html",
        "Accept-Language": language,
      },
      body: String(new URLSearchParams(fields)),
    });

  for (const [language, typed, stored] of [
    ["de", "10.12.1815", "1815-12-10"],
    ["de", "1.2.1815", "1815-02-01"],
    ["de", "10. Dezember 1815", "1815-12-10"],
    ["de", "1815-12-10", "1815-12-10"],
    ["en-US", "12/10/1815", "1815-12-10"],
    ["en-GB", "12/10/1815", "1815-10-12"],
    ["en-GB", "10 Dec 1815", "1815-12-10"],
    ["fr-CA", "1815-12-10", "1815-12-10"],
    ["es", "10/12/1815", "1815-12-10"],
    ["en", "Dec 10, 1815", "1815-12-10"],
  ] as const) {
    it(`takes the date ${typed} in ${language}`, async () => {
      const { headers, status } = await send(language, "/person", { name: "Ada", birthDate: typed });
      assert.equal(status, 303);
      const [path = ""] = (headers["location"] ?? "").split("#");
      assert.equal(JSON.parse((await service.send("GET", path)).text).birthDate, stored);
    });
  }

  for (const [language, typed, fault] of [
    ["en", "10/12/1815", /Date of birth must be a date such as 1950-01-31, not &quot;10\/12\/1815&quot;\./],
    ["en-US", "10.12.1815", /Date of birth must be a date such as 01\/31\/1950/],
    ["de", "31.02.1990", /Geburtsdatum muss ein wirkliches Datum sein; 1990-02 hat die Tage 01 bis 28\./],
    ["de", "1.1.90", /Geburtsdatum muss ein Datum wie 31\.01\.1950 sein, nicht &quot;1\.1\.90&quot;\./],
    ["fr", "1/1/2999", /Date de naissance ne doit pas être dans le futur ; nous sommes le 15\/06\/2026 \(UTC\)\./],
  ] as const) {
    it(`refuses the date ${typed} in ${language}, and shows it again`, async () => {
      const { text, status } = await send(language, "/person", { name: "Ada", birthDate: typed });
      assert.equal(status, 400);
      assert.match(text, fault);
      if (typed.length < 8 || language === "en") assert.ok(text.includes(`value="${typed}"`), text);
    });
  }

  it("says in the language of its reader what is wrong, with the names that it has for members", async () => {
    const { text } = await send("de", "/person", { email: "ada", familyName: "" });
    assert.match(text, /Noch nicht richtig: <a href="#f-name">Name<\/a>, <a href="#f-email">E-Mail<\/a>/);
    assert.match(text, /Name fehlt: Weder Vorname noch Nachname ist angegeben\./);
    assert.match(text, /E-Mail muss ein @ haben wie ada@example\.org, nicht 0\./);
  });

  it("changes what differs from what it showed, in the language that it was written in", async () => {
    const emails = [{ value: "ada@example.org", contexts: ["work"], preferred: true }, { value: "a@example.org" }];
    const id = await store(service, asJson({ name: "Ada", birthDate: "1815-10-12", emails }));
    const page = await service.send("GET", `/person/${id}`, {
      headers: { Accept: "text/html", "Accept-Language": "de" },
    });
    assert.match(page.text, /name="birthDate"[^>]* value="12\.10\.1815"/);
    assert.match(page.text, /ada@example\.org \(Arbeit, bevorzugt\)\na@example\.org<\/textarea>/);
    const { _before = "", ...hidden } = Object.fromEntries(
      Array.from(page.text.matchAll(/<input type="hidden" name="(_\w+)" value="([^"]*)">/g), ([, name, value]) => [
        name,
        value?.replaceAll("&quot;", '"'),
      ]),
    );
    const fields = {
      ...JSON.parse(_before),
      _before,
      _method: "PATCH",
      _tag: page.headers["etag"] ?? "",
      _locale: hidden["_locale"] ?? "",
      emails: "ada@example.org (Arbeit, bevorzugt)\na@example.org (privat)",
    };
    // Its reader has another language in another tab meanwhile.
    const answer = await send("en-US", `/person/${id}`, fields);
    assert.equal(answer.status, 303, answer.text);
    const { birthDate, emails: now } = JSON.parse((await service.send("GET", `/person/${id}`)).text);
    assert.equal(birthDate, "1815-10-12");
    assert.deepEqual(now, [emails[0], { value: "a@example.org", contexts: ["private"] }]);
  });

  it("has each address on a line, and takes it back with the name of a country and a word for its use", async () => {
    const streets = ["1; Oak \\ St (rear)", "2 Oak St"];
    const addresses = streets.map((streetAddress, i) => ({
      value: { streetAddress },
      ...(i === 0 && { preferred: true }),
    }));
    const id = await store(service, asJson({ name: "Ada", addresses }));
    const page = await service.send("GET", `/person/${id}`, {
      headers: { Accept: "text/html", "Accept-Language": "de" },
    });
    const lines = ["1\\; Oak \\\\ St (rear); ; ; ; (bevorzugt)", "2 Oak St; ; ; ;"];
    assert.ok(page.text.includes(`>\n${lines.join("\n")}</textarea>`), page.text);
    assert.match(
      page.text,
      /<dd class="addresses"><bdi>1; Oak \\ St \(rear\)<\/bdi> \(bevorzugt\)<br><bdi>2 Oak St<\/bdi><\/dd>/,
    );
    const change = async (typed: readonly string[]) => {
      const before = JSON.stringify({ name: "Ada", addresses: lines.join("\n") });
      const fields = { _method: "PATCH", _tag: page.headers["etag"] ?? "", _locale: "de", _before: before };
      return send("de", `/person/${id}`, { ...fields, addresses: typed.join("\r\n") });
    };
    const refused = await change([...lines, "a; b; c; d; e; f"]);
    assert.equal(refused.status, 400);
    assert.match(refused.text, /Weitere Adressen muss aus der Liste sein oder aus zwei Großbuchstaben/);
    assert.equal((await change([...lines, "Am Markt 1; Köln;; 50667; Deutschland (Arbeit)"])).status, 303);
    const { addresses: now } = JSON.parse((await service.send("GET", `/person/${id}`)).text);
    assert.deepEqual(now, [
      ...addresses,
      {
        value: { streetAddress: "Am Markt 1", addressLocality: "Köln", postalCode: "50667", addressCountry: "DE" },
        contexts: ["work"],
      },
    ]);
  });
});
