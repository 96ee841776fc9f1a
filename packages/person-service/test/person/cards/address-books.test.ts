import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredRecord } from "@waymark/collection";
import { HttpRequest } from "waymark";
import { named } from "../../../src/person/cards/named.ts";
import { vcard3 as vcard3Of, vcard as vcardOf } from "../../../src/person/cards/vcard.ts";
import { decodeVcards } from "../../../src/person/cards/vcard-reader.ts";
import { ourMembers } from "../../../src/person/members/member-list.ts";
import type { Person } from "../../../src/person/members/person.ts";
import { personSchema } from "../../../src/person/schema.ts";

/** Reads cards as an import does. */
async function read(text: string): Promise<readonly unknown[]> {
  const values = await Array.fromAsync(decodeVcards(ReadableStream.from([Buffer.from(text)]), ourMembers));
  return values.map(({ value, issues }) => {
    if (issues !== undefined) return issues;
    const result = personSchema()["~standard"].validate(named(value));
    return result.issues?.map(({ path, message }) => ({ path, message })) ?? ("value" in result && result.value);
  });
}

function recordOf(person: unknown): StoredRecord {
  const times = { createdAt: "2026-06-15T12:00:00.000Z", updatedAt: "2026-06-15T12:00:00.000Z" };
  return { id: 1, revision: 1, updatedAt: 0, json: JSON.stringify({ id: 1, ...(person as object), ...times }) };
}

const [vcard, vcard3] = [vcardOf(ourMembers), vcard3Of(ourMembers)];
const options = { url: "/person", request: HttpRequest.of() };

/** A card as a program writes it, made by hand; the person that it is; and what is on no line of the card that is made of the person. */
interface AddressBook {
  readonly program: string;
  readonly lines: readonly string[];
  readonly person: object;
}

