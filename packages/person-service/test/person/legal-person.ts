import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { anyCharacter } from "../../../waymark/test/tools/any-text.ts";
import { countryCodes } from "../../src/person/members/countries.ts";
import type { PersonMember } from "../../src/person/members/member.ts";
import { fromValues, memberOf } from "../../src/person/members/member-value.ts";
import {
  contexts,
  features,
  furtherValues,
  memberEntries,
  memberTable,
  mostValues,
  type PersonMemberName,
  partNames,
} from "../../src/person/members/members.ts";
import type { FurtherValue, MemberValue, Person } from "../../src/person/members/person.ts";

/** A character that every text may have: of XML 1.0's (§2.2) all but the controls. */
const legalCharacter = fc
  .oneof(
    { weight: 4, arbitrary: fc.constantFrom(..."aZ0 .-'@/é\u0301😀漢\u200D\u2028\uFFFD") },
    { weight: 1, arbitrary: anyCharacter },
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

/** A part of a URL: characters that may stand in each of them, and others in percent-encoding. */
const urlPart = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(..."aZ09-._~!$&'()*+,;=:@") },
    { weight: 1, arbitrary: anyCharacter.map(encodeURIComponent) },
  ),
  size: "small",
});

/** As fast-check's own, whose path makes the table that `anyCharacter` goes without. */
const webUrl = fc
  .record({
    scheme: fc.constantFrom("http", "https"),
    authority: fc.webAuthority({ size: "small" }),
    path: fc.array(urlPart, { size: "small" }).map((segments) => segments.map((segment) => `/${segment}`).join("")),
    query: fc.oneof(
      fc.constant(""),
      urlPart.map((part) => `?${part}`),
    ),
    fragment: fc.oneof(
      fc.constant(""),
      urlPart.map((part) => `#${part}`),
    ),
  })
  .map(({ scheme, authority, path, query, fragment }) => `${scheme}://${authority}${path}${query}${fragment}`);

/** The values of a member. */
function legalValue({ list, of, ...member }: PersonMember): fc.Arbitrary<unknown> {
  if (of !== undefined) return entries(of);
  return list
    ? fc.uniqueArray(oneValue(member), { minLength: 1, maxLength: mostValues, size: "small" })
    : oneValue(member);
}

/** Values with what is said of each; one of them may be preferred. */
function entries(single: string): fc.Arbitrary<readonly FurtherValue[]> {
  const parts = partNames(single).map((part) => [part, oneValue(memberTable[`${single}.${part}` as PersonMemberName])]); // the names of the table
  const member: PersonMember | undefined = memberTable[single as PersonMemberName]; // undefined for an object
  const value = member === undefined ? someOf(Object.fromEntries(parts)) : oneValue(member);
  const entry = fc.record(
    {
      value: value as fc.Arbitrary<MemberValue>, // no list is of numbers
      contexts: fc.uniqueArray(fc.constantFrom(...contexts), { minLength: 1 }),
      ...(member?.kind === "telephone" && { features: fc.uniqueArray(fc.constantFrom(...features), { minLength: 1 }) }),
      label: line(1, 100).filter((label) => !/\s/u.test(label.replaceAll(" ", ""))),
    },
    { requiredKeys: ["value"], noNullPrototype: true },
  );
  return fc
    .tuple(
      fc.uniqueArray(entry, {
        minLength: 1,
        maxLength: 5,
        size: "small",
        selector: ({ value }) => JSON.stringify(value),
      }),
      fc.nat(9),
    )
    .map(([some, marked]) => some.map((each, i) => (i === marked ? { ...each, preferred: true } : each)));
}

/** An object of one or more of these members. */
const someOf = (members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> =>
  fc.record(members, { requiredKeys: [], noNullPrototype: true }).filter((value) => Object.keys(value).length > 0);

function oneValue({ kind, min = 1, max = 0, values = [] }: PersonMember): fc.Arbitrary<unknown> {
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
      return webUrl;
    case "country":
      return fc.constantFrom(...countryCodes);
    case "language":
      return fc.constantFrom("en", "zh-Hant-TW", "de-CH-1996", "x-elvish", "i-mingo");
    case "property":
      return fc
        .tuple(
          fc.constantFrom("", "item1.", "g-2."),
          fc.constantFrom("X-SKYPE", "IMPP", "X-ABLABEL", "UID", "JSPROP", "ROLE"),
          fc.constantFrom("", ";TYPE=home", ';X-A="b;c",d;PREF=1', ";X-EMPTY="),
          line(1, 200),
        )
        .map(([group, name, parameters, value]) => `${group}${name}${parameters}:x${value}`);
    case "integer":
      return fc.maxSafeInteger();
    case "number":
      return fc.double({ noDefaultInfinity: true, noNaN: true }).filter((value) => !Object.is(value, -0));
    case "boolean":
      return fc.boolean();
    case "choice":
      return fc.constantFrom(...values);
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
  .map((values) => {
    // A further value is not the first one.
    const given = fromValues(Object.entries(values));
    const lists = furtherValues.map(({ name, single }) => {
      const first = memberOf(given, single);
      const entries = (values[name] ?? []) as readonly FurtherValue[]; // by their generator
      const others = entries.filter(({ value }) => !isDeepStrictEqual(value, first));
      return [name, others.length === 0 ? undefined : others] as const;
    });
    const others = Object.entries(values).filter(([name]) => !lists.some(([list]) => list === name));
    const all = fromValues([...others, ...lists]);
    return fromValues(memberEntries.map(([name]) => [name, memberOf(all, name)])) as unknown as Person;
  });
