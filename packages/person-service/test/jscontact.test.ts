import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredRecord } from "@waymark/collection";
import fc from "fast-check";
import { HttpRequest } from "waymark";
import { jsContact as jsContactOf } from "../src/person/jscontact.ts";
import { ourMembers } from "../src/person/member-list.ts";
import { personMembers } from "../src/person/members.ts";
import type { Person } from "../src/person/person.ts";
import { personSchema } from "../src/person/schema.ts";
import { vcard as vcardOf } from "../src/person/vcard.ts";
import { isoDates } from "../src/transfer/dates.ts";
import { personOfJsContact } from "../src/transfer/jscontact-person.ts";
import { toMembers } from "../src/transfer/values.ts";
import { decodeVcards } from "../src/transfer/vcard-decoder.ts";
import { legalPerson } from "./legal-person.ts";
import { describeService } from "./transports.ts";

const times = { createdAt: "2026-06-15T12:00:00.123Z", updatedAt: "2026-06-16T13:14:15.999Z" };
const recordOf = (person: object): StoredRecord => ({
  id: 7,
  revision: 1,
  updatedAt: 0,
  json: JSON.stringify({ id: 7, ...person, ...times }),
});
const options = { url: "/person", request: HttpRequest.of() };
const [jsContact, vcard] = [jsContactOf(ourMembers), vcardOf(ourMembers)];
const cardOf = (person: object): Record<string, unknown> => JSON.parse(jsContact.item(recordOf(person), options));

/** What a client that sends a card has stored. */
function personOf(card: Record<string, unknown>): unknown {
  const value = toMembers(personOfJsContact(card, ourMembers), { members: ourMembers, dates: isoDates });
  const result = personSchema()["~standard"].validate(value);
  return "value" in result ? result.value : result.issues;
}

const full: Person = {
  name: "Countess Ada King Lovelace",
  honorificPrefix: "Countess",
  givenName: "Ada",
  additionalName: "King",
  familyName: "Lovelace",
  honorificSuffix: "FRS",
  alternateName: "Enchantress",
  birthDate: "1815-12-10",
  anniversary: "1835-07-08",
  email: "ada@example.org",
  emails: [
    { value: "ada@example.org", contexts: ["work"], preferred: true },
    { value: "ada@home.example", label: "chess" },
  ],
  telephone: "+44 1",
  telephones: [{ value: "+44 1", contexts: ["private"], features: ["mobile", "voice"], preferred: true }],
  address: {
    streetAddress: "12 St James's Square",
    addressLocality: "London",
    addressRegion: "England",
    postalCode: "SW1Y 4JH",
    addressCountry: "GB",
  },
  jobTitle: "Analyst",
  worksFor: "Analytical Engines",
  url: "https://example.org/ada",
  knowsLanguage: "en-GB",
  categories: ["press", "a b"],
  description: "Wrote\nnotes",
  vCardProps: ["item1.X-SOCIALPROFILE;TYPE=home,work:https://x.example", "UID:mine", 'JSPROP;JSPTR=relatedTo:{"b":{}}'],
  identifier: "A;1",
};