// The shapes are those of these documents:
// - iOS and macOS, 3.0 with labels in groups (X-ABLabel): ezvcard/io/json/roundtrip/John_Doe_IPHONE.vcf in the tests of ez-vcard; a
//   birthday without a year: tests/VObject/BirthdayCalendarGeneratorTest.php of sabre/vobject.
// - Google Contacts, 3.0 with labels in groups: ezvcard/io/text/gmail-single2.vcf in the tests of ez-vcard.
// - Outlook, 2.1 with types that have no name: [MS-OXVCARD], "vCard to Contact Object Conversion Algorithm", and the card of Outlook 2019
//   at the end of htdocs/core/class/vcard.class.php of Dolibarr.
// - Thunderbird, 4.0: mailnews/addrbook/modules/VCardUtils.jsm of comm-central, "typeMap".
// - Nextcloud, 3.0 and 4.0 with lists of types within quotation marks: src/models/rfcProps.js of Nextcloud Contacts.
// biome-ignore format: a table
const books: readonly AddressBook[] = [
  {
    program: "iOS",
    lines: [
      "VERSION:3.0", "PRODID:-//Apple Inc.//iPhone OS 17.0//EN", "N:Lovelace;Ada;King;Countess;", "FN:Countess Ada King Lovelace",
      "NICKNAME:Ada", "X-PHONETIC-FIRST-NAME:Ayda", "ORG:Analytical Engines;Programs", "TITLE:Analyst",
      "EMAIL;type=INTERNET;type=HOME;type=pref:ada@home.example", "item1.EMAIL;type=INTERNET:ada@club.example",
      "item1.X-ABLabel:chess club", "TEL;type=IPHONE;type=CELL;type=VOICE;type=pref:+44 20 7946 0001", "TEL;type=MAIN:+44 20 7946 0002",
      "TEL;type=OTHER;type=VOICE:+44 20 7946 0003",
      "item2.ADR;type=HOME;type=pref:;;12 St James's Sq\\nFlat 2;London;;SW1Y 4JH;United Kingdom", "item2.X-ABADR:gb",
      "item3.ADR;type=WORK:;;1 Dorset St;London;;W1U 4EE;United Kingdom", "item3.X-ABLabel:_$!<Studio>!$_",
      "item4.URL;type=pref:https\\://example.org/ada", "item4.X-ABLabel:_$!<HomePage>!$_", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10",
      "item5.X-ABDATE;type=pref:1835-07-08", "item5.X-ABLabel:_$!<Anniversary>!$_", "item6.X-ABRELATEDNAMES;type=pref:Byron",
      "item6.X-ABLabel:_$!<Father>!$_", "IMPP;X-SERVICE-TYPE=Skype;type=HOME;type=pref:skype:ada",
      "X-SOCIALPROFILE;type=twitter;x-user=ada:https://twitter.com/ada", "NOTE:first\\nsecond",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD", " AAAAAAA=", "UID:6EB029FB-BBBB-4242-A054-C5F4392245BD",
      "REV:2018-02-21T05:34:09Z",
    ],
    person: {
      name: "Countess Ada King Lovelace", honorificPrefix: "Countess", givenName: "Ada", additionalName: "King", familyName: "Lovelace",
      alternateName: "Ada", anniversary: "1835-07-08", email: "ada@home.example",
      emails: [{ value: "ada@club.example", label: "chess club" }], telephone: "+44 20 7946 0001",
      telephones: [{ value: "+44 20 7946 0002", features: ["main-number"] }, { value: "+44 20 7946 0003", vCardProp: "TEL;TYPE=other:" }],
      address: { streetAddress: "12 St James's Sq, Flat 2", addressLocality: "London", postalCode: "SW1Y 4JH", addressCountry: "GB" },
      addresses: [
        {
          value: { streetAddress: "1 Dorset St", addressLocality: "London", postalCode: "W1U 4EE", addressCountry: "GB" },
          contexts: ["work"], label: "Studio",
        },
      ],
      jobTitle: "Analyst", worksFor: "Analytical Engines", department: "Programs", url: "https://example.org/ada",
      description: "first\nsecond",
      vCardProps: [
        "EMAIL;TYPE=home:", "TEL;TYPE=cell:", "ADR;TYPE=home:", "X-PHONETIC-FIRST-NAME:Ayda", "BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10",
        "item6.X-ABRELATEDNAMES;TYPE=pref:Byron", "item6.X-ABLABEL:_$!<Father>!$_", "IMPP;X-SERVICE-TYPE=Skype;TYPE=HOME,pref:skype:ada",
        "X-SOCIALPROFILE;TYPE=twitter;X-USER=ada:https://twitter.com/ada", "UID:6EB029FB-BBBB-4242-A054-C5F4392245BD",
      ],
    },
  },
  {
    program: "Google Contacts",
    lines: [
      "VERSION:3.0", "FN:Dr. Ada Lovelace", "N:Lovelace;Ada;;Dr.;", "NICKNAME:Countess", "EMAIL;TYPE=INTERNET;TYPE=HOME:ada@home.example",
      "item1.EMAIL;TYPE=INTERNET:ada@work.example", "item1.X-ABLabel:Laboratory", "TEL;TYPE=CELL:+1 202-555-0101",
      "item2.TEL:+1 202-555-0102", "item2.X-ABLabel:Work Fax",
      'ADR;TYPE=HOME;LABEL="12 Main St\\nBoston":;;12 Main St;Boston;MA;02101;US;12 Main St\\nBoston',
      "item3.ORG:Analytical Engines;Programs", "item3.TITLE:Analyst", "BDAY:1990-12-10", "item4.URL:https\\://example.org/blog",
      "item4.X-ABLabel:BLOG", "item5.X-ABDATE:20010203", "item5.X-ABLabel:_$!<Anniversary>!$_", "item6.X-ABRELATEDNAMES:Byron",
      "item6.X-ABLabel:Father", "NOTE:a note", "PHOTO:https://lh3.example.com/contacts/photo", "CATEGORIES:myContacts,Friends",
      "X-FILE-AS:Lovelace\\, Ada",
    ],
    person: {
      name: "Dr. Ada Lovelace", honorificPrefix: "Dr.", givenName: "Ada", familyName: "Lovelace", alternateName: "Countess",
      birthDate: "1990-12-10", anniversary: "2001-02-03", email: "ada@home.example",
      emails: [{ value: "ada@work.example", label: "Laboratory" }], telephone: "+1 202-555-0101",
      telephones: [{ value: "+1 202-555-0102", label: "Work Fax" }],
      address: { streetAddress: "12 Main St", addressLocality: "Boston", addressRegion: "MA", postalCode: "02101", addressCountry: "US" },
      jobTitle: "Analyst", worksFor: "Analytical Engines", department: "Programs", url: "https://example.org/blog",
      categories: ["myContacts", "Friends"], description: "a note",
      vCardProps: [
        "EMAIL;TYPE=home:", "TEL;TYPE=cell:", "ADR;TYPE=home;LABEL=12 Main St\\nBoston:;;;;;;;12 Main St\\nBoston", "item3.TITLE:",
        "item3.ORG:;", "item4.URL:", "item4.X-ABLABEL:BLOG", "item6.X-ABRELATEDNAMES:Byron", "item6.X-ABLABEL:Father",
        "PHOTO:https://lh3.example.com/contacts/photo", "X-FILE-AS:Lovelace\\, Ada",
      ],
    },
  },
  {
    program: "Outlook",
    lines: [
      "VERSION:2.1", "X-MS-SIGNATURE:YES", "N;LANGUAGE=de;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:M=FCller;Zo=EB;;Frau",
      "FN;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Zo=EB M=FCller", "ORG:Analytical Engines;Programs", "TITLE:Analyst",
      "TEL;WORK;VOICE:+49 711 1", "TEL;HOME;VOICE:+49 711 2", "TEL;CELL;VOICE:+49 170 3", "TEL;WORK;FAX:+49 711 4",
      "ADR;WORK;PREF;ENCODING=QUOTED-PRINTABLE:;;Hauptstr. 1=0D=0A2. Stock=", ";Stuttgart;;70173;Deutschland",
      "LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:Hauptstr. 1=0D=0A70173 Stuttgart", "X-MS-OL-DEFAULT-POSTAL-ADDRESS:2",
      "URL;WORK:https://example.org/", "BDAY:19901210", "EMAIL;PREF;INTERNET:zoe@example.org", "X-MS-ANNIVERSARY:20010203",
      "X-MS-IMADDRESS:zoe@im.example", "PHOTO;TYPE=JPEG;ENCODING=BASE64:", " /9j/4AAQSkZJRgABAQEAYABgAAD", "", "REV:20260615T120000Z",
    ],
    person: {
      name: "Zoë Müller", honorificPrefix: "Frau", givenName: "Zoë", familyName: "Müller", birthDate: "1990-12-10",
      email: "zoe@example.org", telephone: "+49 711 1",
      telephones: [
        { value: "+49 711 2", contexts: ["private"] }, { value: "+49 170 3", features: ["mobile"] },
        { value: "+49 711 4", contexts: ["work"], features: ["fax"] },
      ],
      address: { streetAddress: "Hauptstr. 1, 2. Stock", addressLocality: "Stuttgart", postalCode: "70173", addressCountry: "DE" },
      jobTitle: "Analyst", worksFor: "Analytical Engines", department: "Programs", url: "https://example.org/",
      vCardProps: [
        "N;LANGUAGE=de:;;;;", "TEL;TYPE=work:", "ADR;TYPE=work:", "URL;TYPE=work:", "X-MS-SIGNATURE:YES",
        "LABEL;TYPE=WORK,PREF:Hauptstr. 1\\n70173 Stuttgart", "X-MS-OL-DEFAULT-POSTAL-ADDRESS:2", "X-MS-ANNIVERSARY:20010203",
        "X-MS-IMADDRESS:zoe@im.example",
      ],
    },
  },
  {
    program: "Thunderbird",
    lines: [
      "VERSION:4.0", "EMAIL;PREF=1:ada@example.org", "EMAIL;TYPE=work:ada@work.example", "FN:Ada Lovelace", "NICKNAME:Ada,Countess",
      "N:Lovelace;Ada;;;", "BDAY;VALUE=DATE:--1210", "ANNIVERSARY;VALUE=DATE:20010203", "TEL;TYPE=work;VALUE=TEXT:+44 1",
      "TEL;TYPE=cell;VALUE=TEXT:+44 2", "ADR;TYPE=home:;;12 Main St;London;;W1;United Kingdom",
      "ADR;TYPE=work:;;1 Dorset St;London;;W1U;United Kingdom", "URL;TYPE=work;VALUE=URL:https://example.org/work", "TITLE:Analyst",
      "ROLE:Mathematician", "ORG:Analytical Engines;Programs", "IMPP:xmpp:ada@example.org", "TZ:Europe/London", "NOTE:a note",
      "X-CUSTOM1;VALUE=TEXT:own", "PHOTO;VALUE=URL:data:image/jpeg;base64,/9j/4AAQ", "UID:a2f7a0e5-0000-4000-8000-000000000001",
    ],
    person: {
      name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", alternateName: "Ada", anniversary: "2001-02-03",
      email: "ada@example.org", emails: [{ value: "ada@work.example", contexts: ["work"] }], telephone: "+44 1",
      telephones: [{ value: "+44 2", features: ["mobile"] }],
      address: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" },
      addresses: [
        {
          value: { streetAddress: "1 Dorset St", addressLocality: "London", postalCode: "W1U", addressCountry: "GB" }, contexts: ["work"],
        },
      ],
      jobTitle: "Analyst", worksFor: "Analytical Engines", department: "Programs", url: "https://example.org/work", description: "a note",
      vCardProps: [
        "TEL;TYPE=work:", "ADR;TYPE=home:", "URL;TYPE=work:", "NICKNAME:Countess", "BDAY;VALUE=DATE:--1210", "ROLE:Mathematician",
        "IMPP:xmpp:ada@example.org", "TZ:Europe/London", "X-CUSTOM1;VALUE=TEXT:own", "UID:a2f7a0e5-0000-4000-8000-000000000001",
      ],
    },
  },
  {
    program: "Nextcloud",
    lines: [
      "VERSION:4.0", "PRODID:-//Nextcloud Contacts v6.0.0", "UID:b1f7a0e5-0000-4000-8000-000000000002", "FN:Ada Lovelace",
      "N:Lovelace;Ada;;;", 'TEL;TYPE="HOME,VOICE":+44 1', "TEL;TYPE=CELL;PREF=1:+44 2", "EMAIL;TYPE=WORK:ada@work.example",
      "ADR;TYPE=HOME:;;12 Main St;London;;W1;United Kingdom", "LANG:en", "CATEGORIES:Friends,Press", "GENDER:F",
      "RELATED;TYPE=parent:Byron", "X-SOCIALPROFILE;TYPE=MASTODON:https://social.example/@ada", "TZ;VALUE=TEXT:Europe/London",
      "REV;VALUE=DATE-AND-OR-TIME:20260615T120000Z",
    ],
    person: {
      name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", email: "ada@work.example", telephone: "+44 2",
      telephones: [{ value: "+44 1", contexts: ["private"], features: ["voice"] }],
      address: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" }, knowsLanguage: "en",
      categories: ["Friends", "Press"],
      vCardProps: [
        "EMAIL;TYPE=work:", "TEL;TYPE=cell:", "ADR;TYPE=home:", "UID:b1f7a0e5-0000-4000-8000-000000000002", "GENDER:F",
        "RELATED;TYPE=parent:Byron", "X-SOCIALPROFILE;TYPE=MASTODON:https://social.example/@ada", "TZ;VALUE=TEXT:Europe/London",
      ],
    },
  },
];

