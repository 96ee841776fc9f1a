import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Client } from "pg";
import {
  type CollectionDefinition,
  type MemberFilter,
  openPostgresDatabase,
  type Selection,
  type SortKey,
} from "../../../src/index.ts";
import { mostFew, PostgresSelection } from "../../../src/stores/postgres/reading/selection.ts";
import { comparedColumns } from "../../../src/stores/postgres/table/columns.ts";
import { toStoredCollection } from "../../../src/stores/table/definition.ts";
import { newPostgresDatabase } from "../../tools/postgres-server.ts";

const person: CollectionDefinition = {
  name: "person",
  members: {
    identifier: { unique: true },
    familyName: { filter: "text" },
    email: { filter: "text" },
    height: { filter: "number" },
    seen: { filter: "time" },
  },
};

const columns = comparedColumns(toStoredCollection(person));

/** The columns on which the members have an index. */
const indexed: Readonly<Record<string, string>> = {
  familyName: "text\\d+ familyName",
  email: "text\\d+ email",
  height: "number height",
  seen: "time seen",
  createdAt: "created_at",
};

describe("a page of a PostgreSQL collection", () => {
  let url = "";
  before(async () => {
    url = await newPostgresDatabase();
    let clock = 0;
    const database = await openPostgresDatabase(url, { collections: [person], now: () => new Date(++clock % 4) });
    // Every tenth record has none of the members; of the others thousands have the same values.
    const documents = Array.from({ length: 6_000 }, (_, n) =>
      n % 10 === 0
        ? {}
        : {
            familyName: `Name ${n % 4}`,
            email: `A${n % 4}@example.org`,
            height: n % 4,
            seen: new Date(n % 4).toISOString(),
            identifier: `A${n}`,
          },
    );
    await database.store("person").createAll(documents);
    await database.close();
    await withClient(url, (client) => client.query("ANALYZE person"));
  });

  const places: Readonly<Record<string, readonly (string | number | null)[]>> = {
    familyName: ["Name 1", null],
    email: ["a1@example.org", null],
    height: [1, null],
    seen: [1, null],
    createdAt: [1],
    id: [],
  };
  for (const [member, values] of Object.entries(places)) {
    for (const descending of [false, true]) {
      const direction = descending ? "descending" : "ascending";
      const last: SortKey = { member: "id", descending };
      const order = member === "id" ? [last] : [{ member, descending }, last];
      const starts = [undefined, ...(member === "id" ? [[3_000]] : values.map((value) => [value, 3_000]))];
      for (const after of starts) {
        const where = after === undefined ? "from the beginning" : `behind ${JSON.stringify(after)}`;
        it(`is read by an index when it is by ${member}, ${direction}, ${where}, and not sorted`, async () => {
          const selection: Selection = { order, ...(after !== undefined && { after }) };
          for (const plan of await plansOf(url, selection)) {
            // What is above it is done for the records of a page alone. Where a great part of the records have one value,
            // these are just as well found by their ids.
            const belowLimit = plan.slice(plan.indexOf("Limit"));
            const index = `(?:${indexed[member]}|pkey)`;
            assert.match(belowLimit, new RegExp(`Index Scan (?:Backward )?using "?person_${index}`), plan);
            assert.doesNotMatch(belowLimit, /Seq Scan|Sort|Bitmap/, plan);
          }
        });
      }
    }
  }

  it("is read by the index of its order when a plan is kept for all bounds", async () => {
    const bounds = [
      { member: "familyName", operator: "ge", value: "Name 1" },
      { member: "email", operator: "lt", value: "a2" },
      { member: "height", operator: "gt", value: 1 },
    ] as const;
    for (const bound of bounds) {
      const { member } = bound;
      for (const descending of [false, true]) {
        const selection = { filters: [bound], order: [member, "id"].map((key) => ({ member: key, descending })) };
        const { text } = new PostgresSelection("person", columns, selection).few(undefined, mostFew, 65_536, true);
        const plan = await withClient(url, (client) => explain(client, `EXPLAIN (GENERIC_PLAN) ${text}`));
        const belowLimit = plan.slice(plan.indexOf("Limit"));
        assert.match(belowLimit, new RegExp(`Index Scan (?:Backward )?using "?person_${indexed[member]}`), plan);
        assert.doesNotMatch(belowLimit, /Seq Scan|Sort|Bitmap/, plan);
      }
    }
  });

  it("is found by the index of a filter that leaves few records", async () => {
    const filters: readonly MemberFilter[] = [
      { member: "email", operator: "eq", value: "A7@EXAMPLE.org" },
      { member: "email", operator: "prefix", value: "A7" },
      { member: "seen", operator: "in", values: [1_000, 2_000] },
      { member: "height", operator: "gt", value: 100 },
    ];
    for (const filter of filters) {
      const [plan = ""] = await plansOf(url, { filters: [filter] });
      assert.match(plan, new RegExp(`person_${indexed[filter.member]}`), plan);
    }
  });

  it("costs the reading of a single record by its id", async () => {
    const plan = await withClient(url, async (client) => {
      await client.query("PREPARE find AS SELECT id, revision, updated_at, document FROM person WHERE id = ANY($1)");
      return explain(client, "EXPLAIN EXECUTE find('{1,2,3}')");
    });
    assert.match(plan, /Index Scan using person_pkey/, plan);
  });
});

/** The plan of each of the statements by which the first page of a selection is read. */
function plansOf(url: string, selection: Selection): Promise<readonly string[]> {
  const selected = new PostgresSelection("person", columns, selection);
  return withClient(url, async (client) => {
    const plans: string[] = [];
    const isOnePlan = selection.filters === undefined; // which the server keeps for all values
    const few = selected.few(selection.after, 50, 65_536, isOnePlan);
    for (const { text, values = [] } of [few, selected.walk(selection.after, 50, 65_536)]) {
      plans.push(await explain(client, `EXPLAIN ${text}`, values));
      if (isOnePlan) plans.push(await explain(client, `EXPLAIN (GENERIC_PLAN) ${text}`));
    }
    return plans;
  });
}

async function explain(client: Client, text: string, values: readonly unknown[] = []): Promise<string> {
  const { rows } = await client.query<[string]>({ text, values: [...values], rowMode: "array" });
  return rows.map(([line]) => line).join("\n");
}

async function withClient<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client(url);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
