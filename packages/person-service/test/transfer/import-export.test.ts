import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";
import { openDatabase } from "@waymark/collection";
import fc from "fast-check";
import { parseCommandLine } from "../../src/cli/command-line.ts";
import { personCollection } from "../../src/person/collection.ts";
import { type FormatName, formatNames } from "../../src/transfer/formats.ts";
import { legalPerson } from "../person/legal-person.ts";
import { commandFiles, peopleIn, run } from "../tools/programs/command-runs.ts";
import { programArguments } from "../tools/programs/program-arguments.ts";
import { startService } from "../tools/programs/service-process.ts";

const { folder, newFile, write } = commandFiles("import-export");

const ada = { id: 1, name: "Ada Lovelace", givenName: "Ada", familyName: "Lovelace", birthDate: "1815-12-10" };

describe("import", () => {
  const rows = "First Name;Last Name;Birthday;Country\nAda;Lovelace;10.12.1815;Großbritannien\n";
  const utf16 = Buffer.from(`\ufeff${rows}`, "utf16le");
  const charsets: Readonly<Record<string, readonly [content: Buffer, said: RegExp]>> = {
    "UTF-8": [Buffer.from(rows), /: csv, UTF-8, separated by semicolons\n/],
    "UTF-8 with a byte order mark": [Buffer.from(`\ufeff${rows}`), /: csv, UTF-8, /],
    "UTF-16, little end first": [utf16, /: csv, UTF-16 LE, /],
    "UTF-16 without a byte order mark": [utf16.subarray(2), /: csv, UTF-16 LE, /],
    "UTF-16 without a byte order mark, big end first": [Buffer.from(utf16).swap16().subarray(2), /: csv, UTF-16 BE, /],
    "UTF-16, big end first": [Buffer.from(utf16).swap16(), /: csv, UTF-16 BE, /],
    "Windows-1252": [Buffer.from(rows, "latin1"), /: csv, Windows-1252, /],
  };
  for (const [name, [content, said]] of Object.entries(charsets)) {
    it(`finds out the charset ${name}, the delimiter and the columns, and says so`, async () => {
      const database = newFile("db");
      const printed = await run("import", write("csv", content), "--date", "DD.MM.YYYY", "--database", database);
      assert.match(printed, said);
      const columns = '\ncolumns: "First Name" is givenName, "Last Name" is familyName, "Birthday" is birthDate, ';
      assert.ok(printed.includes(columns) && printed.includes("\nstored 1 person in "), printed);
      assert.deepEqual(await peopleIn(database), [{ ...ada, address: { addressCountry: "GB" } }]);
    });
  }

  it("leaves out unknown columns, names them, and says how to keep one", async () => {
    const database = newFile("db");
    const file = write("csv", "name,Cust No,Shoe,\nAda,7,38,x\n");
    assert.match(
      await run("import", file, "--database", database),
      /\nleft out: "Cust No", "Shoe", ""\. To keep one, name its member: --map 'Cust No=MEMBER'\nstored 1 person /,
    );
    const printed = await run("import", file, "--database", database, "--map", "Cust No=identifier", "--map", "Shoe=");
    assert.match(printed, /\nleft out: ""\. /);
    assert.deepEqual((await peopleIn(database))[1], { id: 2, name: "Ada", identifier: "7" });
  });

  it("refuses a file of which no column is a member, which would be an import of nobody", async () => {
    for (const text of ["Cust No,Shoe\n7,38\n", "Shoe,Size\n38,\n"]) {
      const file = write("csv", text);
      await assert.rejects(run("import", file, "--database", newFile("db")), {
        message: `No column of "${file}" is a member of a person.`,
      });
    }
  });

  it("refuses to map a column that the file does not have, which would be read as something else", async () => {
    const file = write("csv", "Name,Geburtsdatum\nAda,1843-12-10\n");
    const map = (value: string): Promise<string> => run("import", file, "--database", newFile("db"), "--map", value);
    await assert.rejects(map("Geburtsdatun=anniversary"), {
      message: /The map names the column "Geburtsdatun", which the file does not have; did you mean "Geburtsdatum"\?/,
    });
    await assert.rejects(map("Shoe="), {
      message: /The map names the column "Shoe", which the file does not have\. Columns: "Name", "Geburtsdatum"\./,
    });
  });

  it("renames members of JSON too", async () => {
    const database = newFile("db");
    const file = write("ndjson", '{"full":"Ada","zip":"W1","x":1}\n');
    const map = ["full=name", "zip=address.postalCode", "x="].flatMap((value) => ["--map", value]);
    await run("import", file, "--database", database, ...map);
    assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Ada", address: { postalCode: "W1" } }]);
  });

  for (const [what, content, charset] of [
    ["empty columns without a name, and empty rows", "name;;birthDate;\r\nAda;;10.12.1815;\r\n;;;\r\n", "utf8"],
    ["the line sep=;", "sep=;\r\nname;birthDate\r\nAda;10.12.1815\r\n", "utf16le"],
    ["lines that end in CR", "name;birthDate\rAda;10.12.1815\r", "utf8"],
  ] as const) {
    it(`reads a file with ${what}, in ${charset}`, async () => {
      const database = newFile("db");
      const file = write("csv", Buffer.from(`\ufeff${content}`, charset));
      const printed = await run("import", file, "--database", database, "--date", "D.M.YYYY");
      assert.match(printed, /semicolons\nstored 1 person in [^\n]*$/);
      assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Ada", birthDate: "1815-12-10" }]);
    });
  }

  it("reads lines that end in CRLF within a cell", async () => {
    const database = newFile("db");
    await run("import", write("csv", 'name,description\r\nAda,"one\r\ntwo"\r\n'), "--database", database);
    assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Ada", description: "one\ntwo" }]);
  });

  it("writes what is refused to a file that can be corrected and imported, again and again", async () => {
    const database = newFile("db");
    const [first, second] = [newFile("csv"), newFile("csv")];
    const content = 'name,email,identifier\nAda,ada,1\nGrace,g@x.org,2\n"Kay\n""J""\u0007",kay,3\nBo,b@x.org,2\n';
    const printed = await run("import", write("csv", content), "--database", database, "--rejects", first);
    const faults =
      /\nline 2: email must [^\n]*\nline 4: name must [^\n]*; email must [^\n]*\nline 6: identifier is already/;
    assert.match(printed, faults);
    assert.match(printed, /stored 1 person in .*, 3 refused$/);
    const rejected = readFileSync(first, "utf8");
    assert.match(
      rejected,
      /^name,email,identifier,"import-error"\nAda,ada,1,"email must [^\n]*"\n"Kay\n""J"".",kay,3,"name [^\n]*"\nBo,/,
    );
    writeFileSync(first, rejected.replace("Ada,ada,", "Ada,a@x.org,"));
    const again = await run("import", first, "--database", database, "--rejects", second);
    assert.match(again, /stored 1 person in .*, 2 refused$/);
    assert.equal(readFileSync(second, "utf8").split("import-error").length, 2);
    const link = newFile("csv");
    symlinkSync(first, link);
    for (const same of [first, link]) {
      await assert.rejects(run("import", first, "--rejects", same, "--database", database), /must be another file/);
    }
  });

  it("keeps headings of several lines, as spreadsheets wrap them", async () => {
    const [database, rejects] = [newFile("db"), newFile("csv")];
    const file = write("csv", 'Name,"E-\nMail"\nAda,ada\nGrace,g@x.org\n');
    await run("import", file, "--database", database, "--rejects", rejects);
    const rejected = readFileSync(rejects, "utf8");
    assert.match(rejected, /^Name,"E-\nMail","import-error"\nAda,ada,"email must [^\n]*"\n$/);
    writeFileSync(rejects, rejected.replace("Ada,ada,", "Ada,a@x.org,"));
    assert.match(await run("import", rejects, "--database", database), /stored 1 person in [^,]*$/);
  });

  it("writes cards that are refused as they stand in the file, with the reason", async () => {
    const [database, rejects] = [newFile("db"), newFile("vcf")];
    const refused = "BEGIN:VCARD\r\nVERSION:3.0\r\nNOTE;X-SEEN=1:nobody\\, of\r\n  any name\r\nEND:VCARD\r\n";
    const named = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ada\r\nEND:VCARD\r\n";
    await run("import", write("vcf", named + refused + named), "--database", database, "--rejects", rejects);
    assert.equal((await peopleIn(database)).length, 2);
    const [first = "", reason, ...rest] = readFileSync(rejects, "utf8").split(/(?<=\n)/);
    assert.match(reason ?? "", /^X-IMPORT-ERROR:name [^\n]*\n$/);
    assert.equal([first, ...rest].join(""), refused);
  });

  it("sends the file to a server, with the key that a file has", async () => {
    const [database, keys, key] = [newFile("db"), newFile("json"), newFile("key")];
    const access = write("json", '{ "rules": [{ "path": "/**", "scopes": ["person"] }] }');
    const [file, rejects] = [write("csv", "name,email\nAda,a@x.org\nKay,kay\n"), newFile("csv")];
    await run("key", "create", "--name", "crm", "--scope", "person", "--keys", keys, "--out", key);
    await using service = await startService("--access", access, "--keys", keys, "--database", database);
    const sending = ["import", file, "--server", `${service.url}/`] as const;
    await assert.rejects(run(...sending), /cannot be imported: /);
    const said = await run(...sending, "--key-file", key, "--rejects", rejects);
    assert.match(said, /\nline 3: email must .*\nstored 1 person in http:[^,]*, 1 refused$/s);
    assert.match(readFileSync(rejects, "utf8"), /^name,email,"import-error"\nKay,kay,"email must [^\n]*"\n$/);
    assert.match(await run(...sending, "--key-file", key), /nobody was stored again/);
    service.kill("SIGTERM");
    const { log } = await service.exited;
    assert.deepEqual(
      log.flatMap(({ event, caller, created }) => (event === "change" ? [[caller, created]] : [])),
      [["key:crm", 1]],
    );
    await assert.rejects(run(...sending), /cannot be reached: .* within 24 hours, with the same file\.$/);
  });

  it("is possible for a user without a name, whom a container may have", async (t) => {
    const { mock } = t.mock.method(os, "userInfo", () => assert.fail("ENOENT"));
    syncBuiltinESMExports();
    try {
      const said = await run("import", write("csv", "name\nAda\n"), "--database", newFile("db"));
      assert.match(said, /\nstored 1 person in /);
    } finally {
      mock.restore();
      syncBuiltinESMExports();
    }
  });

  it("keeps empty cells at the end of what is refused", async () => {
    const rejects = newFile("tsv");
    const file = write("tsv", "email\tname\tjobTitle\nada\tAda\t\r\n\r\n");
    await run("import", file, "--database", newFile("db"), "--rejects", rejects);
    const rejected = /^email\tname\tjobTitle\t"import-error"\nada\tAda\t\t"email must [^\n]*"\n$/;
    assert.match(readFileSync(rejects, "utf8"), rejected);
  });

  it("stores nobody when the file for refused people cannot be written", async () => {
    const database = newFile("db");
    const file = write("csv", "name,email\nAda,ada\n");
    for (const [rejects, reason] of [
      [folder.path("missing/rejects.csv"), "its directory does not exist"],
      [folder.path("."), "it is a directory"],
    ] as const) {
      const message = `The file "${rejects}" of --rejects cannot be written: ${reason}`;
      await assert.rejects(run("import", file, "--database", database, "--rejects", rejects), { message });
    }
    assert(!existsSync(database));
  });

  const hasFullDisk = existsSync("/dev/full");
  it("says that there is no room for refused people", { skip: !hasFullDisk && "there is no /dev/full" }, async () => {
    const file = write("csv", "name,email\nAda,ada\n");
    await assert.rejects(run("import", file, "--database", newFile("db"), "--rejects", "/dev/full"), {
      message: /^The file "\/dev\/full" of --rejects cannot be written: the disk is full$/,
    });
  });

  it("writes refused records of other formats as NDJSON with the reason", async () => {
    const rejects = newFile("ndjson");
    const file = write("json", '[{"name":"Ada"},{"name":"Kay","email":"kay"}]');
    const printed = await run("import", file, "--database", newFile("db"), "--rejects", rejects);
    assert.match(printed, /\nrecord 2: email must have one @/);
    assert.deepEqual(Object.keys(JSON.parse(readFileSync(rejects, "utf8"))), ["name", "email", "import-error"]);
  });

  it("says the format of refused people where the name of their file says another one, or none", async () => {
    const json = '[{"name":"Kay","email":"kay"}]';
    for (const [source, content, extension, format] of [
      ["json", json, "json", " with --format ndjson"],
      ["json", json, "ndjson", ""],
      ["csv", "name,email\nKay,kay\n", "refused", " with --format csv"],
    ] as const) {
      const rejects = newFile(extension);
      const printed = await run("import", write(source, content), "--database", newFile("db"), "--rejects", rejects);
      assert.ok(printed.includes(`${rejects}: correct them there, and import that file${format}.\n`), printed);
      const again = await run("import", rejects, "--dry-run", ...format.split(" ").slice(2));
      assert.match(again, /: email must have one @/);
    }
  });

  it("with --dry-run counts what the import would store, also where values are twice in the file", async () => {
    const file = write("csv", "id,name,identifier\n1,Ada,A\n,Eve,A\n1,Bo,B\n,Cy,B\n,Dan,\n,Di,\n");
    const database = newFile("db");
    const counts = "4 people[^,]*, 2 refused$";
    const refused = ["3: identifier is already", "4: id is or was"];
    for (const [options, verb] of [
      [["--dry-run"], "checked"],
      [[], "stored"],
    ] as const) {
      const printed = await run("import", file, "--database", database, ...options);
      for (const line of refused) assert.ok(printed.includes(`\nline ${line} used by another record\n`), printed);
      assert.match(printed, new RegExp(`\\n${verb} ${counts}`));
    }
    const upsert = ["import", write("csv", "name,identifier\nAda,A\nEve,A\n"), "--upsert", "identifier"];
    assert.match(await run(...upsert, "--database", newFile("db"), "--dry-run"), /checked 1 person, 1 refused$/);
  });

  it("says with which options refused people are imported again", async () => {
    const [database, rejects] = [newFile("db"), newFile("csv")];
    const file = write("csv", "Name,Geb. am\nAda,10.12.1815\nEve,31.2.1990\nBo,1.2.70\n");
    const options = ["--map", "Geb. am=birthDate", "--date", "d.m.yyyy"];
    const refused = await run("import", file, "--database", database, "--rejects", rejects, ...options);
    assert.match(refused, /\nline 3: birthDate must be a real date, and 1990-02 has the days 01 to 28\n/);
    assert.match(refused, /\nline 4: birthDate must be a date as D\.M\.YYYY such as 10\.12\.1990, not "1\.2\.70"\n/);
    assert.match(refused, /\nDates such as "1\.2\.70" need --date D\.M\.YY\.\n/);
    const advice = `correct them there, and import that file with --map 'Geb. am=birthDate' --date d.m.yyyy.`;
    assert.ok(refused.includes(`\nThe refused people are in ${rejects}: ${advice}\n`), refused);
    const again = ["import", rejects, "--database", database, "--map", "Geb. am=birthDate", "--date", "D.M.YY"];
    assert.match(await run(...again), /\nstored 1 person in [^,]*, 1 refused$/);
    assert.deepEqual(await peopleIn(database), [
      { id: 1, name: "Ada", birthDate: "1815-12-10" },
      { id: 2, name: "Bo", birthDate: "1970-02-01" },
    ]);
  });

  it("reads dates of the only form that fits all, and names the forms where several do", async () => {
    const other = "If dates have another form, name it, as in --date DD.MM.YYYY.";
    for (const [dates, note] of [
      [["12/10/1815"], 'Dates such as "12/10/1815" need --date M/D/YYYY or --date D/M/YYYY.'],
      [["12/10/1815", "13/10/1815"], 'dates: "12/10/1815" is read as D/M/YYYY'],
      [["1990-01-12", "12-Jan-1990"], 'dates: "12-Jan-1990" is read as D-MMM-YYYY'],
      [["Jan 2, 1990"], 'dates: "Jan 2, 1990" is read as MMM D, YYYY'],
      [["12.10.1815", "10/12/1815"], other],
      [["long ago"], other],
      [["1815-12-10"], undefined],
    ] as const) {
      const file = write("csv", `name,birthDate\n${dates.map((date) => `Ada,"${date}"\n`).join("")}`);
      const printed = await run("import", file, "--database", newFile("db"), "--dry-run");
      assert.equal(/\n(Dates such as|If dates|dates:) [^\n]*/.exec(printed)?.[0].trim(), note);
    }
  });

  it("stores nobody of a file twice, and says how to store those again who were removed since", async () => {
    const database = newFile("db");
    const rows = "name,email\nAda,ada@x.org\nGrace,grace@x.org\n";
    const file = write("csv", rows);
    await run("import", file, "--database", database);
    const opened = await openDatabase(database, { collections: [personCollection] });
    await opened.store("person").remove(1);
    await opened.close();
    assert.match(
      await run("import", file, "--database", database),
      /stored 2 people in .*\nThis is the report of an import of this file in the last 24 hours: .* by a blank line at its end\.$/,
    );
    assert.equal((await peopleIn(database)).length, 1);
    const changed = write("csv", `${rows}\n`);
    assert.match(await run("import", changed, "--database", database), /stored 1 person in .*, 1 unchanged$/);
  });

  it("with --upsert changes the members that the file has, and stores new people", async () => {
    const database = newFile("db");
    await run("import", write("csv", "name,email,identifier\nAda,a@x.org,1\n"), "--database", database);
    const upsert = ["--upsert", "identifier", "--database", database];
    const changes = write("csv", "name,jobTitle,identifier\nAda L,poet,1\nGrace,,2\nGrace H,,2\nBo,,\n");
    const printed = await run("import", changes, ...upsert);
    assert.match(printed, /\nline 5: identifier is required, to find the record by\n/);
    assert.match(printed, /\nline 4: identifier is already used by an earlier line\n/);
    assert.match(printed, /stored 1 person in .*, 1 changed, 2 refused$/);
    assert.match(await run("import", write("csv", "name,identifier\nAda L,1\n"), ...upsert), /, 1 unchanged$/);
    assert.deepEqual(await peopleIn(database), [
      { id: 1, name: "Ada L", email: "a@x.org", jobTitle: "poet", identifier: "1" },
      { id: 2, name: "Grace", identifier: "2" },
    ]);
  });

  it("reads a vCard with spaces around values, blank lines, and the card of an agent", async () => {
    const database = newFile("db");
    const agent = ["AGENT:", "BEGIN:VCARD", "VERSION:2.1", "N:Lovelace;Ada", "END:VCARD"];
    const person = ["VERSION:2.1", "N:Babbage;Charles ", "EMAIL: charles@example.org ", "", " \t"];
    const lines = ["BEGIN:VCARD", ...person, ...agent, "TITLE: Engineer", "END:VCARD", ""];
    await run("import", write("vcf", lines.join("\r\n")), "--database", database);
    const charles = { givenName: "Charles", familyName: "Babbage", email: "charles@example.org", jobTitle: "Engineer" };
    assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Charles Babbage", ...charles }]);
  });

  it("joins a character of a vCard that is folded between its bytes", async () => {
    const database = newFile("db");
    const card = Buffer.from("BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Jürgen 山😀\r\nNOTE:Größe\r\nEND:VCARD\r\n");
    const folded = Array.from(card, (byte) => (byte >= 0x80 && byte < 0xc0 ? [0x0d, 0x0a, 0x20, byte] : [byte]));
    await run("import", write("vcf", Buffer.from(folded.flat())), "--database", database);
    assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Jürgen 山😀", description: "Größe" }]);
  });

  it("refuses a vCard without an end, and stores the others", async () => {
    const database = newFile("db");
    const card = (name: string): string => `BEGIN:VCARD\nVERSION:4.0\nFN:${name}\n`;
    const file = write("vcf", `${card("Ada")}${card("Grace")}END:VCARD\n`);
    const printed = await run("import", file, "--database", database);
    assert.match(printed, /\nline 1: has no END:VCARD\n(?:.*\n)*stored 1 person in .*, 1 refused$/);
    assert.deepEqual(await peopleIn(database), [{ id: 1, name: "Grace" }]);
  });

  it("leaves out addresses of Exchange in columns of e-mails, and names them", async () => {
    const database = newFile("db");
    const rows = "Name,E-mail Address,E-mail 2 Address\nAda,/o=First/cn=ada,a@x.org\nKay,k@x.org,/O=FIRST/CN=kay\n";
    const printed = await run("import", write("csv", rows), "--database", database);
    assert.match(printed, /\nnote: line 2 has an address of Exchange, .*"\/o=First\/cn=ada"\nnote: line 3 has an /);
    assert.deepEqual(await peopleIn(database), [
      { id: 1, name: "Ada", email: "a@x.org" },
      { id: 2, name: "Kay", email: "k@x.org" },
    ]);
  });

  it("leaves out a line of a vCard with parameters without end, and names it", async () => {
    const database = newFile("db");
    const parameters = (count: number): string => `EMAIL${";a=b".repeat(count)}:ada@example.org`;
    const [colons, photo] = [`EMAIL;a="${":".repeat(5_000)}":x`, `PHOTO;ENCODING=b:${"A".repeat(100_000)}`];
    const cards = [parameters(500), parameters(1_500), colons, photo].map(
      (line) => `BEGIN:VCARD\r\nVERSION:4.0\r\n${line}\r\nFN:Ada\r\nEND:VCARD\r\n`,
    );
    const printed = await run("import", write("vcf", cards.join("")), "--database", database);
    const notes = /\nnote: line 8 has a line that is not a property, .*"EMAIL;a=b;.*\nnote: line 13 has a line /;
    assert.match(printed, notes);
    assert.match(printed, /\nstored 4 people in .*$/);
  });

  // biome-ignore format: a table
  const unusable: readonly (readonly [name: string, argv: readonly string[], message: RegExp])[] = [
    ["a file that is missing", ["none.csv"], /^The file "none\.csv" cannot be read: it does not exist$/],
    ["a directory", [folder.path("."), "--format", "csv"], /cannot be read: it is a directory$/],
    ["a spreadsheet", ["people.xlsx"], /^"people\.xlsx" is the file of a spreadsheet\. .* save it as CSV\.$/],
    ["what is no text", [write("csv", Buffer.from("PK\u0003\u0004\u0014\0"))], /is not a text in .* save it as CSV\.$/],
    ["a name that says no format", [write("dat", "")], /says no format: add --format with csv, ndjson, /],
    ["standard input without a format", ["-"], /"standard input" says no format/],
    ["an empty file", [write("csv", "")], /cannot be imported: .*no header/],
    ["XML without people", [write("xml", "<people/>")], /has no <person> elements/],
    ["XML that is cut off", [write("xml", "<people><person><name>A")], /because of line 1: The last person has no end/],
    ["no vCards", [write("vcf", "x")], /has no vCards/],
    [
      "a vCard that does not end", [write("vcf", `BEGIN:VCARD\n${`NOTE:${"x".repeat(1e6)}\n`.repeat(9)}END:VCARD\n`)],
      /because of line 1: A vCard is longer than 8388608 characters/,
    ],
    [
      "a line of a vCard that does not end", [write("vcf", `BEGIN:VCARD\nNOTE:${"x".repeat(9e6)}\nEND:VCARD\n`)],
      /because of line 2: A vCard is longer than 8388608 characters/,
    ],
    ["JSON that is cut off", [write("json", '[{"name":"Ada"}')], /not closed/],
  ];
  for (const [name, argv, message] of unusable) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(run("import", ...argv, "--database", newFile("db")), { message });
    });
  }

  // biome-ignore format: a table
  const mistaken: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
    [[], /^Missing required argument 'FILE'\.$/],
    [["a.csv", "--format", "xls"], /^--format must be csv, ndjson, json, xml, vcard or vcard3, not "xls"\.$/],
    [
      ["a.csv", "--date", "TT.MM.JJJJ"],
      /^--date must be like DD\.MM\.YYYY or M\/D\/YYYY, not "TT\.MM\.JJJJ"; did you mean DD\.MM\.YYYY\?$/,
    ],
    [["a.csv", "--date", "mm/dd/yyy"], /, not "mm\/dd\/yyy"; did you mean MM\/DD\/YYYY\?$/],
    [["a.csv", "--date", "day first"], /^--date must be like DD\.MM\.YYYY or M\/D\/YYYY, not "day first"\.$/],
    [["a.csv", "--map", "name"], /^--map must be like "Full Name=name", not "name"\.$/],
    [["a.csv", "--map", "x=birthdate"], /^--map names "birthdate", which is not a member of a person; did you mean "birthDate"\?$/],
    [["a.csv", "--upsert", "jobtitle"], /^--upsert must be id, name, .* or identifier, not "jobtitle"\.$/],
    [["a.csv", "--absent", "clear"], /^--absent needs --upsert, or --on-match update\.$/],
    [["a.csv", "--database", ":memory:"], /^import needs a database that is kept, not ":memory:"\.$/],
    [["a.csv", "--map", "x=", "--map", "x=name"], /^--map names the column "x" twice\.$/],
    [["a.csv", "--database", "a.db", "--rejects", "./a.db"], /^--rejects and --database are the same file\.$/],
    [["a.csv", "--remove-missing", "all"], /^--remove-missing needs --upsert\.$/],
    [["a.csv", "--upsert", "id", "--remove-missing", "some"], /^--remove-missing must be a number of people, or all, not "some"\.$/],
  ];
  for (const [argv, message] of mistaken) {
    it(`refuses [${argv.join(" ")}]`, () => {
      const line = parseCommandLine(["import", ...argv]);
      assert(line.kind === "usage-error");
      assert.match(line.usageErrors[0] ?? "", message);
    });
  }
});

