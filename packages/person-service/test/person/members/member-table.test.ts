import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { namesFor, type PersonMember } from "../../../src/person/members/member.ts";
import { memberEntries } from "../../../src/person/members/members.ts";

const folder = join(import.meta.dirname, "../../..");
const textAt = (path: string): string => readFileSync(join(folder, path), "utf8");

/** Words that are in the language, or names of the store: `id`, `name`, `url`. Kinds of values are names of their own. */
const otherwiseUsed: ReadonlySet<string> = new Set(
  "id name url email telephone emails addresses languages description identifier".split(" "),
);

const names: readonly string[] = memberEntries
  .flatMap(([name]) => name.split("."))
  .filter((name) => name !== "address" && !otherwiseUsed.has(name));

describe("the table of a person's members", () => {
  for (const entry of readdirSync(join(folder, "src"), { recursive: true, withFileTypes: true })) {
    const path = join("src", entry.parentPath.slice(join(folder, "src").length), entry.name);
    if (!/\.ts$/.test(entry.name) || path === "src/person/members/members.ts") continue;
    it(`is the only place that knows a member, and not ${path}`, () => {
      const code = textAt(path).replaceAll(/\/\*.*?\*\/|(?<=^|\s)\/\/[^\n]*/gms, "");
      const known = names.filter((name) => new RegExp(`(?<![\\w$])${name}(?![\\w$(])`).test(code));
      assert.deepEqual(known, []);
    });
  }

  it("is the list of the README", () => {
    const rows = memberEntries.map(([name, { rule }]) => `| \`${name}\` | ${rule} |`);
    const readme = textAt("README.md");
    for (const row of rows) assert.ok(readme.includes(`\n${row}\n`), `the README has no line: ${row}`);
    const listed = [...readme.matchAll(/^\| `([\w.]+)` \| .* \|$/gm)].map(([, name]) => name);
    const own = listed.filter((name) => memberEntries.some(([known]) => known === name));
    assert.deepEqual(
      own,
      memberEntries.map(([name]) => name),
    );
  });

  it("is what the guide to lists says is filtered and searched", () => {
    const [, filtered = "", searched = ""] =
      /For people they are (.*?)\. `q` searches (.*?)\.\n/s.exec(textAt("../../docs/lists.md")) ?? [];
    const namesIn = (text: string): readonly string[] => Array.from(text.matchAll(/`(\w+)`/g), ([, name = ""]) => name);
    const namesOf = (use: "filter" | "search"): readonly string[] =>
      memberEntries.flatMap(([name, member]) => (member[use] === undefined ? [] : [name.split(".").at(-1) ?? ""]));
    assert.deepEqual(namesIn(filtered).toSorted(), namesOf("filter").toSorted());
    assert.deepEqual(namesIn(searched), namesOf("search"));
  });

  it("does not compile with a row that says too little", () => {
    type Needed = { [K in keyof PersonMember]-?: object extends Pick<PersonMember, K> ? never : K }[keyof PersonMember];
    const needed: Readonly<Record<Needed, true>> = {
      kind: true,
      label: true,
      group: true,
      vcard: true,
      words: true,
      rule: true,
    };
    assert.equal(Object.keys(needed).length, 6);
  });

  it("has no two members that one word means", () => {
    const places = memberEntries.flatMap(([name, member]) =>
      namesFor(member).map((word) => ({ name, word: word.toLowerCase() })),
    );
    for (const [word, found] of Map.groupBy(places, (place) => place.word)) {
      const meant = new Set(found.map(({ name }) => name));
      assert.ok(meant.size === 1, `${word} means ${[...meant].join(" and ")}`);
    }
  });
});

describe("a member that is added to the table", () => {
  it("is validated, stored, found, sent, read and shown without a change anywhere else", async () => {
    const program = join(import.meta.dirname, "added-member.ts");
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@waymark/source", program]);
    assert.deepEqual(JSON.parse(stdout), {
      refused: 'must be a date as YYYY-MM-DD such as 1815-12-10, not "soon"',
      meant: "is not a member of a person; did you mean deathDate?",
      stored: "1852-11-27",
      filtered: 1,
      vcard: "DEATHDATE:18521127",
      read: "1852-11-27",
      csv: "name,deathDate\r\nAda,1852-11-27\r\n",
      xml: true,
      jsonLd: "1852-11-27",
      heading: "deathDate",
      label: true,
      documented: true,
    });
  });
});
