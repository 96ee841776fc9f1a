import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, renameSync } from "node:fs";
import { describe, it, mock } from "node:test";
import type { Worker } from "node:worker_threads";
import { openFolder } from "../../../../../waymark/test/tools/folder.ts";
import {
  type CollectionDefinition,
  type Database,
  type MemberFilter,
  openSqliteDatabase,
  type Selection,
  type SortKey,
  type SqliteDatabaseOptions,
  type Store,
  StoreReadTimeout,
  StoreUnavailable,
} from "../../../../src/index.ts";
import { create } from "../../../store-contract/contract.ts";

const folder = openFolder("sqlite-reader");

const person: CollectionDefinition = {
  name: "person",
  members: {
    name: { filter: "text", search: true },
    birthDate: { filter: "date" },
    tags: { filter: "text", list: true },
    telephone: { search: "digits" },
  },
};

/** With the store of the people in a new file, which `make` may make first. */
const withStore =
  (
    use: (store: Store, database: Database, file: string) => Promise<void>,
    options: Partial<SqliteDatabaseOptions> = {},
    make: (file: string) => void = () => undefined,
  ) =>
  async (): Promise<void> => {
    const file = folder.newFile();
    make(file);
    const database = await openSqliteDatabase(file, { collections: [person], ...options });
    try {
      await use(database.store("person"), database, file);
    } finally {
      await database.close();
    }
  };

/** The same, with so many records in the file, which are stored once for all tests. */
const withRecords =
  (use: (store: Store, database: Database) => Promise<void>, options: Partial<SqliteDatabaseOptions> = {}) =>
  async (): Promise<void> => {
    filled ??= fill(folder.newFile());
    const file = await filled;
    await withStore(use, options, (empty) => copyFileSync(file, empty))();
  };

let filled: Promise<string> | undefined;

async function fill(file: string): Promise<string> {
  const database = await openSqliteDatabase(file, { collections: [person] });
  await database
    .store("person")
    .createAll(Array.from({ length: records }, (_, i) => ({ name: `n${i} personable`, telephone: `202-555-${i}` })));
  await database.close();
  return file;
}

const records = 20_000;

/** Takes minutes to count, unless it is stopped: it looks for the values of a list of each record, again and again. */
const endless: Selection = {
  filters: Array.from({ length: 900 }, () => ({ member: "tags", operator: "ne", value: "x" })),
};

/** The rest of this turn of the event loop, and all that was scheduled in it. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The thread that is started next. */
async function nextThread(): Promise<Worker> {
  const [thread] = await once(process, "worker");
  return thread;
}

const by = (member: string, descending = false): readonly SortKey[] =>
  member === "id" ? [{ member, descending }] : [{ member, descending }, ...by("id", descending)];

const filter = (
  member: string,
  operator: "eq" | "ne" | "ge" | "gt" | "le" | "prefix",
  value: string,
): MemberFilter => ({
  member,
  operator,
  value,
});

/** Counts the records in the thread, which reads each of them. */
const countThere = async (store: Store, caller = ""): Promise<number> =>
  store.count({ filters: [filter("name", "ne", "x")] }, { caller });

