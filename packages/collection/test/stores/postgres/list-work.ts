import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { Client } from "pg";
import { openPostgresDatabase } from "../../../src/index.ts";
import type { PostgresPool } from "../../../src/stores/postgres/connections/pool.ts";
import type { Statement } from "../../../src/stores/postgres/connections/session.ts";
import { postgresLists } from "../../../src/stores/postgres/reading/lists.ts";
import { batchesFrom } from "../../../src/stores/record-store.ts";
import { toStoredCollection } from "../../../src/stores/table/definition.ts";
import { everySelection, type ListWork, people, person } from "../../lists/list-work.ts";
import { newPostgresDatabase } from "../../tools/postgres-server.ts";

const stored = toStoredCollection(person);

/** The work of every list of so many people in PostgreSQL is in proportion to their number. */
export function describePostgresListWork(asked: ListWork): void {
  describe(`a list of ${asked.count} people in PostgreSQL`, () => {
    let client: Client;
    before(async () => {
      const url = await newPostgresDatabase();
      const database = await openPostgresDatabase(url, { collections: [person] });
      await database.store("person").createAll(people(asked.count, 1));
      await database.close();
      client = new Client(url);
      await client.connect();
      await client.query("ANALYZE person");
    });
    after(() => client.end());

    it("is found and sorted once, whatever is filtered, searched and sorted, and visits each person a few times", async () => {
      for (const { what, selection } of everySelection(asked, 1)) {
        const work: Work = { finds: 0, visited: 0, sorted: 0 };
        const pool = countingPool(client, work);
        const lists = postgresLists(pool, stored, () => undefined);
        const batches = await Array.fromAsync(batchesFrom(await lists.batch(selection, undefined, {})));
        const found = batches.reduce((sum, { length }) => sum + length, 0);
        assert.ok(found > 0 || selection.after !== undefined, what);
        assert.ok(work.finds <= 1, `${what}: it is found ${work.finds} times`);
        // Each range after a place is read by itself, and bitmaps of words are checked again.
        const visits = selection.after === undefined ? 2 : 2 + (selection.order ?? []).length;
        const most = visits * asked.count + 2 * batches.length * mostInBatch;
        assert.ok(work.visited <= most, `${what}: ${work.visited} rows are visited for ${found} people`);
        assert.ok(work.sorted <= asked.count, `${what}: ${work.sorted} rows are sorted for ${found} people`);
      }
    });
  });
}

interface Work {
  /** How often the records of the list are found at once. */
  finds: number;
  /** The rows of the table that are read. */
  visited: number;
  /** The rows that are sorted, without those of a batch. */
  sorted: number;
}

/** What a statement reads of the table for a batch at most. */
const mostInBatch = 1_000;

/** A pool that makes each statement twice, once to see what it does. */
function countingPool(client: Client, work: Work): PostgresPool {
  const pool = {
    async read({ text, values = [] }: Statement) {
      const explained = { text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`, values: [...values] };
      const { rows: plans } = await client.query<Record<string, readonly { readonly Plan: PlanNode }[]>>(explained);
      for (const [{ Plan: plan } = assert.fail()] of Object.values(plans[0] ?? {})) count(plan, work);
      if (text.startsWith("WITH found")) work.finds++;
      const types = { getTypeParser: () => (value: string) => value };
      const { rows } = await client.query({ text, values: [...values], rowMode: "array", types });
      return rows;
    },
  };
  return pool as unknown as PostgresPool; // lists only read
}

/** A node of a plan as the server explains it. */
interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Parent Relationship"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

function count(node: PlanNode, work: Work): void {
  const rows = (each: PlanNode): number => each["Actual Rows"] * each["Actual Loops"];
  const inputs = node.Plans ?? [];
  if (node["Relation Name"] === "person") {
    const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
    work.visited += rows(node) + removed * node["Actual Loops"];
  }
  const sorted = inputs
    .filter((input) => input["Parent Relationship"] === "Outer")
    .reduce((sum, input) => sum + rows(input), 0);
  if (node["Node Type"].endsWith("Sort") && sorted > mostInBatch + 1) work.sorted += sorted;
  for (const input of inputs) count(input, work);
}