// biome-ignore format: a table
const everything = {
  id: 7,
  name: "Ada Lovelace",
  givenName: "Ada",
  additionalName: "Augusta",
  familyName: "Lovelace",
  alternateName: "Countess",
  birthDate: "1815-12-10",
  email: "ada@example.org",
  telephone: "+44 (0)20 / 7946.0000",
  address: {
    streetAddress: "St James's Square 12", addressLocality: "London", addressRegion: "Greater London", postalCode: "SW1Y 4JH",
    addressCountry: "GB",
  },
  jobTitle: "mathematician",
  worksFor: "Analytical Engines",
  url: "https://example.org/ada?a=1&b=%3B#c",
  knowsLanguage: "en-GB",
  categories: ["press", "a; b, c\\d", "[1]", "=1"],
  description: "first line\nsecond line\n\n\tand a tab",
  identifier: "A-1",
};

/** Text that means something in one of the formats, or that programs have changed. */
// biome-ignore format: a table
const awkwardTexts: readonly string[] = [
  ...['a, b; c | d\te"f', '"', "''", "'=1+1", "=1+1", "+1", "-1", "@x", "\\n", "\\", "a\\,b\\;c", ",,", ";;;", ":"],
  ...["007", "1e5", "0x1F", "true", "null", "NULL", "undefined", "NaN", "2001-02-03", "-"],
  ...["<a>&amp;</a>", "]]>", "<!-- -->", "&#10;", "{}", "[1]", '{"a":1}', "%0A", "=C3=A9", "BEGIN:VCARD", "END:VCARD"],
  ...[
    "é", "e\u0301", "漢字", "😀👩‍👩‍👧", "אבג", "\u202Eabc", "ﬁ", "a\u00A0b", "a\u2028b", "\uFFFD", "\u{10063}\\", "\u{10FFFD}",
    "\u{10000}\\\u{103FF}\\\u{10000}", "İı",
  ],
];

