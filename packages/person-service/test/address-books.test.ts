import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StoredRecord } from "@waymark/collection";
import { HttpRequest } from "waymark";
import { ourMembers } from "../src/person/member-list.ts";
import type { Person } from "../src/person/person.ts";
import { personSchema } from "../src/person/schema.ts";
import { vcard3 as vcard3Of, vcard as vcardOf } from "../src/person/vcard.ts";
import { isoDates } from "../src/transfer/dates.ts";
import { toMembers } from "../src/transfer/values.ts";
import { decodeVcards } from "../src/transfer/vcard-decoder.ts";

/** Reads cards as an import does. */
async function read(text: string): Promise<readonly unknown[]> {
  const values = await Array.fromAsync(decodeVcards(ReadableStream.from([Buffer.from(text)]), ourMembers));
  return values.map(({ value, issues }) => {
    if (issues !== undefined) return issues;
    const result = personSchema()["~standard"].validate(toMembers(value, { members: ourMembers, dates: isoDates }));
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
const books: readonly AddressBook[] = [
  {
    program: "iOS",
    lines: [
      "VERSION:3.0",
      "PRODID:-//Apple Inc.//iPhone OS 17.0//EN",
      "N:Lovelace;Ada;King;Countess;",
      "FN:Countess Ada King Lovelace",
      "NICKNAME:Ada",
      "X-PHONETIC-FIRST-NAME:Ayda",
      "ORG:Analytical Engines;Programs",
      "TITLE:Analyst",
      "EMAIL;type=INTERNET;type=HOME;type=pref:ada@home.example",
      "item1.EMAIL;type=INTERNET:ada@club.example",
      "item1.X-ABLabel:chess club",
      "TEL;type=IPHONE;type=CELL;type=VOICE;type=pref:+44 20 7946 0001",
      "TEL;type=MAIN:+44 20 7946 0002",
      "TEL;type=OTHER;type=VOICE:+44 20 7946 0003",
      "item2.ADR;type=HOME;type=pref:;;12 St James's Sq\\nFlat 2;London;;SW1Y 4JH;United Kingdom",
      "item2.X-ABADR:gb",
      "item3.ADR;type=WORK:;;1 Dorset St;London;;W1U 4EE;United Kingdom",
      "item3.X-ABLabel:_$!<Studio>!$_",
      "item4.URL;type=pref:https\\://example.org/ada",
      "item4.X-ABLabel:_$!<HomePage>!$_",
      "BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10",
      "item5.X-ABDATE;type=pref:1835-07-08",
      "item5.X-ABLabel:_$!<Anniversary>!$_",
      "item6.X-ABRELATEDNAMES;type=pref:Byron",
      "item6.X-ABLabel:_$!<Father>!$_",
      "IMPP;X-SERVICE-TYPE=Skype;type=HOME;type=pref:skype:ada",
      "X-SOCIALPROFILE;type=twitter;x-user=ada:https://twitter.com/ada",
      "NOTE:first\\nsecond",
      "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQSkZJRgABAQAAAQABAAD",
      " AAAAAAA=",
      "UID:6EB029FB-BBBB-4242-A054-C5F4392245BD",
      "REV:2018-02-21T05:34:09Z",
    ],
    person: {
      name: "Countess Ada King Lovelace",
      honorificPrefix: "Countess",
      givenName: "Ada",
      additionalName: "King",
      familyName: "Lovelace",
      alternateName: "Ada",
      email: "ada@home.example",
      emails: [
        { value: "ada@home.example", contexts: ["private"], preferred: true },
        { value: "ada@club.example", label: "chess club" },
      ],
      telephone: "+44 20 7946 0001",
      telephones: [
        { value: "+44 20 7946 0001", features: ["mobile"], preferred: true },
        { value: "+44 20 7946 0002", features: ["main-number"] },
        { value: "+44 20 7946 0003", label: "other" },
      ],
      address: {
        streetAddress: "12 St James's Sq, Flat 2",
        addressLocality: "London",
        postalCode: "SW1Y 4JH",
        addressCountry: "GB",
      },
      addresses: [
        {
          value: {
            streetAddress: "12 St James's Sq, Flat 2",
            addressLocality: "London",
            postalCode: "SW1Y 4JH",
            addressCountry: "GB",
          },
          contexts: ["private"],
          preferred: true,
        },
        {
          value: {
            streetAddress: "1 Dorset St",
            addressLocality: "London",
            postalCode: "W1U 4EE",
            addressCountry: "GB",
          },
          contexts: ["work"],
          label: "Studio",
        },
      ],
      jobTitle: "Analyst",
      worksFor: "Analytical Engines",
      url: "https://example.org/ada",
      description: "first\nsecond",
      vCardProps: [
        "item2.ADR;TYPE=home:;;;;;;",
        "ORG:;Programs",
        "X-PHONETIC-FIRST-NAME:Ayda",
        "item2.X-ABADR:gb",
        "BDAY;X-APPLE-OMIT-YEAR=1604:1604-12-10",
        "item5.X-ABDATE;TYPE=pref:1835-07-08",
        "item5.X-ABLABEL:_$!<Anniversary>!$_",
        "item6.X-ABRELATEDNAMES;TYPE=pref:Byron",
        "item6.X-ABLABEL:_$!<Father>!$_",
        "IMPP;X-SERVICE-TYPE=Skype;TYPE=HOME,pref:skype:ada",
        "X-SOCIALPROFILE;TYPE=twitter;X-USER=ada:https://twitter.com/ada",
        "UID:6EB029FB-BBBB-4242-A054-C5F4392245BD",
      ],
    },
  },
  {
    program: "Google Contacts",
    lines: [
      "VERSION:3.0",
      "FN:Dr. Ada Lovelace",
      "N:Lovelace;Ada;;Dr.;",
      "NICKNAME:Countess",
      "EMAIL;TYPE=INTERNET;TYPE=HOME:ada@home.example",
      "item1.EMAIL;TYPE=INTERNET:ada@work.example",
      "item1.X-ABLabel:Laboratory",
      "TEL;TYPE=CELL:+1 202-555-0101",
      "item2.TEL:+1 202-555-0102",
      "item2.X-ABLabel:Work Fax",
      'ADR;TYPE=HOME;LABEL="12 Main St\\nBoston":;;12 Main St;Boston;MA;02101;US;12 Main St\\nBoston',
      "item3.ORG:Analytical Engines;Programs",
      "item3.TITLE:Analyst",
      "BDAY:1990-12-10",
      "item4.URL:https\\://example.org/blog",
      "item4.X-ABLabel:BLOG",
      "item5.X-ABDATE:20010203",
      "item5.X-ABLabel:_$!<Anniversary>!$_",
      "item6.X-ABRELATEDNAMES:Byron",
      "item6.X-ABLabel:Father",
      "NOTE:a note",
      "PHOTO:https://lh3.example.com/contacts/photo",
      "CATEGORIES:myContacts,Friends",
      "X-FILE-AS:Lovelace\\, Ada",
    ],
    person: {
      name: "Dr. Ada Lovelace",
      honorificPrefix: "Dr.",
      givenName: "Ada",
      familyName: "Lovelace",
      alternateName: "Countess",
      birthDate: "1990-12-10",
      email: "ada@home.example",
      emails: [
        { value: "ada@home.example", contexts: ["private"], preferred: true },
        { value: "ada@work.example", label: "Laboratory" },
      ],
      telephone: "+1 202-555-0101",
      telephones: [
        { value: "+1 202-555-0101", features: ["mobile"], preferred: true },
        { value: "+1 202-555-0102", label: "Work Fax" },
      ],
      address: {
        streetAddress: "12 Main St",
        addressLocality: "Boston",
        addressRegion: "MA",
        postalCode: "02101",
        addressCountry: "US",
      },
      addresses: [
        {
          value: {
            streetAddress: "12 Main St",
            addressLocality: "Boston",
            addressRegion: "MA",
            postalCode: "02101",
            addressCountry: "US",
          },
          contexts: ["private"],
          preferred: true,
        },
      ],
      jobTitle: "Analyst",
      worksFor: "Analytical Engines",
      url: "https://example.org/blog",
      urls: [{ value: "https://example.org/blog", label: "BLOG", preferred: true }],
      categories: ["myContacts", "Friends"],
      description: "a note",
      vCardProps: [
        "ADR;TYPE=home;LABEL=12 Main St\\nBoston:;;;;;;;12 Main St\\nBoston",
        "item3.TITLE:",
        "item3.ORG:;Programs",
        "item5.X-ABDATE:20010203",
        "item5.X-ABLABEL:_$!<Anniversary>!$_",
        "item6.X-ABRELATEDNAMES:Byron",
        "item6.X-ABLABEL:Father",
        "PHOTO:https://lh3.example.com/contacts/photo",
        "X-FILE-AS:Lovelace\\, Ada",
      ],
    },
  },
  {
    program: "Outlook",
    lines: [
      "VERSION:2.1",
      "X-MS-SIGNATURE:YES",
      "N;LANGUAGE=de;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:M=FCller;Zo=EB;;Frau",
      "FN;CHARSET=Windows-1252;ENCODING=QUOTED-PRINTABLE:Zo=EB M=FCller",
      "ORG:Analytical Engines;Programs",
      "TITLE:Analyst",
      "TEL;WORK;VOICE:+49 711 1",
      "TEL;HOME;VOICE:+49 711 2",
      "TEL;CELL;VOICE:+49 170 3",
      "TEL;WORK;FAX:+49 711 4",
      "ADR;WORK;PREF;ENCODING=QUOTED-PRINTABLE:;;Hauptstr. 1=0D=0A2. Stock=",
      ";Stuttgart;;70173;Deutschland",
      "LABEL;WORK;PREF;ENCODING=QUOTED-PRINTABLE:Hauptstr. 1=0D=0A70173 Stuttgart",
      "X-MS-OL-DEFAULT-POSTAL-ADDRESS:2",
      "URL;WORK:https://example.org/",
      "BDAY:19901210",
      "EMAIL;PREF;INTERNET:zoe@example.org",
      "X-MS-ANNIVERSARY:20010203",
      "X-MS-IMADDRESS:zoe@im.example",
      "PHOTO;TYPE=JPEG;ENCODING=BASE64:",
      " /9j/4AAQSkZJRgABAQEAYABgAAD",
      "",
      "REV:20260615T120000Z",
    ],
    person: {
      name: "Zoë Müller",
      honorificPrefix: "Frau",
      givenName: "Zoë",
      familyName: "Müller",
      birthDate: "1990-12-10",
      email: "zoe@example.org",
      telephone: "+49 711 1",
      telephones: [
        { value: "+49 711 1", contexts: ["work"], preferred: true },
        { value: "+49 711 2", contexts: ["private"] },
        { value: "+49 170 3", features: ["mobile"] },
        { value: "+49 711 4", contexts: ["work"], features: ["fax"] },
      ],
      address: {
        streetAddress: "Hauptstr. 1, 2. Stock",
        addressLocality: "Stuttgart",
        postalCode: "70173",
        addressCountry: "DE",
      },
      addresses: [
        {
          value: {
            streetAddress: "Hauptstr. 1, 2. Stock",
            addressLocality: "Stuttgart",
            postalCode: "70173",
            addressCountry: "DE",
          },
          contexts: ["work"],
          preferred: true,
        },
      ],
      jobTitle: "Analyst",
      worksFor: "Analytical Engines",
      url: "https://example.org/",
      urls: [{ value: "https://example.org/", contexts: ["work"], preferred: true }],
      vCardProps: [
        "N;LANGUAGE=de:;;;;",
        "ORG:;Programs",
        "X-MS-SIGNATURE:YES",
        "LABEL;TYPE=WORK,PREF:Hauptstr. 1\\n70173 Stuttgart",
        "X-MS-OL-DEFAULT-POSTAL-ADDRESS:2",
        "X-MS-ANNIVERSARY:20010203",
        "X-MS-IMADDRESS:zoe@im.example",
      ],
    },
  },
  {
    program: "Thunderbird",
    lines: [
      "VERSION:4.0",
      "EMAIL;PREF=1:ada@example.org",
      "EMAIL;TYPE=work:ada@work.example",
      "FN:Ada Lovelace",
      "NICKNAME:Ada,Countess",
      "N:Lovelace;Ada;;;",
      "BDAY;VALUE=DATE:--1210",
      "ANNIVERSARY;VALUE=DATE:20010203",
      "TEL;TYPE=work;VALUE=TEXT:+44 1",
      "TEL;TYPE=cell;VALUE=TEXT:+44 2",
      "ADR;TYPE=home:;;12 Main St;London;;W1;United Kingdom",
      "ADR;TYPE=work:;;1 Dorset St;London;;W1U;United Kingdom",
      "URL;TYPE=work;VALUE=URL:https://example.org/work",
      "TITLE:Analyst",
      "ROLE:Mathematician",
      "ORG:Analytical Engines;Programs",
      "IMPP:xmpp:ada@example.org",
      "TZ:Europe/London",
      "NOTE:a note",
      "X-CUSTOM1;VALUE=TEXT:own",
      "PHOTO;VALUE=URL:data:image/jpeg;base64,/9j/4AAQ",
      "UID:a2f7a0e5-0000-4000-8000-000000000001",
    ],
    person: {
      name: "Ada Lovelace",
      givenName: "Ada",
      familyName: "Lovelace",
      alternateName: "Ada",
      anniversary: "2001-02-03",
      email: "ada@example.org",
      emails: [
        { value: "ada@example.org", preferred: true },
        { value: "ada@work.example", contexts: ["work"] },
      ],
      telephone: "+44 1",
      telephones: [
        { value: "+44 1", contexts: ["work"], preferred: true },
        { value: "+44 2", features: ["mobile"] },
      ],
      address: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" },
      addresses: [
        {
          value: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" },
          contexts: ["private"],
          preferred: true,
        },
        {
          value: { streetAddress: "1 Dorset St", addressLocality: "London", postalCode: "W1U", addressCountry: "GB" },
          contexts: ["work"],
        },
      ],
      jobTitle: "Analyst",
      worksFor: "Analytical Engines",
      url: "https://example.org/work",
      urls: [{ value: "https://example.org/work", contexts: ["work"], preferred: true }],
      description: "a note",
      vCardProps: [
        "ORG:;Programs",
        "NICKNAME:Countess",
        "BDAY;VALUE=DATE:--1210",
        "ROLE:Mathematician",
        "IMPP:xmpp:ada@example.org",
        "TZ:Europe/London",
        "X-CUSTOM1;VALUE=TEXT:own",
        "UID:a2f7a0e5-0000-4000-8000-000000000001",
      ],
    },
  },
  {
    program: "Nextcloud",
    lines: [
      "VERSION:4.0",
      "PRODID:-//Nextcloud Contacts v6.0.0",
      "UID:b1f7a0e5-0000-4000-8000-000000000002",
      "FN:Ada Lovelace",
      "N:Lovelace;Ada;;;",
      'TEL;TYPE="HOME,VOICE":+44 1',
      "TEL;TYPE=CELL;PREF=1:+44 2",
      "EMAIL;TYPE=WORK:ada@work.example",
      "ADR;TYPE=HOME:;;12 Main St;London;;W1;United Kingdom",
      "LANG:en",
      "CATEGORIES:Friends,Press",
      "GENDER:F",
      "RELATED;TYPE=parent:Byron",
      "X-SOCIALPROFILE;TYPE=MASTODON:https://social.example/@ada",
      "TZ;VALUE=TEXT:Europe/London",
      "REV;VALUE=DATE-AND-OR-TIME:20260615T120000Z",
    ],
    person: {
      name: "Ada Lovelace",
      givenName: "Ada",
      familyName: "Lovelace",
      email: "ada@work.example",
      emails: [{ value: "ada@work.example", contexts: ["work"], preferred: true }],
      telephone: "+44 2",
      telephones: [
        { value: "+44 1", contexts: ["private"], features: ["voice"] },
        { value: "+44 2", features: ["mobile"], preferred: true },
      ],
      address: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" },
      addresses: [
        {
          value: { streetAddress: "12 Main St", addressLocality: "London", postalCode: "W1", addressCountry: "GB" },
          contexts: ["private"],
          preferred: true,
        },
      ],
      knowsLanguage: "en",
      categories: ["Friends", "Press"],
      vCardProps: [
        "UID:b1f7a0e5-0000-4000-8000-000000000002",
        "GENDER:F",
        "RELATED;TYPE=parent:Byron",
        "X-SOCIALPROFILE;TYPE=MASTODON:https://social.example/@ada",
        "TZ;VALUE=TEXT:Europe/London",
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

  it("has each address with what cards said of it, by its types and its place among them", async () => {
    const lines = [
      "ADR;TYPE=home:;;1 Oak St;Town;;;",
      "ADR;TYPE=home;PREF=1:Box 7;;2 Oak St;Town;;;",
      'ADR;TYPE=work;GEO="geo:1":;;3 Oak St;Town;;;',
      "ADR:;;4 Oak St;Town;;;",
      "ADR;TYPE=home:;;1 Oak St;Town;;;",
    ];
    const [person] = await read(cardOf("VERSION:4.0", "FN:A", ...lines));
    const { addresses, vCardProps } = person as Person;
    assert.deepEqual(
      addresses?.map(({ value, ...said }) => [value.streetAddress, said]),
      [
        ["1 Oak St", { contexts: ["private"] }],
        ["2 Oak St", { contexts: ["private"], preferred: true }],
        ["3 Oak St", { contexts: ["work"] }],
        ["4 Oak St", {}],
      ],
    );
    assert.deepEqual(vCardProps, [
      "ADR;TYPE=home:;;;;;;",
      "ADR;TYPE=home:Box 7;;;;;;",
      'ADR;TYPE=work;GEO="geo:1":;;;;;;',
    ]);
    const sent = vcard.item(recordOf(person), options).match(/(?<=\n)ADR.*(?=\r)/g);
    assert.deepEqual(sent, [
      ...lines.slice(0, 2),
      'ADR;TYPE=work;GEO="geo:1":;;3 Oak St;Town;;;',
      "ADR:;;4 Oak St;Town;;;",
    ]);
  });

  const refused: readonly (readonly [what: string, lines: readonly string[], issues: object])[] = [
    [
      "1,000 properties that no member is for",
      Array.from({ length: 1000 }, (_, i) => `X-P${i}:${i}`),
      [{ path: ["vCardProps"], message: "has 1000 values; at most 50 are allowed" }],
    ],
    [
      "2,000 properties",
      Array.from({ length: 2000 }, (_, i) => `TEL:${i}`),
      [{ message: "has more than 2,000 properties, or 262,144 characters before their values" }],
    ],
    [
      "many long parameters",
      Array.from({ length: 100 }, (_, i) => `TEL${";A=b".repeat(1000)}:${i}`),
      [{ message: "has more than 2,000 properties, or 262,144 characters before their values" }],
    ],
    [
      "a property of 5,000 characters",
      ["X-A:1", `X-LONG:${"a".repeat(4993)}`],
      [{ path: ["vCardProps", 1], message: "must have 1 to 4000 characters, not 5000" }],
    ],
    ["a line that is cut off", ["EMAI"], [{ message: "is not a vCard of version 2.1, 3.0 or 4.0" }]],
    ["a line with half a parameter", ['X-A;B="c:1'], [{ message: "is not a vCard of version 2.1, 3.0 or 4.0" }]],
  ];
  for (const [what, lines, issues] of refused) {
    it(`is refused with ${what}, by name`, async () => {
      const found = await read(cardOf("VERSION:4.0", "FN:A", ...lines) + cardOf("VERSION:4.0", "FN:B"));
      assert.deepEqual(found, [issues, { name: "B" }]);
    });
  }

  it("may have a large photo, which is left out", async () => {
    const photo = `PHOTO;ENCODING=b:${"A".repeat(5_000_000)}`;
    assert.deepEqual(await read(cardOf("VERSION:3.0", "FN:A", photo)), [{ name: "A" }]);
  });

  const impossible: readonly string[] = [
    "END:VCARD",
    "BEGIN:VCARD",
    "VERSION:2.1",
    "x-lower:1",
    "X-A;b=1:1",
    "no property",
    "X-A;B=1;B=2:1",
    "X-A\r\nEND:VCARD",
    "TEL:1",
    "CATEGORIES:a",
  ];
  for (const line of impossible) {
    it(`cannot be sent with the property ${JSON.stringify(line)}`, () => {
      const { issues } = personSchema()["~standard"].validate({ name: "A", vCardProps: [line] }) as {
        issues?: object[];
      };
      assert.equal(issues?.length, 1);
    });
  }
});
