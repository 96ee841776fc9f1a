import {
  type CollectionDefinition,
  type MemberFilter,
  type Selection,
  type SortKey,
  toWords,
} from "../../src/index.ts";

/** People in whom many values are equal, so that most orders are those of no index. */
export const person: CollectionDefinition = {
  name: "person",
  members: {
    name: { filter: "text", search: true },
    jobTitle: { filter: "text" },
    birthDate: { filter: "date" },
    telephone: { search: "digits" },
  },
};

/**
 * People that cost as much as any: all have one title, one of 89 dates, a common word and a number that begins with the same digits.
 *
 * @param gap between their ids
 */
export const people = (count: number, gap: number): readonly object[] =>
  Array.from({ length: count }, (_, i) => ({
    id: gap * (i + 1),
    name: `Ada x${(i * 7919) % count} y${i % 100}`,
    jobTitle: "Engineer",
    birthDate: `19${10 + (i % 89)}-01-01`,
    telephone: `+44 20 ${1000 + (i % 100)} ${i % 7}`,
  }));

const filters: Readonly<Record<string, readonly MemberFilter[]>> = {
  everybody: [],
  "one title": [{ member: "jobTitle", operator: "eq", value: "Engineer" }],
  "no such title": [{ member: "jobTitle", operator: "ne", value: "x" }],
  "a range of dates": [{ member: "birthDate", operator: "ge", value: "1950-01-01" }],
  "one date of a title": [
    { member: "birthDate", operator: "eq", value: "1950-01-01" },
    { member: "jobTitle", operator: "in", values: ["Engineer", "Poet"] },
  ],
};

const searches: Readonly<Record<string, readonly string[]>> = {
  "": [],
  "who have a common word": toWords("ada"),
  "who have a rare word": toWords("ada y7"),
  "who have three words": toWords("ada y7 x"),
  "who have common digits": toWords("4420"),
  "who have rare digits and a word": toWords("20 1007 ada"),
};

const by = (...keys: readonly string[]): readonly SortKey[] =>
  keys.map((key) => ({ member: key.replace("-", ""), descending: key.startsWith("-") }));

const orders: Readonly<Record<string, readonly SortKey[]>> = {
  id: by("id"),
  "-name": by("-name", "-id"),
  "name,-id": by("name", "-id"),
  "jobTitle,name": by("jobTitle", "name", "id"),
  "-birthDate,jobTitle,name": by("-birthDate", "jobTitle", "name", "id"),
};

/** A selection, and what is asked for in words. */
export interface AskedSelection {
  readonly what: string;
  readonly selection: Selection;
}

/** How many people there are, and of which selections the work is measured. */
export interface ListWork {
  readonly count: number;
  /**
   * Of the selections, each so many-th one. The numbers of filters, of searches, of orders and of pages share no divisor with 3: every
   * third one has any three of these together.
   */
  readonly each: 1 | 3;
}

/** Every filter with every search and every order: whole, and in pages from the beginning and from the middle. */
export function everySelection({ count, each }: ListWork, gap: number): readonly AskedSelection[] {
  const middle: Readonly<Record<string, string | number>> = {
    id: (gap * count) / 2,
    name: `Ada x${count / 2} y7`,
    jobTitle: "Engineer",
    birthDate: "1950-01-01",
  };
  const all = Object.entries(filters).flatMap(([whom, filters]) =>
    Object.entries(searches).flatMap(([having, words]) =>
      Object.entries(orders).flatMap(([sort, order]) => {
        const all = { filters, words, order };
        const after = order.map(({ member }) => middle[member] ?? null);
        const what = `${whom} ${having} by ${sort}`.replace("  ", " ");
        return [
          { what: `all: ${what}`, selection: all },
          { what: `a page: ${what}`, selection: { ...all, limit: 51 } },
          { what: `a long page: ${what}`, selection: { ...all, limit: 1001 } },
          { what: `a page from the middle: ${what}`, selection: { ...all, after, limit: 51 } },
        ];
      }),
    ),
  );
  return all.filter((_, i) => i % each === 0);
}
