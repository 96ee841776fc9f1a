import { execFile } from "node:child_process";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type MeasureOptions, rotate } from "./measure.ts";
import { medianOf, type Table } from "./report.ts";
import { ratio, summarize } from "./summary.ts";

/**
 * Measures the commands `import` and `export` with a CSV file of everybody, beside `sqlite3` with the same members, twelve of them
 * indexed, and their words.
 *
 * @throws Error when a program fails
 */
export async function measureFiles(options: MeasureOptions): Promise<Table> {
  const { database, rounds, signal, onProgress } = options;
  await using folder = await mkdtempDisposable(join(tmpdir(), "person-benchmark-files-"));
  const file = join(folder.path, "people.csv");
  await ours("export", file, "--database", database);
  const script = join(folder.path, "import.sql");
  await writeFile(script, importScript(file));
  const taken = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    const made = (name: string): string => join(folder.path, `${name}-${round}.db`);
    const commands = {
      "import, ours": () => ours("import", file, "--database", made("ours")),
      "import, sqlite3": () => run("sqlite3", [made("sqlite3"), `.read ${script}`], { signal }),
      "export, ours": () => ours("export", join(folder.path, "exported.csv"), "--database", database),
      "export, sqlite3": () =>
        run("sqlite3", ["-csv", database, `.output ${folder.path}/plain.csv`, "SELECT * FROM person"], { signal }),
    };
    for (const name of rotate(Object.keys(commands) as (keyof typeof commands)[], round)) {
      onProgress?.(`files: round ${round + 1} of ${rounds}, ${name}`);
      const begun = performance.now();
      await commands[name]();
      taken.set(name, [...(taken.get(name) ?? []), performance.now() - begun]);
    }
  }
  const rows = ["import", "export"].map((command) => {
    const [mine, theirs] = ["ours", "sqlite3"].map((of) => summarize(taken.get(`${command}, ${of}`) ?? []));
    return [command, "", medianOf(mine, "s", 1000), medianOf(theirs, "s", 1000), ratio(mine, theirs)];
  });
  return [["a file of everybody", "", "ours", "sqlite3", "times as long"], ...rows];
}

/** Runs a command of the service. */
async function ours(...args: readonly string[]): Promise<void> {
  const program = fileURLToPath(new URL("../packages/person-service/bin/person-service.js", import.meta.url));
  await run(process.execPath, [program, ...args]);
}

/** What ours keeps of a person to be found by. */
const indexed = [
  ...["identifier", "name", "givenName", "familyName", "birthDate", "email", "jobTitle", "worksFor"],
  ...["address.addressLocality", "address.addressRegion", "address.postalCode", "address.addressCountry"],
];

const importScript = (file: string): string => `
.import --csv ${file} person
${indexed.map((member) => `CREATE INDEX "of ${member}" ON person ("${member}");`).join("\n")}
CREATE VIRTUAL TABLE found USING fts5 (words, content = '', detail = none, prefix = '1 2 3 4 5 6');
INSERT INTO found (rowid, words) SELECT rowid, name || ' ' || email || ' ' || jobTitle || ' ' || worksFor FROM person;
`;

const run = promisify(execFile);