const fullCard = {
  "@type": "Card",
  version: "1.0",
  uid: "mine",
  created: "2026-06-15T12:00:00Z",
  updated: "2026-06-16T13:14:15Z",
  name: {
    full: "Countess Ada King Lovelace",
    components: [
      { kind: "title", value: "Countess" },
      { kind: "given", value: "Ada" },
      { kind: "given2", value: "King" },
      { kind: "surname", value: "Lovelace" },
      { kind: "credential", value: "FRS" },
    ],
  },
  nicknames: { 1: { name: "Enchantress" } },
  anniversaries: {
    birth: { kind: "birth", date: { "@type": "PartialDate", year: 1815, month: 12, day: 10 } },
    wedding: { kind: "wedding", date: { "@type": "PartialDate", year: 1835, month: 7, day: 8 } },
  },
  emails: {
    1: { address: "ada@example.org", contexts: { work: true }, pref: 1 },
    2: { address: "ada@home.example", label: "chess" },
  },
  phones: { 1: { number: "+44 1", contexts: { private: true }, features: { mobile: true, voice: true }, pref: 1 } },
  addresses: {
    1: {
      components: [
        { kind: "name", value: "12 St James's Square" },
        { kind: "locality", value: "London" },
        { kind: "region", value: "England" },
        { kind: "postcode", value: "SW1Y 4JH" },
      ],
      countryCode: "GB",
    },
  },
  titles: { title: { kind: "title", name: "Analyst" } },
  organizations: { 1: { name: "Analytical Engines" } },
  links: { 1: { uri: "https://example.org/ada" } },
  preferredLanguages: { 1: { language: "en-GB" } },
  keywords: { press: true, "a b": true },
  notes: { 1: { note: "Wrote\nnotes" } },
  relatedTo: { b: {} },
  vCardProps: [
    ["x-identifier", { value: "text" }, "unknown", "A;1"],
    ["x-socialprofile", { group: "item1", type: ["home", "work"] }, "unknown", "https://x.example"],
  ],
};

/** A card has a set of them, and what no member says in an order of its own. */
const inAnyOrder: ReadonlySet<string> = new Set(["categories", "vCardProps"]);

const sorted = (person: unknown): unknown =>
  JSON.parse(JSON.stringify(person), (name, value) => (inAnyOrder.has(name) ? value.toSorted() : value));

