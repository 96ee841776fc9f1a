import type { MixedRequest } from "./load.ts";

/** What every server is measured with: one kind of request, or several. */
export interface Scenario {
  /** Names it in the results. */
  readonly name: string;
  /** The request line's path for a database of this many records, whose ids are 1, 2, 3 …. */
  readonly path: (records: number) => string;
  readonly headers: Readonly<Record<string, string>>;
  /** What the answer must have for the measurement to mean anything. */
  readonly status: number;
  /** Whether a server that gives its answer an entity tag is asked for it again, so that it answers 304. */
  readonly isRepeated: boolean;
  /** The requests of a mixed load for a database of this many records; each server then has a file of its own, which it changes. */
  readonly mix?: (records: number) => readonly MixedRequest[];
}

/** Names the header fields that requests have beside Host and Accept. */
export const fieldSets = ["browser", "none"] as const;

export type FieldSet = (typeof fieldSets)[number];

/** What is measured, in this order. */
export function scenariosWith(fields: FieldSet): readonly Scenario[] {
  const headers: Scenario["headers"] = fields === "browser" ? chromiumFields : {};
  const { "Accept-Encoding": _codings, ...uncoded } = headers;
  const path = (records: number): string => `/person/${Math.ceil(records / 2)}`;
  return [
    { name: "read one person", path, headers, status: 200, isRepeated: false },
    { name: "read one person again", path, headers, status: 200, isRepeated: true },
    // Without codings, in which only ours would send the pages.
    { name: "mixed load", path, headers: uncoded, status: 200, isRepeated: false, mix: mixOf(path) },
    ...(fields === "none"
      ? []
      : [{ name: "read one person, Host only", path, headers: {}, status: 200, isRepeated: false }]),
  ];
}

/** 90 of 100 requests read a person, 9 read the first page of 20, and 1 adds a person. */
const mixOf =
  (path: Scenario["path"]): NonNullable<Scenario["mix"]> =>
  (records) => [
    { count: 90, target: path(records) },
    { count: 9, target: "/person?limit=20" },
    { count: 1, target: "/person", json: JSON.stringify(addedPerson) },
  ];

/** Who is added again and again. */
export const addedPerson: Readonly<Record<string, string>> = {
  givenName: "Ada",
  familyName: "Lovelace",
  birthDate: "1815-12-10",
  email: "ada@people.example",
  telephone: "202-555-0100",
  jobTitle: "Countess",
};

/** The fields that Chromium sends with `fetch(…)` on a page, but for Host and Connection. */
const chromiumFields: Scenario["headers"] = {
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
