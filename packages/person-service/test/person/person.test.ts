import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { anyCharacter, anyText } from "../../../waymark/test/tools/any-text.ts";
import { countryCodes } from "../../src/person/members/countries.ts";
import { ourMembers } from "../../src/person/members/member-list.ts";
import { personSchema, personSchemas } from "../../src/person/schema.ts";
import { legalPerson, line } from "./legal-person.ts";

const { validate, jsonSchema } = personSchema(() => new Date("2026-06-15T12:00:00Z"))["~standard"];

/** The faults of a value by the paths of its members, `""` for the whole. */
function faultsOf(value: unknown): Record<string, string> {
  const faults = (validate(value).issues ?? []).map(({ path = [], message }) => [path.join("."), message] as const);
  assert.equal(new Set(faults.map(([path]) => path)).size, faults.length, "one fault a member");
  return Object.fromEntries(faults);
}

/** A person named Ada with this value at this path. */
function personWith(path: string, value: unknown): Record<string, unknown> {
  const [member = "", part] = path.split(".");
  return { name: "Ada", [member]: part === undefined ? value : { [part]: value } };
}

/** Text of this many characters. */
const letters = (count: number): string => "a".repeat(count);

interface Rules {
  readonly path: string;
  readonly valid: readonly unknown[];
  /** Values by the message that each must give. */
  readonly invalid: Readonly<Record<string, readonly unknown[]>>;
}

/** Both sides of both bounds, in letters and in emoji of two UTF-16 units each. */
function lengths(path: string, min: number, max: number): Rules {
  const message = (length: number): string =>
    `must have ${min} to ${max} characters${length === 0 ? "; it is empty" : `, not ${length}`}`;
  return {
    path,
    valid: [letters(min), letters(max), "😀".repeat(max)],
    invalid: { [message(max + 1)]: [letters(max + 1), "😀".repeat(max + 1)], ...(min > 0 && { [message(0)]: [""] }) },
  };
}

const integerId = (what: string): string => `must be an integer from 1 to 9007199254740991, not ${what}`;
const date = (what: string): string => `must be a date as YYYY-MM-DD such as 1815-12-10, not ${what}`;
const country = (what: string): string =>
  `must be an ISO 3166-1 alpha-2 country code in capitals such as NO, not ${what}`;
const language = (what: string): string => `must be a BCP 47 language tag such as en, pt-BR or zh-Hans, not ${what}`;
const absoluteUrl = "must be an absolute http or https URL such as https://example.org/ada";
const phoneNumber =
  "must be digits with spaces and + - . ( ) / between them, and perhaps an extension at the end such as x123";

