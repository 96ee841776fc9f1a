import { mkdtempDisposable } from "node:fs/promises";
import { join } from "node:path";
import { openPersonService, type Person } from "@waymark/person-service";

/** A database that is removed at the end of its scope. */
export interface TemporaryDatabase extends AsyncDisposable {
  readonly file: string;
}

/** Makes a database with so many made-up people. */
export async function makeDatabase(parent: string, records: number): Promise<TemporaryDatabase> {
  const { path: directory, remove } = await mkdtempDisposable(join(parent, "person-benchmark-"));
  try {
    const file = join(directory, "person.db");
    const { people, database } = await openPersonService({ database: file });
    await using _ = database;
    const stored = await people.createAll(madeUpPeople(records));
    if (stored.kind !== "created") throw new Error("The people cannot be stored: two have the same identifier");
    return { file, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** People with as much to say as those of the demo. */
export function* madeUpPeople(count: number): Generator<Person, void, undefined> {
  for (let n = 1; n <= count; n++) yield madeUpPerson(n);
}

/** The made-up person who is stored as the nth. */
export function madeUpPerson(n: number): Person & { readonly identifier: string } {
  const givenName = givenNames[n % givenNames.length] as string;
  const familyName = madeUpFamilyName(n);
  return {
    name: `${givenName} ${familyName}`,
    givenName,
    familyName,
    birthDate: `${1940 + (n % 60)}-0${1 + (n % 9)}-${10 + (n % 18)}`,
    telephone: `202-555-${String(n % 10_000).padStart(4, "0")}`,
    address: {
      streetAddress: `${n} Long Street, Second Building`,
      addressLocality: "Springfield",
      addressRegion: "DC",
      postalCode: String(10_000 + (n % 90_000)),
      addressCountry: "US",
    },
    jobTitle: "Representative",
    worksFor: "The House of Made-Up People",
    url: `https://people.example/${n}`,
    identifier: `M${String(n).padStart(9, "0")}`,
  };
}

/** The family name of the made-up person who was stored as the nth, which is nobody else's. */
export const madeUpFamilyName = (n: number): string => `${familyNames[n % familyNames.length]}-${n}`;

const givenNames = ["Ada", "Grace", "Edsger", "Barbara", "Donald", "Frances", "Tony"];
const familyNames = [
  "Lovelace",
  "Hopper",
  "Dijkstra",
  "Liskov",
  "Knuth",
  "Allen",
  "Hoare",
  "Wirth",
  "Kay",
  "Lamport",
  "Hamilton",
];
