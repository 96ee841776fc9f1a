import { performance } from "node:perf_hooks";
import { openPersonService } from "@waymark/person-service";
import { type App, HttpRequest } from "waymark";
import { madeUpFamilyName, madeUpPerson, makeDatabase } from "./database.ts";

export interface GrowthOptions {
  /** Where the databases are made, one after another. */
  readonly directory: string;
  /** The numbers of people, ascending. */
  readonly sizes: readonly number[];
  /** How often each list is asked for again at each size, at least once. */
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (step: string) => void;
}

/** What a list costs among some people, in milliseconds. */
export interface ListTime {
  readonly size: number;
  /** The first answer. */
  readonly first: number;
  /** The fastest of those after it, while nothing changes. */
  readonly again: number;
}

export interface GrowthResult {
  /** The query, behind `count` where the total is asked for, too. */
  readonly list: string;
  readonly times: readonly ListTime[];
}

/**
 * Times lists of 20 people, without a server, among few people and among many: sorted by each member in both directions, filtered,
 * searched and counted.
 *
 * @throws Error when a list is not answered 200
 */
export async function measureGrowth(options: GrowthOptions): Promise<readonly GrowthResult[]> {
  const times = new Map<string, ListTime[]>();
  for (const size of options.sizes) {
    options.onProgress?.(`storing ${size} people`);
    await using made = await makeDatabase(options.directory, size);
    const { app, people, database } = await openPersonService({ database: made.file });
    await using _ = database;
    for (const list of listsOf(people.members, Math.ceil(size / 2))) {
      options.signal.throwIfAborted();
      const ofSizes = times.get(list.name) ?? [];
      ofSizes.push({ size, ...(await timesOf(app, list, options.rounds)) });
      times.set(list.name, ofSizes);
    }
  }
  return Array.from(times, ([list, ofSizes]) => ({ list, times: ofSizes }));
}

interface List {
  readonly name: string;
  readonly query: string;
  readonly isCounted: boolean;
}

/** @param n a made-up person whose values are filtered by */
function listsOf(members: readonly { readonly name: string; readonly isList?: true }[], n: number): readonly List[] {
  const { identifier, address } = madeUpPerson(n);
  const made: Readonly<Record<string, string>> = {
    IDENTIFIER: identifier,
    FAMILY: madeUpFamilyName(n),
    CODE: address?.postalCode ?? "",
  };
  const sorts = members.filter(({ isList }) => !isList).flatMap(({ name }) => [`sort=${name}`, `sort=-${name}`]);
  const filled = (query: string): string =>
    query.replaceAll(/[A-Z]{4,}/g, (word) => encodeURIComponent(made[word] ?? word));
  return [
    ...[...sorts, ...queries].map((query) => ({ name: query, query: filled(query), isCounted: false })),
    ...counted.map((query) => ({ name: `count ${query}`, query, isCounted: true })),
  ];
}

/** The capitals stand for values of a made-up person. */
const queries: readonly string[] = [
  "identifier=IDENTIFIER",
  "identifier=nobody",
  "familyName=FAMILY",
  "familyName[prefix]=Lo&sort=familyName",
  "address.postalCode=CODE&sort=name",
  "givenName=Ada&sort=birthDate",
  "birthDate[ge]=1950-01-01&givenName=Ada&sort=-familyName",
  "worksFor[ne]=The House of Made-Up People",
  "sort=worksFor,familyName",
  "q=lovelace",
  "q=made",
  "q=made&sort=birthDate",
  "q=made&givenName=Ada&sort=-familyName",
];

const counted: readonly string[] = ["", "givenName=Ada", "worksFor[ne]=nobody", "q=made"];

async function timesOf(app: App, { query, isCounted }: List, rounds: number): Promise<Omit<ListTime, "size">> {
  const ask = async (): Promise<number> => {
    const target = `/person?limit=20&${query.replaceAll(" ", "%20")}`.replace(/&$/, "");
    const started = performance.now();
    const headers = { Host: "localhost", ...(isCounted && { Prefer: "count=exact" }) };
    const { status, body } = await app.handle(HttpRequest.of({ target, headers }));
    if (status !== 200) throw new Error(`${target} is answered ${status}: ${String(body)}`);
    return performance.now() - started;
  };
  const first = await ask();
  const again: number[] = [];
  for (let round = 0; round < rounds; round++) again.push(await ask());
  return { first, again: Math.min(...again) };
}
