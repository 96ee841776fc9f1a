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
    birthDate: madeUpBirthDate(n),
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

/** One of 9,720 dates, each as often as any other. */
const madeUpBirthDate = (n: number): string =>
  `${1940 + (n % 60)}-0${1 + (Math.floor(n / 60) % 9)}-${10 + (Math.floor(n / 540) % 18)}`;

/** The family name of the made-up person who was stored as the nth, which is nobody else's: `Hopper-Gxa`. */
export function madeUpFamilyName(n: number): string {
  let letters = "";
  for (let rest = n; rest > 0; rest = Math.floor(rest / 26)) letters += String.fromCharCode(97 + (rest % 26));
  return `${familyNames[n % familyNames.length]}-${letters.charAt(0).toUpperCase()}${letters.slice(1)}`;
}

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