describe("a read of a SQLite file that may take long", () => {
  it(
    "lets other reads and writes be answered before it",
    withRecords(async (store) => {
      await countThere(store); // the thread is there
      const order: string[] = [];
      const abort = new AbortController();
      const counting = Promise.resolve(store.count(endless, abort)).then(
        () => order.push("count"),
        () => order.push("given up"),
      );
      await turn();
      assert.equal((await store.find(7))?.id, 7);
      assert.equal((await Array.fromAsync(store.list({ limit: 50 }))).flat().length, 50);
      assert.equal((await create(store, {})).id, records + 1);
      order.push("others");
      abort.abort();
      await counting;
      assert.deepEqual(order, ["others", "given up"]);
    }),
  );

  it(
    "waits for two of another caller who asks for many",
    withRecords(async (store) => {
      const order: string[] = [];
      const count = async (caller: string): Promise<void> => {
        await countThere(store, caller);
        order.push(caller);
      };
      await Promise.all([...Array.from({ length: 10 }, () => count("many")), count("one"), count("another")]);
      assert.deepEqual(order.slice(0, 5), ["many", "many", "one", "another", "many"]);
    }),
  );

  it(
    "is refused where too many of its caller wait",
    withRecords(
      async (store) => {
        const asked = Array.from({ length: 5 }, () => countThere(store, "many"));
        const outcomes = await Promise.allSettled([...asked, countThere(store, "one")]);
        assert.deepEqual(
          outcomes.map(({ status }) => status),
          ["fulfilled", "fulfilled", "fulfilled", "rejected", "rejected", "fulfilled"],
        );
        const [, , , refused] = outcomes;
        assert.ok(refused?.status === "rejected" && refused.reason instanceof StoreUnavailable);
      },
      { maxWaitingReadsPerCaller: 2 },
    ),
  );

  it(
    "sees every write that was acknowledged before it",
    withStore(async (store) => {
      for (let i = 1; i <= 50; i++) {
        const { id } = await create(store, { name: "Ada" });
        assert.equal(await countThere(store), i);
        const last = { filters: [filter("name", "ne", "x")], order: by("id", true), limit: 1 };
        assert.deepEqual((await Array.fromAsync(store.list(last))).flat()[0]?.id, id);
      }
    }),
  );

  it(
    "is refused when too many wait already, and taken again later",
    withStore(
      async (store) => {
        const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => countThere(store)));
        const refused = outcomes.filter((outcome) => outcome.status === "rejected");
        assert.equal(refused.length, 2);
        for (const { reason } of refused) assert.ok(reason instanceof StoreUnavailable, String(reason));
        assert.equal(await countThere(store), 0);
      },
      { maxWaitingReads: 3 },
    ),
  );

  it(
    "is stopped, or not begun, when nobody waits for it any more",
    withRecords(async (store) => {
      const [first, second, third] = [new AbortController(), new AbortController(), AbortSignal.abort()];
      const given = [
        store.count(endless, first),
        Array.fromAsync(store.list({ ...endless, order: by("name") }, second)),
        store.count(endless, { signal: third }),
      ].map((read) => assert.rejects(Promise.resolve(read), StoreUnavailable));
      const last = countThere(store);
      await turn();
      second.abort();
      first.abort();
      await Promise.all(given);
      // In the time that a read has, the others take much longer than that.
      assert.equal(await last, records);
    }),
  );

  it("is stopped when it takes too long", async () => {
    await withRecords(async (store) => {
      await countThere(store); // the thread is there
      mock.timers.enable({ apis: ["setTimeout"] });
      const late = assert.rejects(Promise.resolve(store.count(endless)), StoreReadTimeout);
      await turn();
      mock.timers.tick(10_000);
      await late;
      mock.timers.reset();
      assert.equal(await countThere(store), records);
    })();
  });

  it(
    "is not stopped because its thread takes long to start",
    withRecords(async (store) => {
      mock.timers.enable({ apis: ["setTimeout"] });
      const starting = nextThread();
      const counting = countThere(store);
      await starting;
      mock.timers.tick(10_000);
      mock.timers.reset();
      assert.equal(await counting, records);
    }),
  );

  it(
    "is given up when the database is closed",
    withRecords(async (store, database) => {
      const lost = [store.count(endless), countThere(store)].map((read) =>
        assert.rejects(Promise.resolve(read), StoreUnavailable),
      );
      await turn();
      await database.close();
      await Promise.all(lost);
      await assert.rejects(Promise.resolve(countThere(store)), StoreUnavailable);
    }),
  );

  for (const option of ["maxWaitingReads", "readTimeLimit"]) {
    for (const value of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      it(`is not bounded by a ${option} of ${value}`, async () => {
        await assert.rejects(openSqliteDatabase(":memory:", { collections: [person], [option]: value }), RangeError);
      });
    }
  }
});