// biome-ignore format: a table
const members: readonly Rules[] = [
  {
    path: "id",
    valid: [1, 1.0, 9007199254740991],
    invalid: {
      [integerId("0")]: [0, -0],
      [integerId("-1")]: [-1],
      [integerId("1.5")]: [1.5],
      [integerId("9007199254740992")]: [2 ** 53],
      [integerId("Infinity")]: [JSON.parse("1e400")],
      [integerId("a string")]: ["1", ""],
    },
  },
  lengths("name", 1, 200),
  lengths("givenName", 1, 100),
  lengths("additionalName", 1, 100),
  lengths("familyName", 1, 100),
  lengths("alternateName", 1, 100),
  lengths("address.streetAddress", 1, 300),
  lengths("address.addressLocality", 1, 100),
  lengths("address.addressRegion", 1, 100),
  lengths("address.postalCode", 1, 20),
  lengths("jobTitle", 1, 200),
  lengths("worksFor", 1, 200),
  lengths("description", 0, 4000),
  lengths("identifier", 1, 255),
  {
    path: "birthDate",
    valid: ["2026-06-15", "1815-12-10", "0001-01-01", "2024-02-29", "2000-02-29", "1999-12-31", "1999-04-30"],
    invalid: {
      "must not be in the future; today is 2026-06-15 in UTC": ["2026-06-16", "2027-01-01", "9999-12-31"],
      "must be a real date, and 2023-02 has the days 01 to 28": ["2023-02-29", "2023-02-00"],
      "must be a real date, and 1900-02 has the days 01 to 28": ["1900-02-29"],
      "must be a real date, and 2024-02 has the days 01 to 29": ["2024-02-30"],
      "must be a real date, and 1999-04 has the days 01 to 30": ["1999-04-31"],
      "must be a real date, and 1999-12 has the days 01 to 31": ["1999-12-32"],
      "must be a real date; there is no month 00": ["1999-00-01"],
      "must be a real date; there is no month 13": ["1999-13-01"],
      "must be a real date; there is no year 0000": ["0000-01-01"],
      [date('""')]: [""],
      [date('"1999-1-1"')]: ["1999-1-1"],
      [date('" 1999-01-01"')]: [" 1999-01-01"],
      [date('"1999-01-01\\n"')]: ["1999-01-01\n"],
      [date('"+010000-01-01"')]: ["+010000-01-01"],
      [date('"١٩٩٩-٠١-٠١"')]: ["١٩٩٩-٠١-٠١"],
      [date(`"${letters(40)}…"`)]: [letters(41), letters(100_000)],
      [date('"\\u007f\\u009b\\u202e\\u2028\\ufeff"')]: ["\u007f\u009b\u202e\u2028\ufeff"],
    },
  },
  {
    path: "email",
    valid: ["a@b", `${letters(250)}@b.c`, `${"😀".repeat(252)}@b`, "Ada+x@Example.ORG", "ü@münchen.de", '"a"@[::1]'],
    invalid: {
      "must have 3 to 254 characters, not 2": ["a@", "@b"],
      "must have 3 to 254 characters, not 255": [`${letters(251)}@b.c`],
      "must have one @ as in ada@example.org, not 0": ["ada"],
      "must have one @ as in ada@example.org, not 2": ["a@b@c"],
      "must have something before the @, as in ada@example.org": ["@example.org"],
      "must have something after the @, as in ada@example.org": ["ada@"],
      "must not contain spaces": ["a da@example.org", "ada@exa\u00A0mple.org"],
    },
  },
  {
    path: "telephone",
    valid: [
      "11", "1".repeat(40), "+44 (0)20 7946 0000", "202-224-3441", "030/123.45", "555-1234 x12", "555-1234x12", "555-1234 ext. 12",
      "555-1234 EXT 12", "555-1234 extension 12", "+1-201-555-0123;ext=12", "555 #12",
    ],
    invalid: {
      "must have 2 to 40 characters, not 1": ["1"],
      "must have 2 to 40 characters, not 41": ["1".repeat(41)],
      [phoneNumber]: ["ask Ada", "+-", "555-CALL", "x12", "555 x", "1x2x3", "٠١٢٣", "555,12"],
    },
  },
  {
    path: "address.addressCountry",
    valid: [...countryCodes],
    invalid: {
      [country('""')]: [""],
      [country('"us"')]: ["us"],
      [country('"UK"')]: ["UK"],
      [country(`"${"😀".repeat(40)}…"`)]: ["😀".repeat(41)],
    },
  },
  {
    path: "url",
    valid: [
      "http://a", `https://example.org/${letters(2028)}`, "HTTPS://Example.ORG:8443/a%20b?q=@#@", "https://[2001:db8::1]/",
      "https://münchen.de/straße",
    ],
    invalid: {
      "must have 1 to 2048 characters; it is empty": [""],
      "must have 1 to 2048 characters, not 2049": [`https://example.org/${letters(2029)}`],
      [absoluteUrl]: [
        "example.org", "//example.org", "ftp://example.org", "javascript:alert(1)", "https:example.org", "https://", "https:///example.org",
        "https:\\\\example.org", "https://example.org/a b", "https://example.org:65536/", "https://exa%mple.org/", 'https://example.org/"><b>',
      ],
      "must not contain a user name or password before the host": [
        "https://ada@example.org/", "https://ada:secret@example.org/", "https://:@example.org/", "https://a@b@example.org",
      ],
    },
  },
  {
    path: "knowsLanguage",
    valid: [
      "en", "EN-us", "pt-BR", "zh-Hans-CN", "zh-yue", "de-CH-1901", "sl-rozaj-biske", "es-419", "en-u-ca-gregory-x-mine", "x-elvish",
      "i-klingon", "en-GB-oed", `x-${letters(8)}${"-aaaaaaaa".repeat(27)}-aa`.slice(0, 255),
    ],
    invalid: {
      ...Object.fromEntries(
        ["", "e", "en_US", "en, fr", "en-", "en-a", "en-u", "english language", "abcdefghi"].map((tag) => [language(`"${tag}"`), [tag]]),
      ),
      [language('"x-aaaaaaaa-aaaaaaaa-aaaaaaaa-aaaaaaaa-aa…"')]: [`x${"-aaaaaaaa".repeat(29)}`],
    },
  },
];

