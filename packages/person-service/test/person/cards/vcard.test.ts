import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredRecord } from "@waymark/collection";
import { listText } from "@waymark/collection/internal";
import fc from "fast-check";
import ICAL from "ical.js";
import { HttpRequest } from "waymark";
import { vcard as vcardOf } from "../../../src/person/cards/vcard.ts";
import { decodeVcards } from "../../../src/person/cards/vcard-reader.ts";
import { ourMembers } from "../../../src/person/members/member-list.ts";
import { furtherValues, otherProperties } from "../../../src/person/members/members.ts";
import type { Person } from "../../../src/person/members/person.ts";
import { personSchema } from "../../../src/person/schema.ts";
import { describeService } from "../../tools/transports.ts";
import { legalPerson } from "../legal-person.ts";

const createdAt = "2026-06-15T12:00:00.123Z";
const updatedAt = "2026-06-16T13:14:15.999Z";

// biome-ignore format: a table
const full: Person = {
  id: 7,
  name: "Ada Lovelace",
  honorificPrefix: "Countess",
  givenName: "Ada",
  additionalName: "King",
  familyName: "Lovelace",
  honorificSuffix: "FRS",
  alternateName: "Countess",
  birthDate: "1815-12-10",
  anniversary: "1835-07-08",
  email: "ada@example.org",
  emails: [{ value: "ada@home.example", label: "a, b", preferred: true, vCardProp: "EMAIL;X-LOGIN=ada:" }],
  telephone: "+44 20 7946 0000;ext=12",
  telephones: [{ value: "+1 2", contexts: ["work"], features: ["fax"] }],
  address: {
    streetAddress: "12 St James's Square", addressLocality: "London", addressRegion: "England", postalCode: "SW1Y 4JH",
    addressCountry: "GB",
  },
  addresses: [{ value: { addressLocality: "Paris; France" }, contexts: ["work"], label: "Studio", vCardProp: "ADR:Box 9;;;;;;" }],
  jobTitle: "Analyst",
  worksFor: "Analytical Engines",
  department: "Notes; A",
  url: "https://example.org/ada",
  urls: [{ value: "https://example.org/1815" }],
  knowsLanguage: "en-GB",
  languages: [{ value: "fr" }],
  categories: ["press", "a, b; c\\d"],
  vCardProps: [
    "item1.X-ABDATE:2001-02-03", "item1.X-ABLABEL:_$!<Other>!$_", "ADR;TYPE=home:Box 7;;;;;;", "TEL;TYPE=home,cell:",
    'IMPP;X-A="a:b",c:xmpp:ada@x',
  ],
  description: "Wrote\nnotes",
  identifier: "A-1",
};

function record({ id = 1, ...members }: Person): StoredRecord {
  return { id, revision: 1, updatedAt: 0, json: JSON.stringify({ id, ...members, createdAt, updatedAt }) };
}

const vcard = vcardOf(ourMembers);

const cardOf = (person: Person): string => vcard.item(record(person), { url: "/person", request: HttpRequest.of() });

async function* pieces(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Whom the other parser reads: it takes the comma behind an escaped backslash for an escaped comma. */
const personForOthers = legalPerson.filter((person) => !JSON.stringify(person).includes('\\\\"'));

/** The card's lines with their ends, unfolded. */
const linesOf = (card: string): readonly string[] => card.replaceAll("\r\n ", "").split(/(?<=\r\n)/);

/** A property as another parser reads it. */
type ReadProperty = readonly [
  name: string,
  parameters: Readonly<Record<string, unknown>>,
  type: string,
  value: string | readonly string[],
  ...further: readonly string[],
];

/** The person that another parser finds in a card. */
function readCard(properties: readonly ReadProperty[]): object {
  // Of several values, the preferred one is the first; of several of those, and without one, that which comes first.
  const first = [...Map.groupBy(properties, ([name]) => name).values()].flatMap((alike) => {
    const some = alike.filter(([, parameters]) => parameters["x-further"] === undefined);
    return [some.find(([, { pref }]) => pref === "1") ?? some[0]].filter((each) => each !== undefined);
  });
  const values = new Map(first.filter(([name]) => name !== "x-ablabel").map(([name, , , value]) => [name, value]));
  const text = (name: string): string | undefined => values.get(name) as string | undefined; // of one value
  const parts = (name: string): readonly string[] => (values.get(name) ?? []) as readonly string[]; // of several
  const [familyName, givenName, additionalName, honorificPrefix, honorificSuffix] = parts("n");
  const [, , streetAddress, addressLocality, addressRegion, postalCode, addressCountry] = parts("adr");
  const address = { streetAddress, addressLocality, addressRegion, postalCode, addressCountry };
  return withoutEmpty({
    name: text("fn"),
    honorificPrefix,
    givenName,
    additionalName,
    familyName,
    honorificSuffix,
    alternateName: text("nickname"),
    birthDate: text("bday"),
    anniversary: text("anniversary")?.replace(/^(\d{4})(\d\d)(\d\d)$/, "$1-$2-$3"),
    email: text("email"),
    telephone: text("tel"),
    address: values.has("adr") ? withoutEmpty(address) : undefined,
    jobTitle: text("title"),
    ...organisationOf(values.get("org")),
    url: text("url"),
    knowsLanguage: text("lang"),
    categories: properties.find(([name]) => name === "categories")?.slice(3),
    // The only text of a person that may be empty.
    ...(values.has("note") && { description: { text: text("note") } }),
    identifier: text("x-identifier"),
  });
}

/** An organisation is a text, or a list of it and its units. */
function organisationOf(value: ReadProperty[3] | undefined): object {
  const [worksFor, department] = [value ?? []].flat();
  return { worksFor, department };
}

const withoutEmpty = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== ""));

