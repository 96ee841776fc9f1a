import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { runs } from "../../../../waymark/test/tools/runs.ts";
import { membersOf } from "../../../src/index.ts";
import { patternTest } from "../../../src/person/members/pattern.ts";
import { readOwnMembers } from "../../../src/person/own/own-members.ts";
import { columnNames } from "../../../src/transfer/columns.ts";
import { asJson, assertProblem, pointersOf, read, store } from "../../tools/answers.ts";
import { describeInMemory, describeOnEveryStore, type Service } from "../../tools/transports.ts";

/** Members of each type. */
export const declared = {
  staffNumber: { type: "string", pattern: "^[A-Z]-[0-9]{4}$", "x-unique": true, title: "Staff no.", "x-column": true },
  joined: { type: "string", format: "date", formatMinimum: "1900-01-01", "x-aliases": ["hired on"] },
  desk: { type: "integer", minimum: 1, maximum: 400 },
  rate: { type: "number" },
  contractor: { type: "boolean" },
  team: { type: "string", enum: ["red", "blue"] },
  skills: { type: "array", items: { type: "string", maxLength: 40 } },
} as const;

const full = {
  staffNumber: "K-0001",
  joined: "2030-01-01",
  desk: 7,
  rate: 1.5,
  contractor: false,
  team: "red",
  skills: ["maths", "C; C++"],
};

const members = async () => ({ members: membersOf(declared) });

const patch = (body: unknown): Parameters<Service["send"]>[2] => ({
  headers: { "Content-Type": "application/merge-patch+json" },
  body: JSON.stringify(body),
});

