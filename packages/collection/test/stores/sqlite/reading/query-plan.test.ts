import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../../../../../waymark/test/tools/folder.ts";
import { type CollectionDefinition, openSqliteDatabase, type Selection, type SortKey } from "../../../../src/index.ts";
import { StatementCache } from "../../../../src/stores/sqlite/connections/statements.ts";
import { planOf, type SelectableRecords } from "../../../../src/stores/sqlite/reading/plan.ts";
import { SqliteQueries } from "../../../../src/stores/sqlite/reading/queries.ts";
import { SqliteSelection } from "../../../../src/stores/sqlite/reading/selection.ts";
import { selectableColumns } from "../../../../src/stores/sqlite/table/columns.ts";
import { toStoredCollection } from "../../../../src/stores/table/definition.ts";

const person: CollectionDefinition = {
  name: "person",
  members: {
    familyName: { filter: "text", search: true },
    email: { filter: "text", search: true },
    "mails.value": { filter: "text", list: true, single: "email" },
    birthDate: { filter: "date" },
    kind: { filter: "exact" },
  },
};

const byIdDescending = [{ member: "id", descending: true }];

/** More people than are ever sorted, or gathered by a word that they have; a third of them without a birth date. */
const count = 52_000;

describe("how SQLite finds the records of a selection", () => {
  const file = openFolder("query-plan").path("person.db");
  let database: DatabaseSync;
  before(async () => {
    const filled = await openSqliteDatabase(file, { collections: [person] });
    const people = Array.from({ length: count }, (_, i) => ({
      familyName: `Name x${i % 50}`,
      email: `${i}@example.org`,
      kind: [2, 4].includes(i) ? "another" : "all",
      ...(i % 3 > 0 && { birthDate: `19${10 + (i % 89)}-01-01` }),
    }));
    await filled.store("person").createAll(people);
    await filled.close();
    database = new DatabaseSync(file);
  });
  after(() => database.close());

  /** The ids that are found. */
  function find(selection: Selection, statements: StatementCache = new StatementCache(database)): readonly number[] {
    const columns = selectableColumns(toStoredCollection(person));
    const given = { collection: "person", columns, statements, owner: undefined, documents: { areLong: false } };
    const records: SelectableRecords = { ...given, isStoppable: false, inOneState: (read) => read() };
    const selected = new SqliteSelection(records, selection, planOf(records, selection));
    return [...selected.ids(selection.after, selection.limit)];
  }

  /** The ids of a page. */
  const page = (selection: Selection): readonly number[] => find({ ...selection, limit: 50 });

  /** The plan of each statement that finds a page. */
  const plansOf = (selection: Selection): readonly string[] => plansOfList({ ...selection, limit: 50 });

  function plansOfList(selection: Selection): readonly string[] {
    const statements = new RecordingStatements(database);
    find(selection, statements);
    return statements.texts
      .filter((text) => text.includes("ORDER BY"))
      .map((text) => database.prepare(`EXPLAIN QUERY PLAN ${text}`).all())
      .map((steps) => steps.map(({ detail }) => String(detail)).join("; "));
  }

  const ascending = [
    { member: "birthDate", descending: false },
    { member: "id", descending: false },
  ];
  const descending = ascending.map(({ member }) => ({ member, descending: true }));
  const walked: readonly [what: string, selection: Selection][] = [
    ["the first by a member", { order: ascending }],
    ["the first by a member, backwards", { order: descending }],
    ["those behind a value", { order: ascending, after: ["1950-01-01", 500] }],
    ["those behind a value, backwards", { order: descending, after: ["1950-01-01", 500] }],
    ["those behind an absent value", { order: ascending, after: [null, 500] }],
    ["those behind an absent value, backwards", { order: descending, after: [null, 500] }],
    ["those behind the last that has a value, backwards", { order: descending, after: ["1910-01-01", 1] }],
    [
      "those behind a value, of many that a filter of the same member leaves",
      {
        order: ascending,
        after: ["1950-01-01", 500],
        filters: [
          { member: "birthDate", operator: "ge", value: "1920-01-01" },
          { member: "birthDate", operator: "prefix", value: "19" },
        ],
      },
    ],
    [
      "those behind a value, of many that a filter of another member leaves",
      {
        order: ascending,
        after: ["1950-01-01", 500],
        filters: [{ member: "familyName", operator: "ge", value: "N" }],
      },
    ],
  ];
  for (const [what, selection] of walked) {
    it(`walks the index for ${what}`, () => {
      const plans = plansOf(selection);
      assert.ok(plans.length > 0);
      for (const plan of plans) {
        assert.match(plan, /^(?:SCAN|SEARCH) person USING (?:COVERING )?INDEX person\.date birthDate/);
        assert.doesNotMatch(plan, /TEMP B-TREE/);
        if (selection.after !== undefined)
          assert.match(plan, /SEARCH .* \(date birthDate(?:=\?|=\? AND rowid[<>]\?|[<>]\?.*)\)$/);
      }
    });
  }

  it("walks the table for an order by id", () => {
    for (const descending of [false, true]) {
      const order = [{ member: "id", descending }];
      for (const plan of plansOf({ order, after: [500] })) {
        assert.match(plan, /^SEARCH person USING INTEGER PRIMARY KEY \(rowid[<>]\?\)$/);
      }
    }
  });

  it("walks the values of a list, and the single members, side by side for a page of one value", () => {
    const filters = [{ member: "mails.value", operator: "eq", value: "600@example.org" }] as const;
    for (const descending of [false, true]) {
      for (const after of [undefined, [descending ? 700 : 500]] as const) {
        const selection = { filters, order: [{ member: "id", descending }], ...(after && { after }) };
        assert.deepEqual(page(selection), [601]);
        for (const plan of plansOf(selection)) {
          assert.match(
            plan,
            /MERGE \(UNION\); LEFT; SEARCH [^;]*\(member=\? AND value=\?(?: AND id[<>]\?)?\); RIGHT; SEARCH /,
          );
          assert.doesNotMatch(plan, /TEMP B-TREE/);
        }
      }
    }
  });

  it("begins with the words for a whole list, which it sorts once, however many have them", () => {
    assert.deepEqual(plansOfList({ words: ["name"], order: ascending }), [
      "SCAN found VIRTUAL TABLE INDEX 0:M1; SEARCH person USING INTEGER PRIMARY KEY (rowid=?); USE TEMP B-TREE FOR ORDER BY",
    ]);
  });

  for (const [what, order] of [
    ["a member and another", [{ member: "familyName", descending: false }, ...ascending]],
    ["a member, and the ids the other way", [{ member: "birthDate", descending: false }, ...byIdDescending]],
  ] as const) {
    it(`reads a whole list by ${what} in one statement, which sorts what the index leaves unsorted`, () => {
      const [plan = "", ...others] = plansOfList({ order });
      assert.match(plan, /^SCAN person USING (?:COVERING )?INDEX [^;]*; USE TEMP B-TREE FOR (?:RIGHT|LAST) [^;]*$/);
      assert.deepEqual(others, []);
    });
  }

  const ofKind = (descending: boolean, ...others: readonly SortKey[]) => [{ member: "kind", descending }, ...others];
  for (const [what, selection] of [
    ["the first", { order: ofKind(true, ...ascending) }],
    ["those behind a rare value", { order: ofKind(false, ...ascending) }],
    ["those behind a place", { order: ofKind(true, ...descending), after: ["all", "1950-01-01", 500] }],
    ["those behind one that lacks a member", { order: ofKind(true, ...ascending), after: ["all", null, 900] }],
    [
      "those that a filter of another member leaves",
      { order: ofKind(false, ...ascending), filters: [{ member: "familyName", operator: "ge", value: "Name x3" }] },
    ],
  ] as readonly [string, Selection][]) {
    it(`sorts nothing by a value that nearly all have, and another member, for a page of ${what}`, () => {
      let asked = 0;
      const queries = new SqliteQueries(database, [toStoredCollection(person)], () => ++asked < 0);
      const { records } = queries.find("person", { ...selection, limit: 50 }, undefined);
      assert.deepEqual(
        records.map(({ id }) => id),
        page(selection),
      );
      assert.ok(asked < count / 251 / 2, `${asked} times it was asked whether to go on, at one record in 251`);
    });
  }

  it("finds words by the order of the ids, and sorts nothing", () => {
    for (const plan of plansOf({ words: ["name"], after: [500] })) {
      assert.match(
        plan,
        /^SCAN found VIRTUAL TABLE INDEX [^;]*; SEARCH person USING INTEGER PRIMARY KEY \(rowid=\?\)$/,
      );
    }
    assert.deepEqual(page({ words: ["name"], after: [500] }), page({ after: [500] }));
  });

  it("finds the long beginning of a word by what of it is indexed, and checks the rest", () => {
    using connection = new DatabaseSync(file);
    const queries = new SqliteQueries(connection, [toStoredCollection(person)]);
    const found = (words: readonly string[], after?: readonly [number]) =>
      queries.atOnce("person", { words, limit: 50, ...(after && { after }) }, undefined)?.records.map(({ id }) => id);
    for (const words of [["example"], ["7", "example"], ["x7", "exampl"]]) {
      assert.deepEqual(found(words), page({ words }), words.join(" "));
      assert.deepEqual(found(words, [100]), page({ words, after: [100] }), words.join(" "));
    }
    assert.equal(found(["exampla"]), undefined);
  });

  it("begins with the words where few records have them", () => {
    const selection = { words: ["name", "x7"], order: ascending };
    for (const plan of plansOf(selection)) assert.match(plan, /^SCAN found VIRTUAL TABLE .*; USE TEMP B-TREE/);
  });

  for (const [how, words] of [
    ["each record", ["name"]],
    ["all that have them", ["example", "4"]],
  ] as const) {
    it(`walks the index where many have the words, which it looks up for ${how}`, () => {
      const [plan = ""] = plansOf({ words, order: ascending });
      assert.match(plan, /^SCAN person USING (?:COVERING )?INDEX person\.date birthDate; /);
      assert.equal(plan.includes("LIST SUBQUERY"), how === "all that have them");
      assert.doesNotMatch(plan, /TEMP B-TREE/);
    });
  }

  for (const [how, filter] of [
    ["few", { member: "email", operator: "eq", value: "7@example.org" }],
    ["some", { member: "familyName", operator: "eq", value: "Name x7" }],
  ] as const) {
    it(`begins with a filter that leaves ${how}, and looks up the words for each or for all that have them`, () => {
      const [plan = ""] = plansOf({ filters: [filter], words: ["name"], order: ascending });
      assert.match(plan, /^SEARCH person USING (?:COVERING )?INDEX person\.text1 (?:email|familyName) /);
      assert.equal(plan.includes("LIST SUBQUERY"), how === "some");
    });
  }

  it("gives the same records whichever way it looks up the words", () => {
    assert.deepEqual(page({ words: ["name"], order: descending }), page({ order: descending }));
    const filters = [{ member: "email", operator: "prefix", value: "4" }] as const;
    assert.deepEqual(page({ words: ["example", "4"], order: ascending }), page({ filters, order: ascending }));
  });

  it("begins with the index on the member of which a filter leaves few, and sorts these", () => {
    const filters = [
      { member: "familyName", operator: "eq", value: "Name x7" },
      { member: "email", operator: "eq", value: "7@example.org" },
    ] as const;
    for (const plan of plansOf({ order: ascending, filters })) {
      assert.match(
        plan,
        /^SEARCH person USING (?:COVERING )?INDEX person\.text1 email \(text1 email=\?\); USE TEMP B-TREE/,
      );
    }
  });

  for (const order of [undefined, ascending, [{ member: "familyName", descending: false }, ...ascending.slice(1)]]) {
    it(`finds what few have instead of a value by the index, by ${order?.[0]?.member ?? "id"}`, () => {
      const filters = [
        { member: "birthDate", operator: "ge", value: "1910-01-01" },
        { member: "familyName", operator: "prefix", value: "Name x" },
        { member: "kind", operator: "ne", value: "all" },
      ] as const;
      const selection = { ...(order && { order }), filters };
      for (const plan of plansOf(selection)) {
        assert.match(
          plan,
          /^MULTI-INDEX OR; INDEX 1; SEARCH person USING INDEX person\.exact kind \(exact kind<\?\); /,
        );
      }
      assert.deepEqual(
        page(selection).toSorted((one, other) => one - other),
        [3, 5],
      );
    });
  }

  it("walks the index of the order where many have another value than one", () => {
    for (const member of ["familyName", "birthDate"]) {
      const filters = [{ member, operator: "ne", value: "1911-01-01" }] as const;
      const [plan = ""] = plansOf({ order: ascending, filters, limit: 50 });
      assert.match(plan, /^SCAN person USING (?:COVERING )?INDEX person\.date birthDate$/);
    }
  });

  it("sorts nothing where a filter leaves few, and they are wanted by id", () => {
    const filters = [{ member: "familyName", operator: "eq", value: "Name x7" }] as const;
    for (const plan of plansOf({ filters, order: [{ member: "id", descending: true }], after: [500] })) {
      assert.equal(plan, "SEARCH person USING COVERING INDEX person.text1 familyName (text1 familyName=? AND rowid<?)");
    }
  });
});

class RecordingStatements extends StatementCache {
  readonly texts: string[] = [];

  override prepare(sql: string): ReturnType<StatementCache["prepare"]> {
    this.texts.push(sql);
    return super.prepare(sql);
  }
}