const cardOf = (...lines: readonly string[]): string => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");

describe("an address book", () => {
  for (const { program, lines, person } of books) {
    it(`of ${program} is imported whole`, async () => {
      assert.deepEqual(await read(cardOf(...lines)), [person]);
    });

    it(`of ${program} comes back with every value, in both versions`, async () => {
      const [imported] = await read(cardOf(...lines));
      for (const { item } of [vcard, vcard3]) {
        const [again] = await read(item(recordOf(imported), options));
        const isLost = item === vcard3.item;
        const expected = isLost ? JSON.parse(JSON.stringify(imported).replace(',"features":["voice"]', "")) : imported;
        assert.deepEqual(again, expected);
      }
    });
  }

  it("has an address with what cards said of it, as long as there is an address", async () => {
    const [person] = await read(cardOf("VERSION:4.0", "FN:A", "ADR;LANGUAGE=en:Box 7;;Main St;Town;;;"));
    const { address, ...others } = person as { readonly address: object };
    assert.deepEqual(others, { name: "A", vCardProps: ["ADR;LANGUAGE=en:Box 7;;;;;;"] });
    const cardsOf = (members: object): string => vcard.item(recordOf(members), options);
    assert.match(cardsOf({ ...others, address }), /\nADR;LANGUAGE=en:Box 7;;Main St;Town;;;\r\n/);
    assert.match(cardsOf({ ...others, address: { postalCode: "1" } }), /\nADR;LANGUAGE=en:Box 7;;;;;1;\r\n/);
    assert.match(cardsOf(others), /\nADR;LANGUAGE=en:Box 7;;;;;;\r\n/);
    assert.doesNotMatch(cardsOf({ name: "A", vCardProps: ["ADR;TYPE=home:;;;;;;"] }), /ADR/);
  });

  it("keep the box of each address, also of several with the same types", async () => {
    for (const boxes of [
      ["", "", "Box 3"],
      ["Box 1", "Box 1", ""],
      ["", "Box 2", "", "Box 2", "Box 3"],
    ]) {
      const lines = boxes.map((box, i) => `ADR;TYPE=home:${box};;${i} Oak St;Town;;;`);
      const [person] = await read(cardOf("VERSION:4.0", "FN:A", ...lines));
      const sent = vcard.item(recordOf(person), options).match(/(?<=\n)ADR.*(?=\r)/g);
      assert.deepEqual(
        sent?.map((line) => line.replace(";PREF=1", "")),
        lines,
      );
    }
    const twice = [
      "ADR;TYPE=home:;;1 Oak St;Town;;;",
      "ADR;TYPE=home:;;1 Oak St;Town;;;",
      "ADR;TYPE=home:Box 2;;2 Oak St;Town;;;",
    ];
    const [person] = await read(cardOf("VERSION:4.0", "FN:A", ...twice));
    assert.match(vcard.item(recordOf(person), options), /:;;1 Oak St;Town;;;\r\n.*:Box 2;;2 Oak St;Town;;;\r\n/);
  });

  it("has each value with what cards said of it, whatever becomes of the others", async () => {
    const lines = [
      "EMAIL;X-LOGIN=ada;PREF=3:a@x.example",
      "EMAIL;PREF=1:b@x.example",
      "EMAIL;TYPE=work,old;PREF=2:c@x.example",
      "EMAIL;TYPE=home:a@x.example",
      "ADR;TYPE=home:;;1 Oak St;Town;;;",
      "ADR;TYPE=home;PREF=1:Box 7;;2 Oak St;Town;;;",
      'ADR;TYPE=work;GEO="geo:1":;;3 Oak St;Town;;;',
      "CATEGORIES;X-SET=1:press",
    ];
    const [person] = await read(cardOf("VERSION:4.0", "FN:A", ...lines));
    const oakStreet = (number: number) => ({ streetAddress: `${number} Oak St`, addressLocality: "Town" });
    assert.deepEqual(person, {
      name: "A",
      email: "b@x.example",
      emails: [
        { value: "a@x.example", vCardProp: "EMAIL;X-LOGIN=ada;PREF=3:" },
        { value: "c@x.example", contexts: ["work"], vCardProp: "EMAIL;TYPE=old;PREF=2:" },
      ],
      address: oakStreet(2),
      addresses: [
        { value: oakStreet(1), contexts: ["private"] },
        { value: oakStreet(3), contexts: ["work"], vCardProp: 'ADR;GEO="geo:1":;;;;;;' },
      ],
      categories: ["press"],
      vCardProps: ["ADR;TYPE=home:Box 7;;;;;;", "CATEGORIES;X-SET=1:"],
    });
    const sent = (of: unknown): readonly string[] | null =>
      vcard.item(recordOf(of), options).match(/(?<=\n)(?:EMAIL|ADR|CAT).*(?=\r)/g);
    const [a, b, c, , home, adr, work, categories] = lines;
    assert.deepEqual(sent(person), [b, a, c, adr, home, work, categories]);
    const { emails = [], ...others } = person as Person;
    assert.deepEqual(sent({ ...others, emails: emails.slice(1) })?.slice(0, 2), [b, c]);
  });

  const unreadable: readonly (readonly [line: string, kept?: string])[] = [
    ["BDAY;VALUE=text:circa 1800"],
    ["BDAY:29990101"],
    ["TEL;TYPE=work:1-800-FLOWERS"],
    ["TEL:+49 30 123\\,\\,45"],
    ["TEL:7"],
    ["URL:ftp://files.example/al"],
    ["EMAIL:/o=Example/cn=al"],
    ["ADR:;;Main 1;Town;;;Ruritania", "ADR:;;;;;;Ruritania"],
    ["LANG:en_US"],
    [`TITLE:${"x".repeat(201)}`],
  ];
  for (const [line, kept = line] of unreadable) {
    it(`is kept where no member can hold it: ${line.slice(0, 40)}`, async () => {
      for (const { item } of [vcard, vcard3]) {
        const [person] = await read(cardOf("VERSION:4.0", "FN:A", line));
        assert.deepEqual((person as Person).vCardProps, [kept]);
        assert.ok(item(recordOf(person), options).replaceAll("\r\n ", "").includes(`\n${line}\r`));
      }
    });
  }

  for (const [what, lines, name] of [
    ["an organisation", ["ORG:Cafe Nord", "TEL:+47 11 22"], "Cafe Nord"],
    ["a nickname", ["NICKNAME:Al", "EMAIL:al@b.example"], "Al"],
    ["an e-mail", ["EMAIL:al@b.example", "TEL:+47 11 22"], "al@b.example"],
    ["a telephone", ["TEL:+47 11 22"], "+47 11 22"],
    ["a telephone that no member can hold", ["TEL:1-800-FLOWERS"], "1-800-FLOWERS"],
  ] as const) {
    it(`is named by ${what} where there is nothing else`, async () => {
      const [person] = await read(cardOf("VERSION:3.0", "N:;;;;", "FN:", ...lines));
      assert.equal((person as Person).name, name);
    });
  }

  it("leaves nothing of an iPhone that says nothing", async () => {
    const lines = ["item3.ADR;TYPE=home:;;;;;;", "item3.X-ABADR:es", "ORG:;R&D", "TEL:\u202a+47\u00a012\u202c"];
    assert.deepEqual(await read(cardOf("VERSION:3.0", "FN:A", ...lines)), [
      { name: "A", telephone: "+47 12", department: "R&D" },
    ]);
  });

  for (const [what, lines] of [
    ["2,000 properties", Array.from({ length: 2000 }, (_, i) => `TEL:${i}`)],
    ["many long parameters", Array.from({ length: 100 }, (_, i) => `TEL${";A=b".repeat(1000)}:${i}`)],
  ] as const) {
    it(`is refused with ${what}, by name`, async () => {
      const found = await read(cardOf("VERSION:4.0", "FN:A", ...lines) + cardOf("VERSION:4.0", "FN:B"));
      const message = "has more than 2,000 properties, or 262,144 characters before their values";
      assert.deepEqual(found, [[{ message }], { name: "B" }]);
    });
  }

  const long = `X-LONG:${"a".repeat(4993)}`;
  const many = Array.from({ length: 51 }, (_, i) => `X-P${i}:${i}`);
  for (const [what, lines, line, detail, kept] of [
    ["a line that is cut off", ["EMAI"], 4, /not a property.*"EMAI"/, 0],
    ["a line with half a parameter", ["X-A:1", 'X-B;C="d:1'], 5, /not a property.*"X-B;C=/, 1],
    ["a property of 5,000 characters", ["X-A:1", long], 1, /no person can hold.*"X-LONG/, 1],
    ["more properties than a person keeps", many, 1, /no person can hold.*"X-P50:50"/, 50],
  ] as const) {
    it(`is stored without ${what}, which is noted`, async () => {
      const notes: (readonly [number, string])[] = [];
      const card = Buffer.from(cardOf("VERSION:4.0", "FN:A", ...lines));
      const values = decodeVcards(ReadableStream.from([card]), ourMembers, (...note) => notes.push(note));
      const [person] = await Array.fromAsync(values);
      assert.equal((person?.value as Person | undefined)?.vCardProps?.length ?? 0, kept);
      assert.deepEqual([notes.length, notes[0]?.[0]], [1, line]);
      assert.match(notes[0]?.[1] ?? "", detail);
    });
  }

  it("may have a large photo, which is left out", async () => {
    const photo = `PHOTO;ENCODING=b:${"A".repeat(5_000_000)}`;
    assert.deepEqual(await read(cardOf("VERSION:3.0", "FN:A", photo)), [{ name: "A" }]);
  });

  const impossible = [
    "END:VCARD",
    "BEGIN:VCARD",
    "VERSION:2.1",
    "x-lower:1",
    "X-A;b=1:1",
    "no property",
    "X-A;B=1;B=2:1",
  ];
  for (const line of [...impossible, "X-A\r\nEND:VCARD", "TEL:11", "EMAIL:a@b", "CATEGORIES:a"]) {
    it(`cannot be sent with the property ${JSON.stringify(line)}`, () => {
      const { issues } = personSchema()["~standard"].validate({ name: "A", vCardProps: [line] });
      assert.equal(issues?.length, 1);
    });
  }
});