describeOnEveryStore("members of a service's own", (openService) => {
  describe("of a person", () => {
    const service = openService(members);

    it("are stored, read and changed as any other", async () => {
      const id = await store(service, asJson({ name: "Ada", custom: { ...full, staffNumber: "A-0001" } }));
      await service.send("PATCH", `/person/${id}`, patch({ custom: { desk: null, team: "blue" } }));
      const { desk: _, ...kept } = full;
      assert.deepEqual((await read(service, id))["custom"], { ...kept, staffNumber: "A-0001", team: "blue" });
    });

    it("are gone with the object that they leave empty", async () => {
      const id = await store(service, asJson({ name: "Ada", custom: { skills: [] } }));
      assert.ok(!("custom" in (await read(service, id))));
      for (const [change, custom] of [
        [{ desk: 7 }, { desk: 7 }],
        [{ desk: null }, undefined],
        [{ skills: ["maths"] }, { skills: ["maths"] }],
        [{ skills: [] }, undefined],
      ] as const) {
        assert.equal((await service.send("PATCH", `/person/${id}`, patch({ custom: change }))).status, 204);
        assert.deepEqual((await read(service, id))["custom"], custom);
      }
      const body = `{"id":${id},"name":"Ada","custom":{"desk":null}}`;
      const upserted = { headers: { "Content-Type": "application/x-ndjson" }, body };
      await service.send("PATCH", `/person/${id}`, patch({ custom: { desk: 7 } }));
      assert.match((await service.send("POST", "/person?upsert=id", upserted)).text, /"updated":1/);
      assert.ok(!("custom" in (await read(service, id))));
      await service.send("PATCH", `/person/${id}`, patch({ address: { addressLocality: "London" } }));
      const moved = patch({ address: { addressLocality: null } });
      assert.equal((await service.send("PATCH", `/person/${id}`, moved)).status, 204);
      assert.ok(!("address" in (await read(service, id))));
      await service.send("DELETE", `/person/${id}`);
    });

    it("change for many at once, values of lists too", async () => {
      const ids: number[] = [];
      for (const custom of [{ desk: 7, skills: ["maths"] }, null, { desk: 8 }]) {
        ids.push(await store(service, asJson({ name: "Bo", custom })));
      }
      const records = ids.map((id) => ({ id }));
      const amend = async (change: object, status = 200): Promise<string> => {
        const answer = await service.send("PATCH", "/person", asJson({ records, ...change }));
        assert.equal(answer.status, status, answer.text);
        return answer.text;
      };
      const own = async () => await Promise.all(ids.map(async (id) => (await read(service, id))["custom"]));
      await amend({ add: { "custom.skills": ["C"] }, merge: { custom: { rate: 2 } } });
      assert.deepEqual(await own(), [
        { desk: 7, rate: 2, skills: ["maths", "C"] },
        { rate: 2, skills: ["C"] },
        { desk: 8, rate: 2, skills: ["C"] },
      ]);
      await amend({ drop: { "custom.skills": ["C"] }, merge: { custom: { rate: null } } });
      assert.deepEqual(await own(), [{ desk: 7, skills: ["maths"] }, undefined, { desk: 8 }]);
      await amend({ merge: { custom: { desk: null } } });
      assert.deepEqual(await own(), [{ skills: ["maths"] }, undefined, undefined]);
      const twice = /"detail":"is in merge, too","pointer":"#\/add\/custom\.skills"/;
      for (const merge of [{ custom: null }, { custom: { skills: [] } }]) {
        assert.match(await amend({ merge, add: { "custom.skills": ["C"] } }, 400), twice);
      }
      const wrong = await amend({ add: { "custom.team": ["C"], "custom.skills.x": ["C"] } }, 400);
      assert.match(wrong, /"pointer":"#\/custom\/team"/);
      await amend({ removed: true });
    });

    it("are refused with what would be right", async () => {
      const custom = {
        ...{ staffNumber: "K-1", joind: "x", joined: "1850-01-01", desk: 401, rate: "1" },
        ...{ contractor: "yes", team: "rod", skills: "C" },
      };
      const answer = await service.send("POST", "/person", asJson({ name: "A", custom }));
      const problem = await assertProblem(service, answer, 400, "invalid-content");
      assert.deepEqual(
        problem.errors?.map(({ pointer, detail }) => `${pointer} ${detail}`),
        [
          '#/custom/staffNumber must match [A-Z]-[0-9]{4}, and "K-1" does not',
          "#/custom/joined must be from 1900-01-01 to 9999-12-31, not 1850-01-01",
          "#/custom/desk must be an integer from 1 to 400, not 401",
          "#/custom/rate must be a number, not a string",
          "#/custom/contractor must be true or false, not a string",
          "#/custom/team must be one of red, blue; did you mean red?",
          "#/custom/skills must be a list, not a string",
          `#/custom/joind is not a member of custom; did you mean joined? Known: ${Object.keys(declared).join(", ")}`,
        ],
      );
    });

    it("belong to one person where they are unique", async () => {
      await store(service, asJson({ name: "Ada", custom: { staffNumber: "B-0001" } }));
      const second = await service.send("POST", "/person", asJson({ name: "Bo", custom: { staffNumber: "B-0001" } }));
      const problem = await assertProblem(service, second, 409, "conflict");
      assert.deepEqual(pointersOf(problem), ["#/custom/staffNumber"]);
    });
  });

  describe("in lists", () => {
    const service = openService(members);
    const names = async (query: string): Promise<string> => {
      const answer = await service.send("GET", `/person?fields=name&${query}`);
      assert.equal(answer.status, 200, answer.text);
      return JSON.parse(answer.text)
        .map(({ name }: { readonly name: string }) => name)
        .join(" ");
    };

    it("filter, sort and are searched", async () => {
      await store(service, asJson({ name: "Ada", custom: full }));
      const bo = { desk: 40, contractor: true, rate: -0.25, skills: ["Fortran"] };
      await store(service, asJson({ name: "Bo", custom: bo }));
      await store(service, asJson({ name: "Cy" }));
      for (const [query, found] of [
        ["custom.staffNumber=K-0001", "Ada"],
        ["custom.joined[gt]=2029-12-31", "Ada"],
        ["custom.desk[ge]=8", "Bo"],
        ["custom.rate[lt]=0", "Bo"],
        ["custom.contractor=false", "Ada"],
        ["custom.contractor[exists]=false", "Cy"],
        ["custom.team[in]=red,blue", "Ada"],
        ["custom.skills=FORTRAN", "Bo"],
        ["sort=-custom.desk", "Bo Ada Cy"],
        ["sort=-custom.contractor", "Bo Ada Cy"],
        ["q=k-0001", "Ada"],
        ["q=fort", "Bo"],
        ["q=red", "Ada"],
      ] as const) {
        assert.equal(await names(query), found, query);
      }
    });
  });
});

