import fc from "fast-check";
import { fromValues } from "../src/person/member-value.ts";
import { memberEntries, mostValues, type Person, type PersonMember } from "../src/person/members.ts";
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

/** The values of a member. */
function legalValue({ list, ...member }: PersonMember): fc.Arbitrary<unknown> {
  return list
    ? fc.uniqueArray(oneValue(member), { minLength: 1, maxLength: mostValues, size: "small" })
    : oneValue(member);
}

function oneValue({ kind, min = 1, max = 0 }: PersonMember): fc.Arbitrary<unknown> {
  switch (kind) {
    case "id":
      return fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
    case "line":
      return line(min, max);
    case "text":
      return legalDescription;
    case "date":
      return fc
        .date({ min: new Date("0001-01-01"), max: new Date("2026-06-15"), noInvalidDate: true })
        .map((day) => day.toISOString().slice(0, 10));
    case "email":
      return fc.emailAddress({ size: "small" });
    case "telephone":
      return fc
        .tuple(fc.string({ unit: fc.constantFrom(..."0123456789 +-.()/"), minLength: 0, maxLength: 30 }), fc.nat(9))
        .map(([text, digit]) => `+${text}${digit}`);
    case "url":
      return fc.webUrl({ withFragments: true, withQueryParameters: true, size: "small" });
    case "country":
      return fc.constantFrom(...countryCodes);
    case "language":
      return fc.constantFrom("en", "zh-Hant-TW", "de-CH-1996", "x-elvish", "i-mingo");
  }
}

/**
 * A person as a client may send it, born up to 15 June 2026. Its members are in the order in which they are stored; `name`
 * is always among them.
 */
export const legalPerson: fc.Arbitrary<Person> = fc
  .record(Object.fromEntries(memberEntries.map(([name, member]) => [name, legalValue(member)])), {
    requiredKeys: memberEntries.filter(([, { always }]) => always).map(([name]) => name),
    noNullPrototype: true,
  })
  // The members of the table have the type of a person.
  .map((values) => fromValues(memberEntries.map(([name]) => [name, values[name]])) as unknown as Person);
