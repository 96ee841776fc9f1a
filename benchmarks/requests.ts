import { madeUpFamilyName, madeUpPerson } from "./database.ts";

/** A request as a load generator sends it. Its text is ASCII. */
export interface MadeRequest {
  /** `/person/1` */
  readonly target: string;
  /** Beside Host and those of the content. */
  readonly fields: Readonly<Record<string, string>>;
  /** Is sent by POST when it is given; else the request is a GET. */
  readonly json?: string;
}

/** The fields that Chromium sends with `fetch(…)` on a page, but for Host and Connection. */
export const browserFields: MadeRequest["fields"] = {
  "sec-ch-ua-platform": '"Linux"',
  "User-Agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  Accept: "application/json",
  "sec-ch-ua": '"Chromium";v="141", "Not?A_Brand";v="8"',
  "sec-ch-ua-mobile": "?0",
  "Sec-Fetch-Site": "same-origin",
  "Sec-Fetch-Mode": "cors",
  "Sec-Fetch-Dest": "empty",
  "Accept-Encoding": "gzip, deflate, br, zstd",
  "Accept-Language": "en-US,en;q=0.9",
};

/** Fields with which all servers send the same bytes. */
const uncoded: MadeRequest["fields"] = { ...browserFields, "Accept-Encoding": "identity" };

/** How many different requests a load sends in turn where each is to be new. */
const many = 20_000;

/** The same person asked for by this many clients, each with fields of its own. */
export const byClients = (
  count: number,
  fieldsOf: (client: number) => Readonly<Record<string, string>>,
): readonly MadeRequest[] =>
  times(count, (client) => ({ target: "/person/1", fields: { ...browserFields, ...fieldsOf(client) } }));

/** The same person, with fields that differ in each request. */
export const withNew = (fieldsOf: (n: number) => Readonly<Record<string, string>>): readonly MadeRequest[] =>
  byClients(many, fieldsOf);

export const onePerson: readonly MadeRequest[] = byClients(1, () => ({}));

/** Everybody, in an order that no cache foresees. */
export const everybody = (people: number): readonly MadeRequest[] =>
  spread(people, people).map((id) => ({ target: `/person/${id}`, fields: browserFields }));

/** Different pages of 20, as the function names them for the nth person. */
export const pages = (people: number, targetOf: (n: number) => string): readonly MadeRequest[] =>
  spread(people, many).map((n) => ({ target: targetOf(n), fields: uncoded }));

/** Different pages of each kind in turn. */
export function newPages(people: number): readonly MadeRequest[] {
  const kinds = Object.values(pageTargets);
  return spread(people, many).map((n, i) => ({
    target: (kinds[i % kinds.length] ?? pageTargets.sorted)(n),
    fields: uncoded,
  }));
}

/** People added one after another, each like the others. */
export const newPerson: MadeRequest = {
  target: "/person",
  fields: {},
  json: JSON.stringify({
    givenName: "Ada",
    familyName: "Lovelace",
    birthDate: "1815-12-10",
    email: "ada@people.example",
    telephone: "202-555-0100",
    jobTitle: "Countess",
  }),
};

/** Of 100 requests, 90 read one person, 9 read the first page of 20, and one adds a person. */
export const mixed: readonly MadeRequest[] = times(100, (n) => {
  if (n === 50) return { ...newPerson, fields: uncoded };
  return { target: n % 11 === 0 && n > 0 ? "/person?limit=20" : "/person/1", fields: uncoded };
});

/** The targets of the pages that are measured, each for the nth person who was stored. */
export const pageTargets = {
  "at a cursor": (n: number): string => `/person?limit=20&id[gt]=${n}`,
  sorted: (n: number): string => `/person?limit=20&sort=familyName&familyName[ge]=${madeUpFamilyName(n)}`,
  filtered: (n: number): string => `/person?limit=20&birthDate=${madeUpPerson(n).birthDate}`,
  "filtered and sorted": (n: number): string =>
    `/person?limit=20&birthDate=${madeUpPerson(n).birthDate}&sort=familyName`,
  searched: (n: number): string => `/person?limit=20&q=${madeUpFamilyName(n).replace("-", "+")}`,
} as const;

/** So many numbers from 1 to `people`, from all over, each about as often as any other. */
export function spread(people: number, count: number): readonly number[] {
  // A step that shares no divisor with the number of people comes to everybody before it comes back.
  let step = Math.floor(people * 0.618) | 1;
  while (divisorOf(step, people) > 1) step += 2;
  return times(count, (n) => 1 + ((n * step) % people));
}

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));

function times<T>(count: number, make: (n: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