/** What the other parser finds in a text of several cards; it gives the content of one, and a list of several. */
function parseCards(text: string): readonly (readonly ReadProperty[])[] {
  const parsed = ICAL.parse(text);
  const cards = Array.isArray(parsed[0]) ? parsed : [parsed];
  return cards.map(([kind, properties]: [string, readonly ReadProperty[]]) => {
    assert.equal(kind, "vcard");
    return properties;
  });
}

/** What is due from `readCard`. */
const expected = ({
  id: _id,
  description,
  [otherProperties]: _others,
  ...members
}: Person & Record<string, unknown>) => ({
  ...Object.fromEntries(Object.entries(members).filter(([name]) => !furtherValues.some((list) => list.name === name))),
  ...(description !== undefined && { description: { text: description } }),
});

describe("a vCard", () => {
  it("has each member of a person as a property", () => {
    assert.equal(
      cardOf(full),
      [
        "BEGIN:VCARD",
        "VERSION:4.0",
        "FN:Ada Lovelace",
        "N:Lovelace;Ada;King;Countess;FRS",
        "NICKNAME:Countess",
        "BDAY:18151210",
        "ANNIVERSARY:18350708",
        "EMAIL;PREF=1:ada@example.org",
        "item2.EMAIL;X-LOGIN=ada;PREF=1:ada@home.example",
        "item2.X-ABLabel:a\\, b",
        "TEL;TYPE=home,cell;PREF=1:+44 20 7946 0000;ext=12",
        "TEL;TYPE=work,fax:+1 2",
        "ADR;TYPE=home;PREF=1:Box 7;;12 St James's Square;London;England;SW1Y 4JH;GB",
        "item3.ADR;TYPE=work:Box 9;;;Paris\\; France;;;",
        "item3.X-ABLabel:Studio",
        "TITLE:Analyst",
        "ORG:Analytical Engines;Notes\\; A",
        "URL;PREF=1:https://example.org/ada",
        "URL:https://example.org/1815",
        "LANG;PREF=1:en-GB",
        "LANG:fr",
        "CATEGORIES:press,a\\, b; c\\\\d",
        "NOTE:Wrote\\nnotes",
        "X-IDENTIFIER;VALUE=text:A-1",
        "item1.X-ABDATE:2001-02-03",
        "item1.X-ABLABEL:_$!<Other>!$_",
        'IMPP;X-A="a:b",c:xmpp:ada@x',
        "PRODID:-//waymark//person-service//EN",
        "UID:urn:uuid:acd81f1c-e29f-57f3-a06b-1c4a17f2bbd4",
        "CREATED:20260615T120000Z",
        "REV:20260616T131415Z",
        "END:VCARD",
        "",
      ].join("\r\n"),
    );
  });

  it("knows every member", () => {
    const { address = {}, ...members } = JSON.parse(record(full).json);
    const names = [...Object.keys(members), ...Object.keys(address).map((part) => `address.${part}`)];
    assert.deepEqual(new Set(names), new Set(ourMembers.names));
  });

  it("has no property for what is absent", () => {
    const names = linesOf(cardOf({ name: "Ada" })).map((line) => line.replace(/[:;].*/s, ""));
    assert.deepEqual(names, ["BEGIN", "VERSION", "FN", "PRODID", "UID", "CREATED", "REV", "END"]);
  });

  const values: readonly [member: keyof Person, value: string, line: string][] = [
    ["name", "a,b;c\\d\\n", "FN:a\\,b;c\\\\d\\\\n"],
    ["familyName", "a,b;c\\d", "N:a\\,b\\;c\\\\d;;;;"],
    ["alternateName", "a,b", "NICKNAME:a\\,b"],
    ["worksFor", "a;b,c", "ORG:a\\;b\\,c"],
    ["url", "https://example.org/a,b;c", "URL:https://example.org/a,b;c"],
    ["description", "", "NOTE:"],
    ["description", "a\n\tb", "NOTE:a\\n\tb"],
    ["birthDate", "0001-02-03", "BDAY:00010203"],
  ];
  for (const [member, value, line] of values) {
    it(`has the ${member} ${JSON.stringify(value)} as ${JSON.stringify(line)}`, () => {
      assert.ok(linesOf(cardOf({ name: "Ada", [member]: value })).includes(`${line}\r\n`));
    });
  }

  it("folds lines at 75 octets, and splits no character", () => {
    const lines = cardOf({ name: "Ada", description: `a${"é漢😀".repeat(40)}` }).split("\r\n");
    const note = lines.slice(lines.findIndex((line) => line.startsWith("NOTE:")));
    const octets = note.slice(0, 5).map((line) => Buffer.byteLength(line));
    assert.ok(
      octets.every((count) => count > 75 - 4 && count <= 75),
      octets.join(),
    );
    assert.ok(lines.every((line) => line.isWellFormed()));
  });

  it("has a UID that stays the same after changes, and belongs to one person", () => {
    const uid = (person: StoredRecord): string | undefined =>
      /^UID:(.*)\r$/m.exec(vcard.item(person, { url: "/person", request: HttpRequest.of() }))?.[1];
    const ada = record(full);
    const later = { ...record({ id: 7, name: "Augusta" }), revision: 9 };
    const otherService = { ...ada, json: ada.json.replace(createdAt, "2026-06-15T12:00:00.124Z") };
    assert.match(uid(ada) ?? "", /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(uid(later), uid(ada));
    assert.notEqual(uid(record({ ...full, id: 8 })), uid(ada));
    assert.notEqual(uid(otherService), uid(ada));
  });

  it("is read by another parser without loss, for any person", () => {
    fc.assert(
      fc.property(personForOthers, (person) => {
        const card = cardOf(person);
        for (const line of card.split("\r\n")) assert.ok(Buffer.byteLength(line) <= 75);
        assert.deepEqual(parseCards(card).map(readCard), [expected(person)]);
      }),
    );
  });

  it("is read by an import without loss, for any person", async () => {
    const { validate } = personSchema()["~standard"];
    await fc.assert(
      fc.asyncProperty(legalPerson, async ({ id: _id, ...person }) => {
        const [read] = await Array.fromAsync(decodeVcards(pieces(cardOf(person)), ourMembers));
        assert.deepEqual(validate(read?.value), { value: person });
      }),
      { examples: [[{ name: "Ada", givenName: "A\\", familyName: "L", categories: ["a\\", "b"] }]] },
    );
  });

  it("keeps letters beside codes of quoted-printable as they are", async () => {
    const card = "BEGIN:VCARD\nVERSION:2.1\nFN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:Zo=C3=AB ë =4g\nEND:VCARD\n";
    const [read] = await Array.fromAsync(decodeVcards(pieces(card), ourMembers));
    assert.deepEqual(read, { line: 1, value: { name: "Zoë ë =4g" } });
  });

  it("has no line of quoted-printable go on over its end", async () => {
    for (const end of ["", "\n"]) {
      const card = `BEGIN:VCARD\nVERSION:2.1\nFN;ENCODING=QUOTED-PRINTABLE:Ada=3D=\n${end}END:VCARD\n`;
      const [read] = await Array.fromAsync(decodeVcards(pieces(card), ourMembers));
      assert.deepEqual(read, { line: 1, value: { name: "Ada=" } });
    }
  });

  it("leaves turns of the event loop to others while its lines are read", async (context) => {
    // By a clock that goes on by 2 ms with each look at it.
    let time = performance.now();
    context.mock.method(performance, "now", () => {
      time += 2;
      return time;
    });
    for (const lines of ["\n", "X-A:1\n", "NOTE:a\n b\n"]) {
      let turns = 0;
      let counting = setImmediate(function count() {
        turns++;
        counting = setImmediate(count);
      });
      await Array.fromAsync(decodeVcards(pieces(`BEGIN:VCARD\n${lines.repeat(1000)}END:VCARD\n`), ourMembers));
      clearImmediate(counting);
      assert.ok(turns >= 100, `${turns} turns`);
    }
  });

  it("is followed by the next in a list", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(personForOthers, { minLength: 1, maxLength: 4 }), async (people) => {
        async function* batches() {
          for (const person of people) yield [record(person)];
        }
        const syntax = vcard.list({ url: "/person", request: HttpRequest.of() });
        const text = (await Array.fromAsync(listText(batches(), syntax))).join("");
        assert.deepEqual(parseCards(text).map(readCard), people.map(expected));
      }),
    );
  });
});

