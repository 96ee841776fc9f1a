import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type CollectionDefinition,
  type Database,
  type Document,
  openPostgresDatabase,
  type Store,
  StoreNotEmpty,
  StoreUnavailable,
} from "../../../src/index.ts";
import { create, everything, replace } from "../../store-contract/contract.ts";
import { newPostgresDatabase } from "../../tools/postgres-server.ts";

/** More than a transaction stores at once. */
const many = 3000;

describe("a bulk request of thousands of records", () => {
  const collections: readonly CollectionDefinition[] = [{ name: "person", members: { identifier: { unique: true } } }];

  /** Gives a test two programs on one database. */
  const withPrograms =
    (use: (people: Store, others: Store, programs: readonly Database[], url: string) => Promise<void>) => async () => {
      const url = await newPostgresDatabase();
      const open = (): Promise<Database> => openPostgresDatabase(url, { collections, lockTimeout: 1000 });
      const programs = [await open(), await open()] as const;
      try {
        await use(programs[0].store("person"), programs[1].store("person"), programs, url);
      } finally {
        await Promise.all(programs.map((program) => program.close()));
      }
    };

  it(
    "lets other programs change the collection meanwhile, and gives no id or revision to two",
    withPrograms(async (people, others, programs) => {
      const ada = await create(people, { name: "Ada" });
      const gone = await create(people, { name: "Gone" });
      const made: { readonly id: number; readonly revision: number }[] = [];
      const bulk = people.createAll(
        halfway(async () => {
          for (let n = 0; n < 40; n++) made.push(await create(others, { identifier: `other ${n}` }));
          assert.deepEqual(await others.remove(gone.id), { kind: "removed" });
          made.push(await replace(others, ada.id, { name: "Ada Lovelace" }, ada.revision));
          assert.equal((await others.createAll([{}, {}])).kind, "created");
          assert.equal(await others.count(), 43);
        }),
      );
      assert.deepEqual(await bulk, { kind: "created", count: many });
      const records = await everything(people);
      assert.equal(records.length, many + 43);
      assert.equal(new Set(records.map(({ revision }) => revision)).size, records.length);
      for (const { id, revision } of made) assert.equal(records.find((record) => record.id === id)?.revision, revision);

      const later = await create(others, { name: "Later" });
      assert.ok(records.every(({ id }) => id !== later.id));
      assert.ok(!records.some(({ revision }) => revision === later.revision));
      for (const program of programs) await program.check();
    }),
  );

  it(
    "is stored as a whole or not at all, and conflicts with what others have stored meanwhile",
    withPrograms(async (people, others) => {
      const bulk = people.createAll(halfway(() => create(others, { identifier: `bulk ${many - 1}` })));
      const conflicts = [{ position: many, member: "identifier" }];
      assert.deepEqual(await bulk, { kind: "refused", conflicts });
      assert.equal(await people.count(), 1);
    }),
  );

  it(
    "keeps others from the ids that its documents name: they wait",
    withPrograms(async (people, others) => {
      const documents = Array.from({ length: many }, (_, n) => ({ id: 101 + n }));
      const refused = halfway(() => assert.rejects(others.create({}), StoreUnavailable), documents);
      assert.deepEqual(await people.createAll(refused), { kind: "created", count: many });
      const { id } = await create(others, {});
      assert.ok((await everything(people)).filter((record) => record.id === id).length === 1);
      assert.equal(await people.count(), many + 1);
    }),
  );

  it(
    "is not stored where there are to be no others, and others were stored meanwhile",
    withPrograms(async (people, others) => {
      const documents = halfway(() => create(others, { name: "Other" }));
      await assert.rejects(people.createAll(documents, { onlyIfEmpty: true }), StoreNotEmpty);
      assert.equal(await people.count(), 1);
    }),
  );

  it(
    "has no second one beside it, which is refused as one that nothing was changed by",
    withPrograms(async (people, others) => {
      const bulk = people.createAll(
        halfway(async () => {
          await assert.rejects(others.createAll(halfway(async () => undefined)), StoreUnavailable);
          await create(others, {});
        }),
      );
      assert.deepEqual(await bulk, { kind: "created", count: many });
      assert.equal(await people.count(), many + 1);
    }),
  );

  it(
    "does not wait for a change that waits for one of its unique values",
    withPrograms(async (people, others) => {
      let waiting: Promise<unknown> | undefined;
      const bulk = people.createAll(
        halfway(async () => {
          waiting = others.create({ identifier: "bulk 0" }).then(
            ({ kind }) => kind,
            ({ name }) => name,
          );
        }),
      );
      assert.deepEqual(await bulk, { kind: "created", count: many });
      assert.ok(["conflict", "StoreUnavailable"].includes(String(await waiting)), String(await waiting));
    }),
  );
});
/** Yields documents, and does something when half of them are stored. */
async function* halfway(
  work: () => Promise<unknown>,
  documents: readonly Document[] = Array.from({ length: many }, (_, n) => ({ identifier: `bulk ${n}` })),
): AsyncGenerator<Document> {
  for (const [n, document] of documents.entries()) {
    if (n === many - 300) await work(); // after the steps before it
    yield document;
  }
}