describe("a JSContact card", () => {
  it("has each member of a person in its place", () => {
    assert.deepEqual(cardOf(full), fullCard);
    const names = Object.keys(personMembers).filter((name) => !["id", "urls", "languages", "addresses"].includes(name));
    assert.deepEqual(new Set(Object.keys(full)), new Set(names.map((name) => name.split(".")[0])));
  });

  it("of a person without a uid of another program has one that stays, and says whose it is", () => {
    const { uid, prodId } = cardOf({ name: "A" });
    assert.deepEqual(
      [uid, prodId],
      ["urn:uuid:acd81f1c-e29f-57f3-a06b-1c4a17f2bbd4", "-//waymark//person-service//EN"],
    );
    assert.deepEqual(personOf(cardOf({ name: "A" })), { name: "A" });
  });

  it("is the same person when it is read, for any person", () => {
    fc.assert(
      fc.property(legalPerson, ({ id: _id, ...person }) => {
        fc.pre(!JSON.stringify(person).includes("__proto__"));
        assert.deepEqual(sorted(personOf(cardOf(person))), sorted(person));
      }),
      { endOnFailure: true },
    );
  });

  it("comes back with every member that no person has, also through a vCard", async () => {
    const foreign = {
      "@type": "Card",
      version: "1.0",
      uid: "urn:uuid:0b3a1f2e-0000-4000-8000-000000000001",
      kind: "org",
      name: {
        full: "Ada L",
        isOrdered: true,
        components: [
          { kind: "given", value: "Ada" },
          { kind: "separator", value: " " },
          { kind: "surname", value: "L" },
          { kind: "surname2", value: "M" },
          { kind: "given", value: "B", phonetic: "bee" },
        ],
        sortAs: { surname: "L" },
      },
      emails: {
        e1: { address: "a@x.example", pref: 2 },
        e2: { address: "b@x.example", pref: 1, contexts: { school: true } },
      },
      phones: { 1: { number: "11", features: { voice: true, "x.example:hum": true } }, 2: { uri: "tel:2" } },
      addresses: {
        home: {
          contexts: { private: true },
          components: [
            { kind: "number", value: "1" },
            { kind: "name", value: "Oak St" },
            { kind: "country", value: "Germany" },
            { kind: "floor", value: "3" },
          ],
        },
        work: { pref: 50, components: [{ kind: "locality", value: "Berlin" }], countryCode: "DE" },
        1: { full: "somewhere" },
      },
      titles: { t1: { kind: "role", name: "Lead" }, t2: { name: "Analyst" } },
      anniversaries: {
        x: { kind: "birth", date: { month: 12, day: 10 }, place: { full: "London" } },
        y: { kind: "death", date: { "@type": "Timestamp", utc: "1852-11-27T00:00:00Z" } },
      },
      media: {
        p: { kind: "photo", uri: "data:image/png;base64,AAAA" },
        q: { kind: "photo", uri: "https://x.example/p" },
      },
      onlineServices: { s: { service: "Mastodon", user: "@ada, \\o/;" } },
      "x.example:own": [1, "two", null],
      vCardProps: [
        ["version", {}, "text", "4.0"],
        ["x-text", { "x-p": ["a", "b;c"] }, "text", "1,2", "3"],
        ["x-uri", {}, "uri", "https://x.example/a,b"],
        ["gender", {}, "text", ["F", "a;b"]],
        ["not a name", {}, "text", "x"],
        "nothing",
      ],
    };
    const person = personOf(foreign);
    const expected = {
      name: "Ada L",
      givenName: "Ada B",
      familyName: "L M",
      email: "b@x.example",
      emails: [{ value: "a@x.example" }, { value: "b@x.example", label: "school", preferred: true }],
      telephone: "11",
      telephones: [{ value: "11", features: ["voice"], label: "x.example:hum", preferred: true }],
      address: { addressLocality: "Berlin", addressCountry: "DE" },
      addresses: [
        { value: { streetAddress: "1 Oak St", addressCountry: "DE" }, contexts: ["private"] },
        { value: { addressLocality: "Berlin", addressCountry: "DE" }, preferred: true },
      ],
      jobTitle: "Analyst",
    };
    const { vCardProps, ...members } = person as Person;
    assert.deepEqual(members, expected);
    const back = cardOf(person as object);
    const { uid, kind, name, titles, anniversaries, media, addresses, phones, onlineServices, ...others } = back;
    assert.deepEqual([uid, kind], [foreign.uid, "org"]);
    assert.deepEqual((name as typeof foreign.name).sortAs, { surname: "L" });
    assert.deepEqual(titles, { title: { kind: "title", name: "Analyst" }, t1: { kind: "role", name: "Lead" } });
    assert.deepEqual(anniversaries, foreign.anniversaries);
    assert.deepEqual(media, { q: foreign.media.q });
    assert.deepEqual(addresses, {
      1: {
        components: [
          { kind: "name", value: "1 Oak St" },
          { kind: "floor", value: "3" },
        ],
        countryCode: "DE",
        contexts: { private: true },
      },
      2: { components: [{ kind: "locality", value: "Berlin" }], countryCode: "DE", pref: 1 },
      x1: { full: "somewhere" },
    });
    assert.deepEqual((phones as Record<string, object>)["x2"], { uri: "tel:2" });
    assert.deepEqual(onlineServices, foreign.onlineServices);
    assert.deepEqual(others["x.example:own"], [1, "two", null]);
    assert.ok(vCardProps?.includes('X-TEXT;X-P=a,"b;c":1\\,2,3'), String(vCardProps));
    assert.ok(vCardProps?.includes("X-URI;VALUE=uri:https://x.example/a,b"));
    assert.ok(vCardProps?.includes("GENDER:F;a\\;b"));
    assert.equal(vCardProps?.filter((line) => /^(?:VERSION|NOT)/.test(line)).length, 0);
    const file = Buffer.from(vcard.item(recordOf(person as object), options));
    const [read] = await Array.fromAsync(decodeVcards(ReadableStream.from([file]), ourMembers));
    assert.deepEqual(cardOf(read?.value as object), back);
  });

  it("has an address with what else it says, and no place of another program", () => {
    const person = personOf({
      "@type": "Card",
      name: { full: "A" },
      addresses: {
        home: {
          timeZone: "Europe/Berlin",
          components: [
            { kind: "number", value: "1" },
            { kind: "name", value: "Oak St" },
            { kind: "country", value: "Germany" },
          ],
        },
      },
    }) as Person;
    assert.deepEqual(person, {
      name: "A",
      address: { streetAddress: "1 Oak St", addressCountry: "DE" },
      vCardProps: ['JSPROP;JSPTR=addresses:{"1":{"timeZone":"Europe/Berlin"}}'],
    });
    const { addresses } = cardOf({ ...person, address: { addressCountry: "FR" } });
    assert.deepEqual(addresses, { 1: { countryCode: "FR", timeZone: "Europe/Berlin" } });
  });
});