describeService("vCards at the service", (openService) => {
  const service = openService();
  const send = (method: string, target: string, body: string | Uint8Array<ArrayBuffer>, type = "text/vcard") =>
    service.send(method, target, { headers: { "Content-Type": type }, body });
  const card = (...lines: readonly string[]): string =>
    ["BEGIN:VCARD", "VERSION:4.0", ...lines, "END:VCARD", ""].join("\r\n");

  it("store a person, in each version", async () => {
    for (const type of ["text/vcard", "text/vcard;charset=utf-8", "text/vcard; version=3.0; charset=UTF-8"]) {
      const { status, headers } = await send("POST", "/person", card("FN:Zoë", "BDAY:18151210", "X-OWN:1"), type);
      assert.equal(status, 200);
      const { text } = await service.send("GET", String(headers["location"]));
      const { id: _id, createdAt: _c, updatedAt: _u, ...stored } = JSON.parse(text);
      assert.deepEqual(stored, { name: "Zoë", birthDate: "1815-12-10", vCardProps: ["X-OWN:1"] });
    }
  });

  it("can be sent back as they were read", async () => {
    const person = {
      name: "Ada",
      emails: [{ value: "a@x.example", contexts: ["work"] }],
      telephone: "11",
      telephones: [{ value: "22", preferred: true, vCardProp: "TEL;X-A=b:" }],
      categories: ["b", "a"],
    };
    const { headers } = await send("POST", "/person", JSON.stringify(person), "application/json");
    const url = String(headers["location"]);
    const read = async (): Promise<object> => JSON.parse((await service.send("GET", url)).text);
    const before = await read();
    for (const format of ["vcard", "vcard3"]) {
      const sent = await service.send("GET", `${url}?format=${format}`);
      assert.equal((await send("PUT", url, sent.text, String(sent.headers["content-type"]))).status, 204);
      assert.deepEqual({ ...(await read()), updatedAt: 0 }, { ...before, updatedAt: 0 });
    }
  });

  // biome-ignore format: a table
  const faults: readonly (readonly [what: string, body: string | Uint8Array<ArrayBuffer>, detail: RegExp])[] = [
    ["two", card("FN:A") + card("FN:B"), /The content has a second vCard at line 5, column 1/],
    ["text without a card", "Ada", /The content has no vCards/],
    ["one without an end", "BEGIN:VCARD\r\nFN:A\r\n", /The vCard has no END:VCARD at line 1/],
    ["one within another", `BEGIN:VCARD\r\n${card("FN:A")}`, /The vCard has no END:VCARD at line 1/],
    ["a line that is no property", card("FN:A", "nonsense"), /The vCard has a line that is not a property, which is left out: \\"nonsense\\" at line 4/],
    ["what is not UTF-8", Buffer.from(card("FN:Zo\xeb"), "latin1"), /The content is not UTF-8: 0xEB/],
    ["a person without anything to be called by", card("NOTE:a"), /is required where there is no/],
  ];
  for (const [what, body, detail] of faults) {
    it(`refuse ${what}`, async () => {
      const { status, text } = await send("POST", "/person", body);
      assert.equal(status, 400, text);
      assert.match(text, detail);
    });
  }

  it("are UTF-8", async () => {
    const { status } = await send("POST", "/person", card("FN:A"), "text/vcard;charset=iso-8859-1");
    assert.equal(status, 415);
  });
});