const awkwardPeople: readonly object[] = [
  everything,
  { name: "nulls", givenName: null, address: null, description: null },
  { name: "nothing said", description: "" },
  { name: "old", birthDate: "0001-01-01" },
  { name: "leap day", birthDate: "2000-02-29", address: { postalCode: "0" } },
  { id: 9_007_199_254_740_990, name: "a large id" },
  ...awkwardTexts
    .filter((name) => !/[\t\n]/.test(name))
    .map((name) => ({ name, givenName: name, worksFor: name, address: { streetAddress: name }, identifier: name })),
  ...awkwardTexts.flatMap((text) => [
    { name: "begins", description: text },
    { name: "lines", description: `${text}\n${text}\n` },
  ]),
];

const same = (person: unknown): unknown => person;

/** A vCard 3.0 says of no telephone that it has a voice, since nearly all have. */
const withoutVoices = (person: unknown): unknown =>
  JSON.parse(JSON.stringify(person), (name, value) => {
    if (name !== "features") return value;
    const features = value.filter((feature: string) => feature !== "voice");
    return features.length === 0 ? undefined : features;
  });

/** What a person is after a format that does not have everything. */
const lost: Readonly<Partial<Record<FormatName, (person: unknown) => unknown>>> = { vcard3: withoutVoices };