describeService("JSContact at the service", (openService) => {
  const service = openService();
  const type = "application/jscontact+json";
  const send = (method: string, target: string, body: unknown) =>
    service.send(method, target, { headers: { "Content-Type": type }, body: JSON.stringify(body) });

  it("is taken for one person, and for many as an array", async () => {
    assert.equal((await send("POST", "/person", { ...fullCard, uid: "1" })).status, 200);
    const many = await send("POST", "/person", [
      { "@type": "Card", name: { full: "Bo" } },
      { "@type": "Card", name: { full: "Cy" } },
    ]);
    assert.deepEqual([many.status, JSON.parse(many.text).stored], [200, 2]);
    const { text, headers } = await service.send("GET", "/person?id[ge]=2", { headers: { Accept: type } });
    assert.equal(headers["content-type"], type);
    const names = JSON.parse(text).map(({ name }: { readonly name: { readonly full: string } }) => name.full);
    assert.deepEqual(names, ["Bo", "Cy"]);
  });

  it("may have a telephone and an e-mail as URIs, with spaces around them", async () => {
    const phones = { tel0: { number: "tel:+1-555-555-5555;ext=5555" } }; // of RFC 9553 §2.3.3
    const emails = { e1: { address: " mailto:ada@uri.example" } };
    await send("POST", "/person", { "@type": "Card", name: { full: "Ada" }, phones, emails });
    const { text } = await service.send("GET", "/person?email=ada@uri.example&fields=telephone");
    assert.deepEqual(JSON.parse(text), [{ telephone: "+1-555-555-5555;ext=5555" }]);
  });

  it("can be sent back as it was read", async () => {
    const before = (await service.send("GET", "/person/1")).text;
    const card = await service.send("GET", "/person/1?format=jscontact");
    assert.equal((await send("PUT", "/person/1", JSON.parse(card.text))).status, 204);
    const after = (await service.send("GET", "/person/1")).text;
    assert.deepEqual({ ...JSON.parse(after), updatedAt: 0 }, { ...JSON.parse(before), updatedAt: 0 });
  });

  const faults: readonly (readonly [what: string, body: unknown, detail: RegExp])[] = [
    ["what is no card", { name: "A" }, /is not a JSContact card, whose \\"@type\\" is \\"Card\\"/],
    ["a card without a name", { "@type": "Card" }, /is required where there is no/],
    [
      "an invalid e-mail",
      { "@type": "Card", name: { full: "A" }, emails: { e: { address: "none" } } },
      /must have one @/,
    ],
    [
      "much that no member says",
      { "@type": "Card", name: { full: "A" }, x: "y".repeat(5000) },
      /1 to 4000 characters.*vCardProps/,
    ],
    ["cards among others", [{ "@type": "Card", name: { full: "A" } }, { name: "B" }], /is not a JSContact card/],
  ];
  for (const [what, body, detail] of faults) {
    it(`refuses ${what}`, async () => {
      const { status, text } = await send("POST", "/person", body);
      assert.equal(status, 400);
      assert.match(text, detail);
    });
  }

  it("is known in a file of JSON, of one card or many", async () => {
    for (const [name, content] of [
      ["a.json", { "@type": "Card", name: { full: "A" } }],
      ["a.json", [{ "@type": "Card", name: { full: "A" } }]],
      ["", [{ "@type": "Card", name: { full: "A" } }]],
    ] as const) {
      const headers = { "Content-Type": `application/octet-stream; name="${name}"` };
      const answer = await service.send("POST", "/person?dry-run=true", {
        headers,
        body: JSON.stringify(content, null, 1),
      });
      assert.equal(JSON.parse(answer.text).valid, 1, answer.text);
    }
  });
});
