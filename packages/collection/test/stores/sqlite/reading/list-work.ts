import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { openFolder } from "../../../../../waymark/test/tools/folder.ts";
import { openSqliteDatabase } from "../../../../src/index.ts";
import type { Engine } from "../../../../src/stores/engine.ts";
import { batchesFrom } from "../../../../src/stores/record-store.ts";
import { type SqliteConnections, sqliteEngine } from "../../../../src/stores/sqlite/engine.ts";
import { SqliteQueries } from "../../../../src/stores/sqlite/reading/queries.ts";
import { toStoredCollection } from "../../../../src/stores/table/definition.ts";
import { everySelection, type ListWork, people, person } from "../../../lists/list-work.ts";

/** The function that can stop a read is called for ids that are multiples of this: here for every row that is visited. */
const gap = 251;

const stored = toStoredCollection(person);

/** The work of every list of so many people in SQLite is in proportion to their number. */
export function describeSqliteListWork(asked: ListWork): void {
  const folder = openFolder("sqlite-list-work");
  describe(`a list of ${asked.count} people in SQLite`, () => {
    let database: DatabaseSync;
    let visited = 0;
    let finds = 0;
    let engine: Engine;
    before(async () => {
      const file = folder.newFile();
      const filled = await openSqliteDatabase(file, { collections: [person] });
      await filled.store("person").createAll(people(asked.count, gap));
      await filled.close();
      database = new DatabaseSync(file);
      const queries = new SqliteQueries(database, [stored], () => {
        visited++;
        return false;
      });
      const reader = {
        async read(_options: unknown, _call: string, ...args: Parameters<SqliteQueries["find"]>) {
          finds++;
          return queries.find(...args);
        },
      };
      // A list needs these connections only.
      engine = sqliteEngine({ database, queries, reader, lock: undefined } as unknown as SqliteConnections, stored, [
        stored,
      ]);
    });
    after(() => database.close());

    it("is found once, whatever is filtered, searched and sorted, and visits each person a few times", async () => {
      for (const { what, selection } of everySelection(asked, gap)) {
        [visited, finds] = [0, 0];
        const batches = await Array.fromAsync(batchesFrom(await engine.batch(selection, undefined, {})));
        const found = batches.reduce((sum, { length }) => sum + length, 0);
        assert.ok(found > 0 || selection.after !== undefined, what);
        assert.ok(finds <= 1, `${what}: it is found ${finds} times`);
        // Each range after a place is read by itself. Some rows are counted before, to choose an index.
        const visits = (selection.after === undefined ? 3 : 5) * asked.count + 1_000;
        assert.ok(visited <= visits, `${what}: ${visited} rows are visited for ${found} people`);
      }
    });
  });
}