describeInMemory("members of a service's own, in formats", (openService) => {
  const service = openService(members);

  it("come back from each that an import reads", async () => {
    let id = await store(service, asJson({ name: "Ada", custom: full }));
    for (const [format, type] of [
      ["csv", "text/csv"],
      ["ndjson", "application/x-ndjson"],
      ["csv", "application/octet-stream"],
      ["excel", "application/octet-stream"],
      ["xml", "application/octet-stream"],
      ["vcard", "application/octet-stream"],
      ["vcard", "text/vcard"],
      ["vcard3", "text/vcard"],
    ] as const) {
      const { text } = await service.send("GET", `/person?format=${format}&identifier[exists]=false`);
      await service.send("DELETE", `/person/${id}`);
      const sent = text
        .replaceAll(/(?<=^|<id>)\d+(?=,|;)|<id>\d+<\/id>/gm, "")
        .replaceAll(/"id":\d+,|,"(?:cre|upd)atedAt":"[^"]*"/g, "");
      const lenient = { headers: { "Content-Type": type, Prefer: "handling=lenient" }, body: sent };
      const answer = await service.send("POST", "/person", lenient);
      assert.equal(answer.status, 200, `${format} ${answer.text}\n${sent}`);
      const [person] = JSON.parse((await service.send("GET", "/person?name=Ada")).text);
      assert.deepEqual(person.custom, full, `${format} by ${type}`);
      await service.send("PATCH", `/person/${person.id}`, patch({ identifier: format + type }));
      await service.send("DELETE", `/person/${person.id}`);
      id = await store(service, asJson({ name: "Ada", custom: full }));
    }
  });
});

describe("the declaration of members", () => {
  const types = "string, integer, number, boolean, array";
  const ofEach = (name: string): string => `${name} is the name of a member that every service has: choose another one`;
  const keywords = "type, title, description, x-hint, x-aliases, x-column, x-filter";
  const ofInteger = "type, minimum, maximum, title, description, x-hint, x-aliases, x-column, x-filter, x-unique";
  const ofItems = "type, enum, minLength, maxLength, pattern";
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`m${i}`, { type: "boolean" }]));
  // biome-ignore format: a table
  const refused: readonly [what: string, declared: unknown, fault: string][] = [
    ["a name of ours", { identifier: { type: "string" } }, ofEach("identifier")],
    ["a part of an address, in any case", { PostalCode: { type: "string" } }, ofEach("PostalCode")],
    ["a name with a point", { "a.b": { type: "string" } }, "a.b cannot name a member: it takes 1 to 40 of A-Z, a-z and 0-9, a letter first"],
    ["names that differ by case", { desk: { type: "boolean" }, Desk: { type: "boolean" } }, 'Desk differs from "desk" only in its case'],
    ["no type", { desk: {} }, `desk.type must be one of ${types}, not undefined`],
    ["another type", { desk: { type: "int" } }, `desk.type must be one of ${types}, not "int"; did you mean integer?`],
    ["a keyword that a type does not have", { desk: { type: "integer", minimun: 1 } },
      `desk.minimun is not a keyword of the type integer; did you mean minimum? Keywords: ${ofInteger}`],
    ["a keyword that items do not have", { desk: { type: "array", items: { type: "string", maxLenght: 1 } } },
      `desk.items.maxLenght is not a keyword of items; did you mean maxLength? Keywords: ${ofItems}`],
    ["items of another type", { desk: { type: "array", items: { type: "integer" } } }, 'desk.items.type must be string, not "integer"'],
    ["another format", { desk: { type: "string", format: "tel" } }, 'desk.format must be date or email or uri, not "tel"'],
    ["a keyword of the wrong type", { desk: { type: "boolean", "x-column": "yes" } }, "desk.x-column must be true or false, not a string"],
    ["a title in another language", { desk: { type: "boolean", title: { en: "Desk", it: "Tavolo" } } },
      `desk.title.it is not a keyword of the type boolean. Keywords: ${keywords}`],
    ["bounds that cross", { desk: { type: "integer", minimum: 2, maximum: 1 } }, "desk.minimum is more than maximum, which is 1"],
    ["a bound that is no date", { desk: { type: "string", format: "date", formatMinimum: "2026-02-30" } },
      "desk.formatMinimum must be a real date, and 2026-02 has the days 01 to 28"],
    ["bounds of dates for another text", { desk: { type: "string", formatMinimum: "2026-02-28" } }, 'desk.formatMinimum is for "format": "date"'],
    ["a text on two lines, which no form can send", { desk: { type: "string", enum: ["a", "b\nc"] } },
      "desk.enum.1 must not contain control characters: character 2 is U+000A"],
    ["a text twice", { desk: { type: "string", enum: ["a", "a"] } }, 'desk.enum has "a" twice'],
    ["a rule for given texts", { desk: { type: "array", items: { type: "string", enum: ["a"], maxLength: 3 } } },
      "desk.items.maxLength cannot be combined with enum, which says all that there may be"],
    ["a pattern for what may be a part of a text", { desk: { type: "string", pattern: "a" } }, 'desk.pattern must match the whole text: write "^a$"'],
    ["an impossible pattern", { desk: { type: "string", pattern: "^($" } }, "desk.pattern is not a regular expression: Unterminated group"],
    ["a pattern that looks around", { desk: { type: "string", pattern: "^a(?=b)$" } },
      'desk.pattern has "(?", which is not supported: a pattern says which characters follow one another'],
    ["a pattern of too many steps", { desk: { type: "string", pattern: "^(?:a{99}){999999999}$" } }, "desk.pattern is too long: it takes more than 128 steps"],
    ["an alias that means a member of the service", { desk: { type: "string", "x-aliases": ["Desk no.", "Post-Code"] } },
      'desk.x-aliases has "Post-Code", which means address.postalCode already'],
    ["an alias that means another member of one's own", { desk: { type: "string", title: "Room" }, office: { type: "string", "x-aliases": ["room"] } },
      'office.x-aliases has "room", which means custom.desk already'],
    ["a list", [], " must be an object, not an array"],
    ["too many", many, " has 200 members; at most 50 are allowed"],
  ];
  for (const [what, value, fault] of refused) {
    it(`refuses ${what}`, () => {
      assert.deepEqual(
        readOwnMembers(value).faults?.map(({ path, message }) => `${path.join(".")} ${message}`),
        [fault],
      );
    });
  }
});