describe("the thread that reads a SQLite file", () => {
  it(
    "is started again when it has ended: what it had is lost, what waits is read",
    withRecords(async (store) => {
      const starting = nextThread();
      await countThere(store);
      const thread = await starting;
      const lost = assert.rejects(Promise.resolve(store.count(endless)), StoreUnavailable);
      const waiting = countThere(store);
      await turn();
      await thread.terminate();
      await lost;
      assert.equal(await waiting, records);
    }),
  );

  it(
    "is started again by the next read when it has ended with nothing to do",
    withStore(async (store) => {
      const starting = nextThread();
      await countThere(store);
      await (await starting).terminate();
      assert.equal(await countThere(store), 0);
    }),
  );

  it(
    "refuses to read when it cannot open the file, and reads when that is back",
    withStore(async (store, _database, file) => {
      for (const suffix of ["", "-wal", "-shm"]) renameSync(file + suffix, `${file}-away${suffix}`);
      await assert.rejects(Promise.resolve(countThere(store)), StoreUnavailable);
      for (const suffix of ["", "-wal", "-shm"]) renameSync(`${file}-away${suffix}`, file + suffix);
      assert.equal(await countThere(store), 0);
    }),
  );

  it("is waited for by a program that ends, and does not keep it running", () => {
    const program = `
      import { openSqliteDatabase } from ${JSON.stringify(new URL("../../../../src/index.ts", import.meta.url).href)};
      const file = ${JSON.stringify(folder.path("ending.db"))};
      const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
      database.store("person").count({ filters: [{ member: "id", operator: "ne", value: 7 }] }).then((count) => console.log(count));
    `;
    const options = ["--conditions=@waymark/source", "--input-type=module", "--eval", program];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([status, stdout, stderr], [0, "0\n", ""]);
  });

  it("is not needed for a count of few records", async () => {
    await withStore(async (store) => {
      await create(store, { name: "Ada" });
      let threads = 0;
      const onThread = (): void => {
        threads++;
      };
      process.on("worker", onThread);
      assert.equal(await store.count(), 1);
      process.off("worker", onThread);
      assert.equal(threads, 0);
    })();
  });

  it("is needed for a count where a record was once far from the others", async () => {
    await withStore(async (store) => {
      await create(store, {});
      await create(store, { id: 1_000_000_000 });
      const starting = nextThread();
      assert.equal(await store.count(), 2);
      await starting;
    })();
  });

  const place = ["1950-01-01", 7];
  const needless: readonly [what: string, selection: Selection][] = [
    ["all records", {}],
    ["a page by id, behind another", { order: by("id", true), after: [7], limit: 50 }],
    ["a page by a member, behind another", { order: by("birthDate"), after: place, limit: 50 }],
    [
      "a range of the member that it is sorted by",
      { order: by("birthDate"), filters: [filter("birthDate", "ge", "1950-01-01")] },
    ],
    [
      "the beginning of the member that it is sorted by",
      { order: by("name", true), filters: [filter("name", "prefix", "n1")] },
    ],
    ["one value, by id, behind another", { filters: [filter("name", "eq", "n1")], after: [7], limit: 50 }],
    ["a value that few have, sorted", { filters: [filter("name", "eq", "n1")], order: by("birthDate"), limit: 50 }],
    ["a range that few are in, not sorted by that member", { filters: [filter("name", "ge", "n9990")], limit: 50 }],
    ["words that few have, sorted", { words: ["n", "n77"], order: by("birthDate"), limit: 50 }],
    ["a page of words that many have, by id", { words: ["n1"], after: [7], limit: 50 }],
    ["a page of a number that many have, by id", { words: ["2025"], limit: 50 }],
    ["a page of the long beginning of a word that many have", { words: ["persona"], limit: 50 }],
    [
      "a range of which many are in front, sorted otherwise",
      { filters: [filter("name", "ge", "n2")], order: by("birthDate"), limit: 50 },
    ],
    [
      "a range, behind a place that need not lie in it",
      {
        order: by("birthDate"),
        filters: [filter("birthDate", "ge", "1950-01-01")],
        after: ["0001-01-01", 1],
        limit: 50,
      },
    ],
  ];
  const needed: readonly [what: string, selection: Selection][] = [
    ["all that have words", { words: ["n1"] }],
    ["a number that nobody has, with a part that all have", { words: ["2559"], limit: 50 }],
    ["the long beginning of a word that nobody has, and begins as that of many", { words: ["personz"], limit: 50 }],
    ["words that many have, sorted", { words: ["n1"], order: by("birthDate"), limit: 50 }],
    ["what is not a value", { filters: [filter("name", "ne", "n1")] }],
    [
      "a range of which most are behind others, sorted otherwise",
      { filters: [filter("name", "prefix", "n19")], order: by("birthDate"), limit: 50 },
    ],
    ["a long page of a range, not sorted by that member", { filters: [filter("name", "ge", "n1")], limit: 500 }],
    [
      "two filters that may leave nothing of what they find",
      { order: by("name"), filters: [filter("name", "ge", "n1"), filter("name", "gt", "n7")], limit: 50 },
    ],
    [
      "an order of two members, of which many may have the same first",
      { order: [{ member: "name", descending: false }, ...by("birthDate")], limit: 50 },
    ],
    [
      "an order that turns at the id",
      {
        order: [
          { member: "name", descending: false },
          { member: "id", descending: true },
        ],
        limit: 50,
      },
    ],
  ];
  for (const [cases, isNeeded] of [
    [needless, false],
    [needed, true],
  ] as const) {
    for (const [what, selection] of cases) {
      it(
        `is ${isNeeded ? "needed" : "not needed"} for a list of ${what}`,
        withRecords(async (store) => {
          let threads = 0;
          const onThread = (): void => {
            threads++;
          };
          process.on("worker", onThread);
          await Array.fromAsync(store.list(selection));
          process.off("worker", onThread);
          assert.equal(threads, isNeeded ? 1 : 0);
        }),
      );
    }
  }
});
