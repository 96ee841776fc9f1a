import fc from "fast-check";
import type { Person } from "../src/person/person.ts";
import { countryCodes } from "../src/person/rules.ts";

/** A character that every text may have: of XML 1.0's (§2.2) all but the controls. */
const legalCharacter = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(..."aZ0 .-'@/é\u0301😀漢\u200D\u2028\uFFFD") },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 1 }) },
  )
  .filter((character) => /^[^\p{Cc}\p{Cs}\uFFFE\uFFFF]$/u.test(character));

const isSeen = (text: string): boolean => /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Legal text of one line, of min to max characters, often of just so many. */
export function line(min: number, max: number): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.string({ unit: legalCharacter, minLength: min, maxLength: max }),
      fc.string({ unit: legalCharacter, minLength: max, maxLength: max }),
      fc.string({ unit: legalCharacter, minLength: min, maxLength: min }),
    )
    .map((text) => text.replace(/^\s|\s$/gu, "x"))
    .filter(isSeen);
}

const legalDescription = fc
  .string({ unit: fc.oneof(legalCharacter, fc.constantFrom("\t", "\n")), maxLength: 4000 })
  .filter((text) => text === "" || isSeen(text));

const legalAddress = fc
  .record(
    {
      streetAddress: line(1, 300),
      addressLocality: line(1, 100),
      addressRegion: line(1, 100),
      postalCode: line(1, 20),
      addressCountry: fc.constantFrom(...countryCodes),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .filter((address) => Object.keys(address).length > 0);

/**
 * A person as a client may send it, born up to 15 June 2026. Its members are in the order in which they are stored; `name`
 * is always among them.
 */
export const legalPerson: fc.Arbitrary<Person> = fc.record(
  {
    id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    name: line(1, 200),
    givenName: line(1, 100),
    additionalName: line(1, 100),
    familyName: line(1, 100),
    alternateName: line(1, 100),
    birthDate: fc
      .date({ min: new Date("0001-01-01"), max: new Date("2026-06-15"), noInvalidDate: true })
      .map((day) => day.toISOString().slice(0, 10)),
    email: fc.emailAddress({ size: "small" }),
    telephone: fc
      .tuple(fc.string({ unit: fc.constantFrom(..."0123456789 +-.()/"), minLength: 0, maxLength: 30 }), fc.nat(9))
      .map(([text, digit]) => `+${text}${digit}`),
    address: legalAddress,
    jobTitle: line(1, 200),
    worksFor: line(1, 200),
    url: fc.webUrl({ withFragments: true, withQueryParameters: true, size: "small" }),
    knowsLanguage: fc.constantFrom("en", "zh-Hant-TW", "de-CH-1996", "x-elvish", "i-mingo"),
    description: legalDescription,
    identifier: line(1, 255),
  },
  { requiredKeys: ["name"], noNullPrototype: true },
);