describe("a heading that is the label or an alias of a member of one's own", () => {
  const own = (label: string, aliases?: readonly string[]) =>
    membersOf({ mine: { type: "string", title: label, ...(aliases && { "x-aliases": aliases }) } });
  const cases: readonly [word: string, beside: readonly string[], members: readonly (string | undefined)[]][] = [
    ["Work Phone", ["Work Phone 2"], ["custom.mine", "telephone"]],
    ["E-mail 2 - Value", ["E-mail 1 - Value"], ["custom.mine", "email"]],
    ["Organization", ["Company"], ["custom.mine", "worksFor"]],
    ["Title", ["custom.mine"], [undefined, "custom.mine"]],
    ["Birth Year", ["Birth Month", "Birth Day"], ["custom.mine", undefined, "birthDate"]],
    ["Address 1 - Formatted", ["Address 1 - City"], ["custom.mine", "address.addressLocality"]],
  ];
  for (const [word, beside, expected] of cases) {
    it(`is that one, whatever it means elsewhere: ${word}`, () => {
      assert.deepEqual(columnNames([word, ...beside], new Map(), own(word)).members, expected);
      assert.deepEqual(columnNames([word.toUpperCase(), ...beside], new Map(), own(word)).members, expected);
    });
  }

  it("is that one by an alias, too", () => {
    const { members } = columnNames(["Mobile 2", "Mobile"], new Map(), own("Mine", ["Mobile 2"]));
    assert.deepEqual(members, ["custom.mine", "telephone"]);
  });
});

describe("a pattern", () => {
  const part: fc.Arbitrary<string> = fc.letrec((tie) => ({
    part: fc.oneof(
      { maxDepth: 4, depthSize: "small" },
      fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\.", "é", "\\p{L}", "[\\]a]"),
      fc.tuple(tie("part"), tie("part")).map((parts) => parts.join("")),
      fc.tuple(tie("part"), tie("part")).map((parts) => `(?:${parts.join("|")})`),
      fc
        .tuple(tie("part"), fc.constantFrom("*", "+", "?", "{0,2}", "{2}", "{1,}", "*?"))
        .map(([each, sign]) => `(${each})${sign}`),
    ),
  })).part as fc.Arbitrary<string>; // it is made of texts

  it("takes what a regular expression takes as a whole", () => {
    fc.assert(
      fc.property(
        part,
        fc.array(fc.string({ unit: fc.constantFrom("a", "b", "1", ".", "é", "]", "😀"), maxLength: 8 }), {
          maxLength: 8,
        }),
        (pattern, texts) => {
          const test = patternTest(pattern);
          const expression = new RegExp(`^(?:${pattern})$`, "u");
          for (const text of texts) assert.equal(test(text), expression.test(text), `${pattern} of ${text}`);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it("takes work by the length of a text, where a regular expression takes it by 2 to that power", () => {
    assert.equal(patternTest("(a+)+")(`${"a".repeat(100_000)}!`), false);
    assert.equal(patternTest("(a|a)*b")("a".repeat(100_000)), false);
  });
});
