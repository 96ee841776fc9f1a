/** One kind of request that every server is measured with. */
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
}

/** Names the header fields that requests have beside Host and Accept. */
export const fieldSets = ["browser", "none"] as const;

export type FieldSet = (typeof fieldSets)[number];

/** What is measured, in this order. */
export function scenariosWith(fields: FieldSet): readonly Scenario[] {
  const headers = fields === "browser" ? chromiumFields : {};
  const path = (records: number): string => `/person/${Math.ceil(records / 2)}`;
  return [
    { name: "read one person", path, headers, status: 200, isRepeated: false },
    { name: "read one person again", path, headers, status: 200, isRepeated: true },
  ];
}

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