describe("personSchema", () => {
  for (const { path, valid, invalid } of members) {
    describe(path, () => {
      it("is kept as sent where it is right", () => {
        for (const value of valid) {
          assert.deepEqual(validate(personWith(path, value)), { value: personWith(path, value) });
        }
      });

      for (const [message, values] of Object.entries(invalid)) {
        it(message, () => {
          for (const value of values) assert.deepEqual(faultsOf(personWith(path, value)), { [path]: message });
        });
      }
    });
  }

  describe("every text", () => {
    const lines = members.map(({ path }) => path).filter((path) => path !== "id");
    const free = lines.filter((path) => !/birthDate|addressCountry|knowsLanguage/.test(path));

    for (const path of lines) {
      it(`${path} must be a string`, () => {
        for (const [value, what] of [
          [1, "a number"],
          [true, "a boolean"],
          [["a"], "an array"],
          [{ a: 1 }, "an object"],
        ]) {
          assert.deepEqual(faultsOf(personWith(path, value)), { [path]: `must be a string, not ${what}` });
        }
      });
    }

    for (const path of free) {
      it(`${path} has no character that JSON, XML or PostgreSQL would refuse`, () => {
        const isText = path === "description";
        const controls = isText ? "control characters but TAB and LF" : "control characters";
        const refused = [
          [controls, `\0\b\v\r\u001F\u007F\u0085\u009F${isText ? "" : "\t\n"}`],
          ["lone surrogates", "\uD800"],
          ["lone surrogates", "\uDFFF"],
          ["noncharacters", "\uFFFE\uFFFF"],
        ].flatMap(([kind, characters = ""]) => Array.from(characters, (character) => [kind, character] as const));
        for (const [kind, character] of refused) {
          const name = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
          const fault = { [path]: `must not contain ${kind}: character 2 is ${name}` };
          assert.deepEqual(faultsOf(personWith(path, `😀${character}b`)), fault);
          assert.deepEqual(Object.keys(faultsOf(personWith(path, `${character}b`))), [path]);
        }
      });

      it(`${path} is only measured when it is far too long`, () => {
        for (const piece of ["\u0000", " ", "😀\ud800"]) {
          const [fault] = Object.values(faultsOf(personWith(path, piece.repeat(10_000))));
          assert.match(fault ?? "", /^must have \d+ to \d+ characters, not [12]0000$/);
        }
      });

      it(`${path} is not blank`, () => {
        const fault = { [path]: "must not be blank; it has no visible character" };
        for (const blank of [" ", "   ", "\u00A0", "\u3000", "\u200B", "\uFEFF", "\u2060 \u00AD"]) {
          assert.deepEqual(faultsOf(personWith(path, blank)), fault);
        }
      });
    }

    for (const path of free.filter((path) => path !== "description")) {
      it(`${path} has no white space at its ends, which nobody would see`, () => {
        const fault = "must not begin or end with white space; it";
        assert.deepEqual(faultsOf(personWith(path, " 11")), { [path]: `${fault} begins with U+0020` });
        assert.deepEqual(faultsOf(personWith(path, "11\u00A0")), { [path]: `${fault} ends with U+00A0` });
      });
    }

    it("keeps inner spaces, scripts, combining marks, joiners and odd spellings as they are sent", () => {
      const kept = ["Ada  King", "Ｊosé", "José", "Jose\u0301", "👩‍👩‍👧", "\u200Fشهد", "\uE000", "\u{10FFFF}", "null"];
      for (const name of kept) assert.deepEqual(validate({ name }), { value: { name } });
    });

    it("lets a description have lines, tabs and spaces at its ends", () => {
      const description = "\tOne\n\n  two \n";
      assert.deepEqual(validate({ name: "Ada", description }), { value: { name: "Ada", description } });
    });
  });

  describe("name", () => {
    it("is required where there is no givenName or familyName", () => {
      const message = "is required where there is no givenName or familyName";
      for (const nameless of [{}, { name: null }, { email: "a@b", givenName: null }, { additionalName: "King" }]) {
        assert.deepEqual(faultsOf(nameless), { name: message });
      }
      assert.deepEqual(Object.keys(faultsOf({ email: "a", jobTitle: "" })), ["name", "email", "jobTitle"]);
    });

    it("is not asked for where the name it would come from is wrong", () => {
      assert.deepEqual(Object.keys(faultsOf({ givenName: "" })), ["givenName"]);
    });

    const [given, family, emoji] = [letters(100), letters(99), "😀".repeat(100)];
    const derived: readonly (readonly [parts: Readonly<Record<string, string>>, name: string])[] = [
      [{ givenName: "Ada" }, "Ada"],
      [{ familyName: "Lovelace" }, "Lovelace"],
      [{ givenName: "Ada", additionalName: "King", familyName: "Lovelace" }, "Ada King Lovelace"],
      [{ givenName: "Ada", additionalName: "King" }, "Ada King"],
      // With more than 200 characters it leaves out the additionalName, then the givenName.
      [{ givenName: emoji, familyName: emoji.slice(2) }, `${emoji} ${emoji.slice(2)}`],
      [{ givenName: given, additionalName: "King", familyName: family }, `${given} ${family}`],
      [{ givenName: given, familyName: "b".repeat(100) }, "b".repeat(100)],
    ];
    for (const [parts, name] of derived) {
      it(`is derived from ${Object.values(parts).map((part) => part.slice(0, 9))} as ${name.slice(0, 30)}`, () => {
        assert.deepEqual(validate(parts), { value: { ...parts, name } });
      });
    }

    it("stands where it would stand had it been given", () => {
      const derived = validate({ familyName: "Lovelace", id: 7, email: "a@b" });
      assert(derived.issues === undefined);
      assert.equal(JSON.stringify(derived.value), '{"id":7,"name":"Lovelace","familyName":"Lovelace","email":"a@b"}');
      const unnumbered = validate({ givenName: "Ada" });
      assert.equal(JSON.stringify(unnumbered), '{"value":{"name":"Ada","givenName":"Ada"}}');
    });

    it("is kept where it is given", () => {
      const person = { name: "Countess", givenName: "Ada" };
      assert.deepEqual(validate(person), { value: person });
    });
  });

  describe("address", () => {
    const atLeastOne =
      "must have at least one of streetAddress, addressLocality, addressRegion, postalCode, addressCountry";

    it("has at least one member", () => {
      for (const address of [{}, { postalCode: null }, { streetAddress: null, addressCountry: null }]) {
        assert.deepEqual(faultsOf({ name: "Ada", address }), { address: atLeastOne });
      }
    });

    it("is an object", () => {
      for (const [address, what] of [
        ["W1", "a string"],
        [["W1"], "an array"],
        [1, "a number"],
      ]) {
        assert.deepEqual(faultsOf({ name: "Ada", address }), {
          address: `must be an object with members such as streetAddress and addressLocality, not ${what}`,
        });
      }
    });

    it("refuses members that it does not have by name", () => {
      const names = ["zip", "name", "createdAt", "__proto__", "constructor"];
      const address = JSON.parse(`{"postalCode":"W1",${names.map((name) => `"${name}":null`)}}`);
      const [zip, ...others] = validate({ name: "Ada", address }).issues ?? [];
      assert.deepEqual(zip?.path, ["address", "zip"]);
      const known = /^is not a member of an address; did you mean postalCode\? Known: streetAddress, /;
      assert.match(zip?.message ?? "", known);
      const fault = { message: "is not a member of an address", code: "unknown" };
      const expected = names.slice(1).map((name) => ({ path: ["address", name], ...fault }));
      assert.deepEqual(others, expected);
    });
  });

  it("takes null as absent, everywhere", () => {
    const nulls = Object.fromEntries(members.map(({ path }) => [path.split(".")[0], null]));
    const sent = { ...nulls, name: "Ada", createdAt: null, updatedAt: null, email: undefined };
    assert.equal(JSON.stringify(validate(sent)), '{"value":{"name":"Ada"}}');
    const address = { streetAddress: null, postalCode: "W1", addressCountry: undefined };
    assert.deepEqual(validate({ name: "Ada", address }), { value: { name: "Ada", address: { postalCode: "W1" } } });
  });

  it("refuses each unknown member by name", () => {
    const names = ["nmae", "Name", "", "a.b", "é", "address.postalCode", "__proto__", "constructor", "prototype"];
    names.push("toString", "hasOwnProperty", "valueOf", "toJSON", "then", "0", letters(1000));
    for (const value of ["x", null, { polluted: true }]) {
      const sent = Object.fromEntries([...names, "name"].map((name) => [name, name === "name" ? "Ada" : value]));
      const issues = validate(sent).issues ?? [];
      assert.deepEqual(
        new Set(issues.map(({ path = [] }) => `${path.length} ${path.join("/")}`)),
        new Set(names.map((name) => `1 ${name}`)),
      );
      assert.ok(issues.every(({ message }) => message.startsWith("is not a member of a person")));
      const listing = issues.filter(({ message }) => message.includes("Known: id, name, honorificPrefix, givenName, "));
      assert.equal(listing.length, 1);
    }
    assert.equal(Reflect.get({}, "polluted"), undefined);
  });

  it("says which member may have been meant", () => {
    for (const [sent, meant] of [
      ["birthdate", "birthDate"],
      ["firstName", "givenName"],
      ["e-mail", "email"],
      ["city", "address.addressLocality"],
      ["postalCode", "address.postalCode"],
    ] as const) {
      const [issue] = validate({ name: "Ada", [sent]: "x" }).issues ?? [];
      assert.match(issue?.message ?? "", RegExp(`^is not a member of a person; did you mean ${meant}\\? Known: id, `));
    }
  });

  it("names the first 100 unknown members of an object, and counts the others", () => {
    const unknown = Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [`m${i}`, i]));
    const sent = { ...unknown, name: "Ada", email: 7 };
    const { issues = [] } = validate({ ...sent, address: unknown });
    assert.equal(issues.filter(({ message }) => message.startsWith("is not a member of ")).length, 200);
    const more = (path: readonly string[], what: string) => ({
      ...{ path, message: `has 89900 more members that are not those of ${what}`, code: "unknown" },
    });
    const counted = issues.filter(({ message }) => message.startsWith("has "));
    assert.deepEqual(counted, [more(["address"], "an address"), more([], "a person")]);
    const lenient = personSchemas(() => new Date(), ourMembers).lenientSchema["~standard"].validate(sent);
    assert.deepEqual(
      lenient.issues?.map(({ path }) => path),
      [["email"]],
    );
  });

  it("takes nothing from a prototype", () => {
    assert.deepEqual(Object.keys(faultsOf(Object.create({ name: "Ada" }))), ["name"]);
    assert.deepEqual(validate(Object.assign(Object.create(null), { name: "Ada" })), { value: { name: "Ada" } });
  });

  it("leaves createdAt and updatedAt to the server", () => {
    const times = { createdAt: "2026-06-15T12:00:00Z", updatedAt: 0 };
    assert.deepEqual(faultsOf({ name: "Ada", ...times }), {
      createdAt: "is set by the server: leave it out",
      updatedAt: "is set by the server: leave it out",
    });
    assert.deepEqual(faultsOf({ name: "Ada", address: { postalCode: "W1", createdAt: "x" } }), {
      "address.createdAt":
        "is not a member of an address. Known: streetAddress, addressLocality, addressRegion, postalCode, addressCountry",
    });
  });

  it("lists every failing member", () => {
    const sent = { id: 0, name: "", birthDate: "x", address: { addressCountry: "xx", zip: 1 }, url: "x", foot: 44 };
    const paths = ["id", "name", "birthDate", "address.addressCountry", "address.zip", "url", "foot"];
    assert.deepEqual(Object.keys(faultsOf(sent)), paths);
  });

  it("refuses everything but an object", () => {
    for (const [value, what] of [
      [null, "null"],
      [undefined, "undefined"],
      [[], "an array"],
      ["Ada", "a string"],
    ]) {
      assert.deepEqual(faultsOf(value), { "": `must be an object with members such as id and name, not ${what}` });
    }
  });

  it("asks the clock at each validation, in UTC", () => {
    let now = new Date("2026-06-15T23:59:59.999Z");
    const schema = personSchema(() => now)["~standard"];
    const born = { name: "Ada", birthDate: "2026-06-16" };
    assert.equal(schema.validate(born).issues?.length, 1);
    now = new Date("2026-06-16T00:00:00Z");
    assert.deepEqual(schema.validate(born), { value: born });
  });

  it("publishes its bounds as JSON Schema, and that members may be null, which is absent", () => {
    const name = { anyOf: [{ type: "string", minLength: 1, maxLength: 200 }, { type: "null" }] };
    assert.partialDeepStrictEqual(jsonSchema.input({ target: "draft-2020-12" })["properties"], { name });
    assert.partialDeepStrictEqual(jsonSchema.output({ target: "draft-2020-12" }), {
      type: "object",
      additionalProperties: false,
      not: { allOf: ["name", "givenName", "familyName"].map((member) => ({ not: { required: [member] } })) },
      properties: {
        id: { type: "integer", minimum: 1, maximum: 9007199254740991 },
        name: { type: "string", minLength: 1, maxLength: 200 },
        birthDate: { type: "string", format: "date" },
        address: { type: "object", additionalProperties: false, minProperties: 1 },
        description: { type: "string", minLength: 0, maxLength: 4000 },
      },
    });
  });
});