describe("what is exported and imported", () => {
  for (const format of formatNames) {
    it(`is the same people, as ${format}`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(legalPerson, { minLength: 1, maxLength: 12 }), async (people) => {
          const source = newFile("db");
          const database = await openDatabase(source, { collections: [personCollection] });
          const { kind } = await database.store("person").createAll(people.map(({ id: _id, ...person }) => person));
          await database.close();
          fc.pre(kind === "created");
          const [file, target] = [newFile(format), newFile("db")];
          await run("export", file, "--format", format, "--database", source);
          const printed = await run("import", file, "--format", format, "--database", target);
          const [expected, found] = [(await peopleIn(source)).map(lost[format] ?? same), await peopleIn(target)];
          assert.deepEqual(found, expected, printed);
        }),
        { numRuns: 1, endOnFailure: true }, // a smaller example would take minutes
      );
    });

    it(`is the same awkward people, as ${format}`, async () => {
      const [source, file, target] = [newFile("db"), newFile(format), newFile("db")];
      await run("import", write("json", JSON.stringify(awkwardPeople)), "--database", source);
      const before = await peopleIn(source);
      assert.equal(before.length, awkwardPeople.length);
      await run("export", file, "--format", format, "--database", source);
      const printed = await run("import", file, "--format", format, "--database", target);
      const after = await peopleIn(target);
      // Cards have no ids.
      const hasIds = !/^vcard/.test(format);
      const expected = hasIds ? before : before.map((person, i) => ({ ...(person as object), id: i + 1 }));
      assert.equal(after.length, expected.length, printed);
      for (const [i, person] of after.entries()) assert.deepEqual(person, expected[i]);
    });
  }

  it("is the same awkward people, as CSV for Excel in two countries", async () => {
    const source = newFile("db");
    await run("import", write("json", JSON.stringify(awkwardPeople)), "--database", source);
    for (const [locale, said, begins] of [
      ["de-CH", "semicolons as in Excel of the locale de-CH", "\ufeffid;name;"],
      ["en-GB", "commas as in Excel of the locale en-GB", "\ufeffid,name,"],
    ] as const) {
      const [file, target] = [newFile("csv"), newFile("db")];
      const options = ["--for", "excel", "--locale", locale, "--database", source];
      assert.ok((await run("export", file, ...options)).endsWith(`, separated by ${said}`));
      assert.ok(readFileSync(file, "utf8").startsWith(begins));
      await run("import", file, "--database", target);
      assert.deepEqual(await peopleIn(target), await peopleIn(source));
    }
  });

  it("is for Excel in CSV only, and in a language that there is", async () => {
    await assert.rejects(run("export", newFile("db"), "--format", "json", "--for", "excel"), {
      message: "--for excel writes CSV, not json.",
    });
    for (const [args, message] of [
      [["--locale", "de"], /^--locale needs --for excel\.$/],
      [
        ["--for", "excel", "--locale", "d"],
        /^--locale must be a language, and perhaps a country, such as de or de-CH, not "d"/,
      ],
      [["--for", "excel", "--locale", "german"], /^--locale must be a language, .* not "german"/],
      [["--for", "numbers"], /^--for must be excel, not "numbers"/],
    ] as const) {
      const line = parseCommandLine(["export", ...args]);
      assert(line.kind === "usage-error");
      assert.match(line.usageErrors.join(), message);
    }
  });

  it("goes into a named pipe, and to a device that a link leads to", {
    skip: process.platform === "win32",
  }, async () => {
    const database = newFile("db");
    await run("import", write("csv", "name\nAda\n"), "--database", database);
    const [pipe, link] = [folder.path("pipe.csv"), folder.path("link.csv")];
    execFileSync("mkfifo", [pipe]);
    const [read] = await Promise.all([readFile(pipe, "utf8"), run("export", pipe, "--database", database)]);
    assert.match(read, /^id,name,.*\r\n1,Ada,/);
    assert(lstatSync(pipe).isFIFO());
    symlinkSync("/dev/null", link);
    await run("export", link, "--database", database);
    assert(lstatSync(link).isSymbolicLink());
  });

  it("is complete, or not there", async () => {
    const database = newFile("db");
    await assert.rejects(run("export", newFile("csv"), "--database", database), /does not exist|no such|is not there/i);
    assert(!existsSync(database));
    await run("import", write("csv", "name\nAda\n"), "--database", database);
    const message = /cannot be written: its directory does not exist$/;
    await assert.rejects(run("export", folder.path("missing/people.csv"), "--database", database), { message });
  });
});

