import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { runs } from "../../../waymark/test/tools/runs.ts";
import type { Person } from "../../src/person/members/person.ts";
import { legalPerson, line } from "../person/legal-person.ts";
import { commandFiles, peopleIn, run } from "../tools/programs/command-runs.ts";

const { newFile, write } = commandFiles("list-brought-up-to-date");

const ada = { name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", email: "ada@example.org" };
const grace = { name: "Grace Hopper", birthDate: "1906-12-09", address: { postalCode: "22201", addressCountry: "US" } };

/** Makes a database with people, and returns its address. */
async function databaseWith(...people: readonly object[]): Promise<string> {
  const database = newFile("db");
  await run("import", write("json", JSON.stringify(people)), "--database", database, "--on-match", "add");
  return database;
}

interface Import {
  readonly database: string;
  readonly file: string;
}

/** Imports a file of CSV, and returns what is said. */
const importing = ({ database, file }: Import, ...options: readonly string[]): Promise<string> =>
  run("import", file, "--database", database, ...options);

describe("a list that is brought up to date", () => {
  it("changes the person who has the value of a member, also one that several may have", async () => {
    const database = await databaseWith(ada, { ...grace, identifier: "G" });
    for (const [member, file] of [
      ["id", "id,jobTitle\n1,poet\n,\n"],
      ["email", "email,jobTitle\nADA@example.org,mathematician\n"],
      ["identifier", "identifier,jobTitle\nG,admiral\n"],
      ["name", "name,jobTitle\nAda Lovelace,countess\n"],
    ] as const) {
      const said = await importing({ database, file: write("csv", file) }, "--upsert", member);
      assert.match(said, /\nstored 0 people in [^,]*, 1 changed$/);
    }
    assert.deepEqual(await peopleIn(database), [
      { id: 1, ...ada, email: "ADA@example.org", jobTitle: "countess" },
      { id: 2, ...grace, jobTitle: "admiral", identifier: "G" },
    ]);
  });

  it("refuses a line with the id of a removed person", async () => {
    const database = await databaseWith(ada, grace);
    const first = write("csv", "id,name\n1,Ada Lovelace\n");
    await importing({ database, file: first }, "--upsert", "id", "--remove-missing", "1");
    const both = write("csv", "id,name\n1,Ada Lovelace\n2,Grace Hopper\n");
    for (const options of [["--dry-run"], []]) {
      const said = await importing({ database, file: both }, "--upsert", "id", ...options);
      assert.match(said, /\nline 3: id is or was used by another record\n/);
      assert.match(said, /^\w+ 0 people[^,]*, 1 unchanged, 1 refused$/m);
    }
  });

  it("keeps what a line lacks, or clears it where the file has a column for it", async () => {
    const { address } = grace;
    // biome-ignore format: a table
    for (const [absent, extension, content, due] of [
      ["keep", "csv", "id,birthDate,address.postalCode\n2,,\n", {}],
      ["clear", "csv", "id,birthDate,address.postalCode\n2,,\n", { birthDate: undefined, address: { addressCountry: "US" } }],
      ["clear", "csv", "id,address.postalCode,address.addressCountry\n2,,\n", { address: undefined }],
      ["keep", "csv", "id,address.postalCode\n2,22202\n", { address: { ...address, postalCode: "22202" } }],
      ["keep", "ndjson", '{"id":2,"address":null,"jobTitle":"admiral"}\n', { address: undefined, jobTitle: "admiral" }],
      ["clear", "ndjson", '{"id":2,"name":"Grace Hopper"}\n', { birthDate: undefined, address: undefined }],
    ] as const) {
      const database = await databaseWith(ada, grace);
      await importing({ database, file: write(extension, content) }, "--upsert", "id", "--absent", absent);
      const expected = JSON.parse(JSON.stringify({ id: 2, ...grace, ...due }));
      assert.deepEqual((await peopleIn(database))[1], expected, content);
    }
  });

  it("has a name that is made of its parts follow them, and no other", async () => {
    const database = await databaseWith(ada, { ...ada, name: "Countess of Lovelace" });
    const file = write("csv", "id,familyName\n1,King\n2,King\n");
    await importing({ database, file }, "--upsert", "id");
    const names = (await peopleIn(database)).map(({ name }) => name);
    assert.deepEqual(names, ["Ada King", "Countess of Lovelace"]);
  });

  // An apostrophe in front is how a spreadsheet marks text, and is no part of it.
  const typed = line(1, 30).filter((text) => !text.startsWith("'"));
  const edits = fc.array(fc.record({ row: fc.nat(), column: fc.nat(), text: fc.option(typed) }), { maxLength: 5 });
  const edited = ["givenName", "alternateName", "jobTitle", "worksFor", "address.addressLocality"];

  for (const [options, delimiter] of [
    [[], ","],
    [["--for", "excel", "--locale", "de"], ";"],
  ] as const) {
    it(`changes exactly what was edited in the file of export ${options.join(" ")}`, async () => {
      const people = fc.array(legalPerson, { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(people, edits, async (all, changes) => {
          const database = await databaseWith(...all.map(({ id: _, identifier: _identifier, ...person }) => person));
          const file = newFile("csv");
          await run("export", file, "--database", database, ...options);
          const before = await peopleIn(database);
          const due = before.map((person) => structuredClone(person) as Record<string, unknown>);
          const [header = [], ...rows]: string[][] = parse(readFileSync(file), { bom: true, delimiter });
          for (const { row, column, text } of changes) {
            const name = edited[column % edited.length] ?? "";
            const person = due[row % due.length] ?? {};
            const cells = rows[row % rows.length] ?? [];
            cells[header.indexOf(name)] = text ?? "";
            edit(person, name.split("."), text ?? undefined);
          }
          // As a spreadsheet has it: an empty text is no other than none.
          for (const person of due) if (person["description"] === "") delete person["description"];
          writeFileSync(file, stringify([header, ...rows], { delimiter }));
          const clearing = ["--upsert", "id", "--absent", "clear", "--date", "YYYY-MM-DD"];
          const said = await importing({ database, file }, ...clearing);
          assert.deepEqual(await peopleIn(database), due, said);
        }),
        { numRuns: runs(4), endOnFailure: true },
      );
    });
  }
});

/** Edits a member; a further address is not the first one. */
function edit(person: Record<string, unknown>, [name = "", inner]: readonly string[], value: unknown): void {
  if (inner === undefined) person[name] = value;
  else {
    const { [inner]: _, ...others } = (person[name] ?? {}) as Record<string, unknown>; // an object of texts
    const object = value === undefined ? others : { ...others, [inner]: value };
    person[name] = Object.keys(object).length === 0 ? undefined : object;
  }
  if (person[name] === undefined) delete person[name];
  const { address, addresses } = person as Partial<Person>; // as the service sent it
  const others = addresses?.filter((each) => !isDeepStrictEqual(each.value, address));
  if (others?.length === 0) delete person["addresses"];
  else if (others !== undefined) person["addresses"] = others;
}

describe("a list that is imported again", () => {
  const rows = [
    "name,email,birthDate",
    "Ada Lovelace,ada@example.org,1815-12-10",
    "Grace Hopper,,1906-12-09",
    "Kay,,",
    "Anne,byron@example.org,",
    "Byron,byron@example.org,",
  ];

  it("after it broke off, stores who is missing, also where people of the file share what they are known by", async () => {
    const database = newFile("db");
    const begun = write("csv", `${rows.slice(0, 5).join("\n")}\n`);
    await importing({ database, file: begun });
    const file = write("csv", `${rows.join("\n")}\n`);
    // Kay has nothing to be known by, and is stored again: it is another file.
    assert.match(await importing({ database, file }), /\nstored 2 people in [^,]*, 3 unchanged$/m);
    assert.match(await importing({ database, file }), /\nThis is the report of an import of this file /m);
  });

  it("refuses people who are likely stored and differ, and says what else there is", async () => {
    const stored = [
      { id: 1, name: "Ada Lovelace", birthDate: "1815-12-10", email: "ada@example.org" },
      { id: 2, name: "Grace Hopper", birthDate: "1906-12-09" },
    ];
    const database = await databaseWith(...stored);
    const list =
      "name,email,birthDate,jobTitle\nAda King,ADA@example.org,,poet\nGrace Hopper,,1906-12-09,admiral\nEve,,,\n";
    const file = write("csv", list);
    const faults =
      "\nline 2: email is that of the record 1, likely the same\nline 3: name with birthDate is that of the record 2, ";
    for (const options of [["--dry-run"], []]) {
      const said = await importing({ database, file }, "--on-match", "refuse", ...options);
      assert.ok(said.includes(faults), said);
      assert.match(said, /--on-match skip .*\n(?:checked|stored) 1 person[^,]*, 2 refused$/s);
    }
    assert.deepEqual(await peopleIn(database), [...stored, { id: 3, name: "Eve" }]);
  });

  it("refuses to change one of several who are likely the same", async () => {
    const family = ["Anne", "Byron"].map((name) => ({ name, email: "byron@example.org" }));
    const database = await databaseWith(...family);
    const file = write("csv", "name,email\nAda,byron@example.org\n");
    const said = await importing({ database, file }, "--on-match", "update");
    assert.match(said, /\nline 2: email is that of the records 1 and 2, likely the same\n/);
  });
});

describe("people whom the list does not have", () => {
  const all = [ada, grace, { name: "Kay" }, { name: "Eve" }];

  it("stay, and nobody is changed, where they may be those of refused lines", async () => {
    const database = await databaseWith(...all);
    const before = await peopleIn(database);
    const file = write("csv", "id,jobTitle,email\n1,poet,\n2,,grace\n");
    const said = await importing({ database, file }, "--upsert", "id", "--remove-missing", "all");
    assert.match(said, /line 3: email must have one @.*\nNothing was stored: there is 1 fault on line 3\.$/s);
    assert.deepEqual(await peopleIn(database), before);
  });

  it("are not those whom a line left out, or was refused for several people", async () => {
    const database = await databaseWith(...all);
    const list = write("csv", "identifier,name,email\nA,Ada,ada@example.org\n");
    const options = ["--upsert", "identifier", "--on-match", "skip", "--remove-missing", "all"];
    const said = await importing({ database, file: list }, ...options);
    assert.match(said, /, 1 likely stored and left out, 3 removed$/);
    assert.deepEqual(await peopleIn(database), [{ id: 1, ...ada }]);
  });
});