describe("countryCodes", () => {
  it("are 249 countries that Unicode knows too", () => {
    const names = new Intl.DisplayNames("en", { type: "region", fallback: "none" });
    assert.equal(countryCodes.size, 249);
    for (const code of countryCodes) assert(/^[A-Z]{2}$/.test(code) && names.of(code) !== undefined, code);
  });
});

describe("any legal person", () => {
  it("is stored in one order of members, in whichever order it was sent", () => {
    fc.assert(
      fc.property(legalPerson, fc.infiniteStream(fc.nat()), (person, ranks) => {
        const shuffle = <T>(value: T): T => {
          if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
          const ranked = Object.entries(value).map(([name, member]) => ({ name, member, rank: ranks.next().value }));
          ranked.sort((a, b) => a.rank - b.rank);
          // The same members again: only their order is another.
          return Object.fromEntries(ranked.map(({ name, member }) => [name, shuffle(member)])) as T;
        };
        const result = validate(shuffle(person));
        assert(result.issues === undefined);
        assert.equal(JSON.stringify(result.value), JSON.stringify(person));
      }),
    );
  });

  it("needs no name of its own where it has a given or family name, and gets one that is legal", () => {
    const part = line(1, 100);
    const parts = fc
      .record({ givenName: part, additionalName: part, familyName: part }, { requiredKeys: [] })
      .filter(({ givenName, familyName }) => givenName !== undefined || familyName !== undefined);
    fc.assert(
      fc.property(parts, (person) => {
        const result = validate(person);
        assert(result.issues === undefined);
        assert.deepEqual(validate(result.value), result);
      }),
    );
  });
});