describe("the programs", () => {
  const filled = newFile("db");
  const rows = Array.from({ length: 6_000 }, (_, n) => `Ada ${n}\n`).join("");
  before(() => run("import", write("csv", `name\n${rows}`), "--database", filled));

  it("are ended by SIGINT while they read standard input, of which no file is ever left", async () => {
    const [database, TMPDIR] = [newFile("db"), folder.path("temporary")];
    mkdirSync(TMPDIR);
    const args = [...programArguments, "import", "-", "--format", "csv", "--database", database];
    const reading = spawn(process.execPath, args, { env: { ...process.env, TMPDIR } });
    const beyondPipes = `name\n${rows.repeat(50)}`;
    await new Promise((resolve) => reading.stdin.write(beyondPipes, resolve)); // it has read most of it
    const names = readdirSync(TMPDIR);
    reading.kill("SIGINT");
    reading.stdin.on("error", () => undefined).end();
    const [, signal] = await once(reading, "close");
    assert.deepEqual([names, signal, existsSync(database)], [[], "SIGINT", false]);
  });

  const shell = async (line: string, ...args: readonly string[]) => {
    const command = ["-c", line, process.execPath, ...programArguments, ...args];
    return promisify(execFile)("sh", command).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => error,
    );
  };

  it("end without a word when the reader of their output has enough", async () => {
    const { stdout, stderr } = await shell(
      `"$0" "$@" openapi | head -c 1; "$0" "$@" check-config | true; "$0" "$@" export - --database '${filled}' | head -c 2`,
    );
    assert.deepEqual([stdout, stderr], ["{id", ""]);
  });

  const hasFullDisk = existsSync("/dev/full");
  it("say that their output cannot be written", { skip: !hasFullDisk && "there is no /dev/full" }, async () => {
    const line =
      '"$0" "$@" check-config > /dev/full; echo $?; "$0" "$@" export --database DATABASE > /dev/full; echo $?';
    const { stdout, stderr } = await shell(line.replace("DATABASE", filled));
    const message = "person-service: Standard output cannot be written: the disk is full\n";
    assert.deepEqual([stdout, stderr], ["1\n1\n", message.repeat(2)]);
  });

  it("keep no key that cannot be shown", { skip: !hasFullDisk && "there is no /dev/full" }, async () => {
    const keys = newFile("keys.json");
    const line = '"$0" "$@" key create --name ci --scope person:read --keys KEYS > /dev/full; echo $?';
    const { stdout, stderr } = await shell(line.replace("KEYS", keys));
    assert.deepEqual([stdout, JSON.parse(readFileSync(keys, "utf8"))], ["1\n", { keys: [] }]);
    assert.match(stderr, /the disk is full\n.*No key was made, since it could not be shown\.\n$/);
  });
});