describe("any value at all", () => {
  const names = members.map(({ path }) => path.split(".").at(-1) ?? "");
  const member = fc.oneof(fc.constantFrom(...names, "address", "createdAt", "__proto__"), fc.string());
  const nearlyAddress = fc.dictionary(member, fc.oneof(anyText(), fc.anything()));
  const nearlyPerson = fc.dictionary(member, fc.oneof(anyText(), fc.anything(), nearlyAddress));
  const odd = { withBigInt: true, withBoxedValues: true, withDate: true, withMap: true, withNullPrototype: true };
  const others = { withObjectString: true, withSet: true, withSparseArray: true, withTypedArray: true };
  const json = fc.jsonValue({ stringUnit: anyCharacter });
  const everything = fc.oneof(fc.anything({ ...odd, ...others }), json, nearlyPerson);

  it("is answered, not thrown over: by a person that is valid again, or by messages of one short line", () => {
    fc.assert(
      fc.property(everything, (value) => {
        const result = validate(value);
        if (result.issues === undefined) {
          assert.deepEqual(validate(result.value), result);
          return;
        }
        assert(result.issues.length > 0);
        for (const { message } of result.issues)
          assert.match(message, /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\ufeff]{10,400}$/u);
      }),
      { numRuns: 1000 },
    );
  });
});
