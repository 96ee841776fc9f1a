import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, it } from "node:test";
import type { Worker } from "node:worker_threads";
import { nextOutput } from "../../../../waymark/test/tools/child-process.ts";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import {
  type Database,
  type Document,
  openSqliteDatabase,
  type SqliteDatabaseOptions,
  type Store,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "../../../src/index.ts";
import { create, everything } from "../../store-contract/contract.ts";
import { commitsIn, withDatabase } from "./file.ts";

/** Node's options for a process that imports the source. */
const nodeArguments = process.execArgv.filter((argument) => argument.startsWith("--conditions"));
const folder = openFolder("sqlite-writer");

const open = (file: string, options: Partial<SqliteDatabaseOptions> = {}): Promise<Database> =>
  openSqliteDatabase(file, {
    collections: [{ name: "person", members: { identifier: { unique: true } } }],
    ...options,
  });

/** With a new file, and a store in it that is closed afterwards. */
const withStore =
  (
    use: (store: Store, file: string, database: Database) => Promise<void>,
    options: Partial<SqliteDatabaseOptions> = {},
  ) =>
  async (): Promise<void> => {
    const file = folder.newFile();
    const database = await open(file, options);
    try {
      await use(database.store("person"), file, database);
    } finally {
      await database.close();
    }
  };

describe("writes to a SQLite file at the same time", () => {
  it(
    "share commits",
    withStore(async (store, file) => {
      await create(store, {});
      const before = commitsIn(file);
      await Promise.all(Array.from({ length: 50 }, (_, n) => create(store, { n })));
      assert.equal(commitsIn(file), before + 1);
    }),
  );

  it(
    "share each commit also when clients make the next one as soon as they are answered",
    withStore(async (store, file) => {
      await create(store, {});
      const before = commitsIn(file);
      const client = async (): Promise<void> => {
        for (let n = 0; n < 10; n++) await create(store, { n });
      };
      await Promise.all(Array.from({ length: 30 }, client));
      assert.equal(commitsIn(file), before + 10);
    }),
  );

  it(
    "are made in their order, whatever becomes of each",
    withStore(async (store) => {
      const outcomes = await Promise.all([
        store.create({ identifier: "A1" }),
        store.create({ identifier: "A1" }),
        store.replace(1, { identifier: "B1" }),
        store.create({ identifier: "A1" }),
        store.remove(1, 1),
        store.remove(2, 3),
      ]);
      const kinds = outcomes.map(({ kind }) => kind);
      assert.deepEqual(kinds, ["created", "conflict", "replaced", "created", "changed", "removed"]);
    }),
  );

  it(
    "that shared a commit are answered in several turns of the event loop, between which there are reads",
    withStore(async (store) => {
      let answered = 0;
      const writes = Array.from({ length: 50 }, (_, n) => create(store, { n }).then(() => answered++));
      await writes[0];
      await new Promise((resolve) => setImmediate(resolve));
      assert.ok(answered < 50, `${answered} are answered`);
      await Promise.all(writes);
    }),
  );

  it(
    "of several collections share a commit too",
    withStore(
      async (_store, file, database) => {
        const stores = [database.store("person"), database.store("order")];
        await Promise.all(stores.map((store) => create(store, {})));
        const before = commitsIn(file);
        const records = await Promise.all(stores.map((store) => create(store, {})));
        assert.deepEqual(
          records.map(({ id, revision }) => [id, revision]),
          [
            [2, 2],
            [2, 2],
          ],
        );
        assert.equal(commitsIn(file), before + 1);
      },
      { collections: [{ name: "person" }, { name: "order" }] },
    ),
  );

  it(
    "fail alone",
    withStore(async (store, file) => {
      refuseEve(file);
      const outcomes = await Promise.allSettled(["Ada", "Eve", "Grace"].map((name) => store.create({ name })));
      const [ada, eve, grace] = outcomes;
      assert.ok(ada?.status === "fulfilled" && eve?.status === "rejected" && grace?.status === "fulfilled");
      assert.match(eve.reason.message, /no Eve/);
      assert.deepEqual(
        (await everything(store)).map(({ id, revision, json }) => [id, revision, JSON.parse(json).name]),
        [
          [1, 1, "Ada"],
          [2, 2, "Grace"],
        ],
      );
    }),
  );

  it(
    "are counted once each, also beside a removal and a change that fails",
    withStore(async (store, file) => {
      refuseEve(file);
      const before = commitsIn(file);
      await Promise.allSettled([
        store.create({ name: "Ada" }),
        store.create({ name: "Grace" }),
        store.remove(2),
        store.create({ name: "Eve" }),
        store.create({ name: "Alan" }),
      ]);
      assert.equal(commitsIn(file), before + 1);
      assert.deepEqual(
        (await everything(store)).map(({ id, revision }) => [id, revision]),
        [
          [1, 1],
          [3, 4],
        ],
      );
      assert.equal(await store.revision(), 4);
      const { id, revision } = await create(store, {});
      assert.deepEqual([id, revision], [4, 5]);
    }),
  );

  it(
    "leave no words of a record that one of them creates and another removes",
    withStore(
      async (store, file) => {
        const outcomes = await Promise.all([
          store.create({ name: "Ada" }),
          store.create({ name: "Eve" }),
          store.remove(2),
          store.replace(1, { name: "Grace" }),
        ]);
        assert.deepEqual(
          outcomes.map(({ kind }) => kind),
          ["created", "created", "removed", "replaced"],
        );
        withDatabase(file, (other) => {
          const words = other.prepare("SELECT rowid FROM waymark_words_person WHERE waymark_words_person MATCH ?");
          assert.deepEqual(
            ["ada", "eve", "grace"].map((word) => words.all(word).map(({ rowid }) => rowid)),
            [[], [], [1]],
          );
        });
      },
      { collections: [{ name: "person", members: { name: { search: true } } }] },
    ),
  );

  it(
    "are refused beyond those that may wait, and taken again later",
    withStore(
      async (store) => {
        const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => store.create({})));
        const refused = outcomes.filter((outcome) => outcome.status === "rejected");
        assert.equal(refused.length, 2);
        for (const { reason } of refused) assert.ok(reason instanceof StoreUnavailable, String(reason));
        assert.equal((await create(store, {})).id, 4);
      },
      { maxWaitingWrites: 3 },
    ),
  );

  it(
    "are refused beyond the memory that they may take",
    withStore(async (store) => {
      const large = { description: "x".repeat(20_000_000) };
      const outcomes = await Promise.allSettled([large, large, {}].map((document) => store.create(document)));
      assert.deepEqual(
        outcomes.map(({ status }) => status),
        ["fulfilled", "fulfilled", "rejected"],
      );
      assert.equal((await create(store, {})).id, 3);
    }),
  );

  for (const maxWaitingWrites of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
    it(`may not wait by ${maxWaitingWrites}`, async () => {
      await assert.rejects(open(":memory:", { maxWaitingWrites }), RangeError);
    });
  }
});

describe("a write to a SQLite file", () => {
  it(
    "is seen by every read once it is acknowledged",
    withStore(async (store) => {
      for (let i = 0; i < 50; i++) {
        const record = await create(store, {});
        assert.deepEqual(store.find(record.id), record);
        assert.equal(store.revision(), record.revision);
      }
    }),
  );

  for (const name of ["a b", "a%20b", "a?mode=memory", "a#b", "file:a", "é", "a&b=c"]) {
    it(`goes to the file that is read, also when its name is ${name}`, async () => {
      const database = await open(folder.path(`${name}.db`));
      const record = await create(database.store("person"), {});
      assert.deepEqual(await database.store("person").find(1), record);
      await database.close();
    });
  }

  it(
    "waits for one of another process while reads go on",
    withStore(
      async (store, file) => {
        const ada = await create(store, { name: "Ada" });
        const other = lock(file);
        const waiting = create(store, {});
        for (let i = 0; i < 20; i++) {
          await turn();
          assert.deepEqual(store.find(1), ada);
          assert.equal((await everything(store)).length, 1);
        }
        unlock(other);
        assert.equal((await waiting).id, 2);
      },
      { busyTimeout: 30_000 },
    ),
  );

  it(
    "is refused, with all of its batch, when that takes too long",
    withStore(
      async (store, file) => {
        await create(store, {});
        const other = lock(file);
        const outcomes = await Promise.allSettled([
          store.create({}),
          store.replace(1, { name: "Ada" }),
          store.remove(1),
        ]);
        unlock(other);
        for (const outcome of outcomes) {
          assert.ok(outcome.status === "rejected" && outcome.reason instanceof StoreUnavailable);
          assert.ok(!(outcome.reason instanceof StoreOutcomeUnknown));
          assert.match(outcome.reason.message, /Another process is writing/);
        }
        assert.equal(store.revision(), 1);
        assert.equal((await create(store, {})).id, 2);
      },
      { busyTimeout: 1 },
    ),
  );
});

describe("loading a SQLite file", () => {
  it(
    "ends when there are more conflicts than are reported",
    withStore(async (store) => {
      let produced = 0;
      let isEnded = false;
      function* documents(): Generator<Document> {
        try {
          for (; ; produced++) yield { identifier: "A1" };
        } finally {
          isEnded = true;
        }
      }
      assert.equal((await store.createAll(documents())).kind, "refused");
      assert.ok(isEnded && produced < 5000, `${produced} were asked for`);
    }),
  );

  it("takes as much memory however much is loaded", () => {
    const program = `
      import { openSqliteDatabase } from ${JSON.stringify(new URL("../../../src/index.ts", import.meta.url).href)};
      const file = ${JSON.stringify(folder.newFile())};
      const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
      function* documents() {
        for (let i = 0; i < 20_000; i++) yield { description: String(i).padEnd(2000) };
      }
      console.log((await database.store("person").createAll(documents())).count);
      await database.close();
    `;
    // Of the 40 MB there is room for a fraction.
    const options = [...nodeArguments, "--max-old-space-size=24", "--input-type=module", "--eval", program];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", timeout: 60_000 });
    assert.deepEqual([status, stdout, stderr], [0, "20000\n", ""]);
  });

  it(
    "leaves nothing when the process is killed",
    withStore(async (store, file, database) => {
      const ada = await create(store, { name: "Ada" });
      const program = `
        import { openSqliteDatabase } from ${JSON.stringify(new URL("../../../src/index.ts", import.meta.url).href)};
        const definition = { name: "person", members: { identifier: { unique: true } } };
        const database = await openSqliteDatabase(${JSON.stringify(file)}, { collections: [definition] });
        async function* documents() {
          for (let i = 0; ; i++) {
            if (i === 5_000) console.log("many are written");
            yield { description: String(i).padEnd(1000) };
          }
        }
        await database.store("person").createAll(documents());
      `;
      const options = [...nodeArguments, "--input-type=module", "--eval", program];
      const loading = spawn(process.execPath, options, { stdio: ["ignore", "pipe", "inherit"] });
      await nextOutput(loading);
      assert.deepEqual(await everything(store), [ada]);
      loading.kill("SIGKILL");
      await once(loading, "close");
      assert.deepEqual(await everything(store), [ada]);
      assert.equal((await create(store, {})).id, 2);
      await database.close();
      withDatabase(file, (opened) => {
        assert.deepEqual({ ...opened.prepare("PRAGMA integrity_check").get() }, { integrity_check: "ok" });
      });
    }),
  );

  it("makes the indexes of many records at its end, and others read by them all the while", async () => {
    const collections = [
      { name: "person", members: { name: { filter: "text" }, identifier: { unique: true } } },
    ] as const;
    const file = folder.newFile();
    const [one, other] = await Promise.all([open(file, { collections }), open(file, { collections })]);
    const [store, reader] = [one, other].map((database) => database.store("person")) as [Store, Store]; // of two, two
    const order = ["name", "id"].map((member) => ({ member, descending: true }));
    const lastNames = async (): Promise<readonly string[]> => {
      const { records } = await reader.batch({ order, limit: 2 });
      return records.map(({ json }) => JSON.parse(json).name);
    };
    async function* documents(end: () => void): AsyncGenerator<Document> {
      for (let i = 0; i < 12_000; i++) yield { name: `${i}`, identifier: `${i}` };
      assert.deepEqual(await lastNames(), ["Ada"]);
      end();
    }
    await create(store, { name: "Ada", identifier: "A1" });
    const broken = documents(() => {
      throw new RangeError("broken");
    });
    await assert.rejects(store.createAll(broken), /broken/);
    assert.deepEqual(await lastNames(), ["Ada"]);
    assert.equal((await store.createAll(documents(() => undefined))).kind, "created");
    assert.deepEqual(await lastNames(), ["Ada", "9999"]);
    assert.deepEqual(await reader.create({ identifier: "9999" }), { kind: "conflict", member: "identifier" });
    await Promise.all([one.close(), other.close()]);
  });

  it(
    "leaves nothing when its thread ends between two batches",
    withStore(async (store) => {
      async function* documents(): AsyncGenerator<Document> {
        for (let i = 0; i < 2000; i++) yield {};
        await thread?.terminate();
        for (let i = 0; i < 2000; i++) yield {};
      }
      const starting = nextThread();
      const refused = assert.rejects(store.createAll(documents()), StoreUnavailable);
      const thread = await starting;
      await refused;
      assert.deepEqual(await everything(store), []);
      assert.equal((await create(store, {})).id, 1);
    }),
  );

  it(
    "leaves nothing when its thread ends in a transaction, whatever that makes of it",
    withStore(async (store) => {
      const starting = nextThread();
      const lost = store.transaction(async (inside) => {
        await create(inside, {});
        const thread = await starting;
        const ended = once(thread, "exit");
        await Promise.all([thread.terminate(), ended]);
        await inside.create({}).catch(() => undefined);
      });
      await assert.rejects(
        lost,
        /^StoreUnavailable: The transaction is lost, since the thread that writes had to be started again$/,
      );
      assert.deepEqual(await everything(store), []);
      assert.equal((await create(store, {})).id, 1);
    }),
  );

  it(
    "is refused while another process writes for too long",
    withStore(
      async (store, file) => {
        const other = lock(file);
        await assert.rejects(store.createAll([{}]), StoreUnavailable);
        unlock(other);
        assert.deepEqual(await store.createAll([{}]), { kind: "created", count: 1 });
      },
      { busyTimeout: 1 },
    ),
  );
});

describe("closing a SQLite file", () => {
  it(
    "finishes what it was given before, and takes nothing afterwards",
    withStore(async (store, file, database) => {
      const sent = Array.from({ length: 10 }, () => store.create({}));
      const load = store.createAll(Array.from({ length: 1000 }, () => ({})));
      await turn();
      const waiting = Array.from({ length: 10 }, () => store.create({}));
      const closed = database.close();
      await assert.rejects(store.create({}), StoreUnavailable);
      await assert.rejects(store.createAll([]), StoreUnavailable);
      await closed;
      for (const { kind } of await Promise.all([...sent, load, ...waiting])) assert.equal(kind, "created");
      const again = await open(file);
      assert.equal((await everything(again.store("person"))).length, 1020);
      await again.close();
    }),
  );

  it("waits until all are answered, in memory too", async () => {
    const database = await open(":memory:");
    let answered = 0;
    for (let n = 0; n < 50; n++) create(database.store("person"), { n }).then(() => answered++);
    await database.close();
    assert.equal(answered, 50);
  });

  it(
    "leaves one file, without a log beside it",
    withStore(async (store, file, database) => {
      await create(store, {});
      await database.close();
      assert.equal(statSync(`${file}-wal`, { throwIfNoEntry: false }), undefined);
    }),
  );
});

describe("the thread that writes to a SQLite file", () => {
  it(
    "is started again when it has ended: what it had may be written or not, what waits is written",
    withStore(
      async (store, file) => {
        const ready = nextThread();
        await create(store, { name: "first" });
        const thread = await ready;
        // Otherwise the thread may have answered before it ends.
        const other = lock(file);
        const called = nextCall(thread);
        const lost = assert.rejects(store.create({ name: "second" }), StoreOutcomeUnknown);
        // Until then, the third would join the second.
        await called;
        const third = store.create({ name: "third" });
        await Promise.all([thread.terminate(), lost]);
        unlock(other);
        assert.equal((await third).kind, "created");
        const names = (await everything(store)).map(({ json }) => JSON.parse(json).name);
        assert.deepEqual(names, ["first", "third"]);
      },
      { busyTimeout: 30_000 },
    ),
  );

  it("may have removed some records of an owner when it ends", async () => {
    const book = { name: "book", members: {}, owner: { collection: "person", member: "personId" } };
    const file = folder.newFile();
    const database = await open(file, { collections: [{ name: "person", members: {} }, book], busyTimeout: 30_000 });
    const people = database.store("person");
    const ready = nextThread();
    await create(people, {});
    const thread = await ready;
    await database
      .store("book")
      .within(1)
      .createAll(Array.from({ length: 20_001 }, () => ({})));
    const other = lock(file);
    const called = nextCall(thread);
    const lost = assert.rejects(people.remove(1), StoreOutcomeUnknown);
    await called;
    await Promise.all([thread.terminate(), lost]);
    unlock(other);
    await database.close();
  });

  it(
    "is started again by the next write when it has ended with nothing to do",
    withStore(async (store) => {
      const ready = nextThread();
      await create(store, {});
      await (await ready).terminate();
      assert.equal((await create(store, {})).id, 2);
    }),
  );

  it(
    "is not waited for when the database is closed and it has ended",
    withStore(async (store, _file, database) => {
      const ready = nextThread();
      const first = assert.rejects(store.create({}), StoreUnavailable);
      const thread = await ready;
      const closed = database.close();
      await Promise.all([thread.terminate(), first, closed]);
    }),
  );

  it(
    "answers every write though it ends again and again, and keeps those that it acknowledged",
    withStore(async (store) => {
      const kept = new Map<number, string>();
      let thread: Worker | undefined;
      const onThread = (started: Worker): void => {
        thread = started;
      };
      process.on("worker", onThread);
      for (let round = 0; round < 20; round++) {
        const first = await create(store, {});
        kept.set(first.id, first.json);
        const writes = Array.from({ length: 30 }, async (_, n) => {
          for (let i = 0; i < n % 10; i++) await turn();
          return create(store, { round, n });
        });
        for (let i = 0; i < round; i++) await turn();
        await thread?.terminate();
        for (const outcome of await Promise.allSettled(writes)) {
          if (outcome.status === "fulfilled") kept.set(outcome.value.id, outcome.value.json);
          else assert.ok(outcome.reason instanceof StoreUnavailable, String(outcome.reason));
        }
      }
      process.off("worker", onThread);
      for (const [id, json] of kept) assert.equal((await store.find(id))?.json, json);
      assert.equal(new Set((await everything(store)).map(({ revision }) => revision)).size, store.revision());
    }),
  );

  it(
    "refuses the writes when it cannot open the file, makes no other, and writes when the file is back",
    withStore(async (store, file) => {
      for (const suffix of ["", "-wal", "-shm"]) renameSync(file + suffix, `${file}-away${suffix}`);
      for (let i = 0; i < 2; i++) {
        await assert.rejects(store.create({}), (error) => {
          assert.ok(error instanceof StoreUnavailable && !(error instanceof StoreOutcomeUnknown));
          return true;
        });
      }
      assert.equal(statSync(file, { throwIfNoEntry: false }), undefined);
      for (const suffix of ["", "-wal", "-shm"]) renameSync(`${file}-away${suffix}`, file + suffix);
      assert.equal((await create(store, {})).id, 1);
    }),
  );

  for (const [what, more] of [
    ["is waited for by a program that ends", ""],
    ["does not keep a program running that has nothing to write", "await writing;"],
  ]) {
    it(what ?? "", () => {
      const program = `
        import { openSqliteDatabase } from ${JSON.stringify(new URL("../../../src/index.ts", import.meta.url).href)};
        const file = ${JSON.stringify(folder.newFile())};
        const database = await openSqliteDatabase(file, { collections: [{ name: "person" }] });
        const writing = database.store("person").create({}).then(({ record }) => console.log(record.id));
        ${more}
      `;
      // The options are of those that no thread could be given.
      const options = ["--conditions=@waymark/source", "--input-type=module", "--expose-gc", "--eval", program];
      const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", timeout: 30_000 });
      assert.deepEqual([status, stdout, stderr], [0, "1\n", ""]);
    });
  }
});

describe("a disk that takes no more", () => {
  const fill = (shell: string, command: string, ...writerArguments: readonly string[]): unknown => {
    const program = join(import.meta.dirname, "filling-writer.ts");
    const [name = "", ...args] = shell.split(" ");
    const writer = spawnSync(
      name,
      [...args, command, process.execPath, ...nodeArguments, program, ...writerArguments],
      {
        encoding: "utf8",
      },
    );
    return JSON.parse(writer.stdout || JSON.stringify(writer.stderr));
  };
  const assertWhole = (report: unknown, fault: string): void => {
    assert.ok(typeof report === "object" && report !== null && "acknowledged" in report, String(report));
    const { acknowledged } = report;
    assert.ok(typeof acknowledged === "number" && acknowledged > 0);
    const found = acknowledged + 1;
    assert.deepEqual(report, { acknowledged, fault, readable: acknowledged, afterwards: "created", found });
  };

  // A file system of its own, which goes with the process.
  const shell = "unshare --user --map-root-user --mount sh -c";
  const mount = `mount -t tmpfs -o size=3m tmpfs "${folder.root}"`;
  const [command = "", ...args] = shell.split(" ");
  const canMount = spawnSync(command, [...args, mount]).status === 0;
  it("refuses the write, keeps what was acknowledged and nothing else, and goes on when there is room", {
    skip: !canMount && "the system lets nobody mount a small file system",
  }, () => {
    assertWhole(fill(shell, `${mount}; exec "$0" "$@"`, folder.newFile(), "1500000"), "StoreUnavailable");
  });

  it("does not claim to know where it fails otherwise: a file may not grow", () => {
    // 256 blocks, which the write-ahead log soon has.
    assertWhole(fill("sh -c", `ulimit -f 256; exec "$0" "$@"`, folder.newFile()), "StoreOutcomeUnknown");
  });
});

/** The rest of this turn of the event loop, and all that was scheduled in it. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** The thread that is started next. */
async function nextThread(): Promise<Worker> {
  const [thread] = await once(process, "worker");
  return thread;
}

/** Resolves when the thread is called next. */
function nextCall(thread: Worker): Promise<void> {
  return new Promise((resolve) => {
    const { postMessage } = thread;
    thread.postMessage = (message) => {
      thread.postMessage = postMessage;
      thread.postMessage(message);
      resolve();
    };
  });
}

function lock(file: string): DatabaseSync {
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  return other;
}

function unlock(other: DatabaseSync): void {
  other.exec("ROLLBACK");
  other.close();
}

/** Has a file refuse people named Eve. Their record is there already when that fails, and FAIL leaves it there. */
function refuseEve(file: string): void {
  withDatabase(file, (other) =>
    other.exec(`CREATE TRIGGER refuse AFTER INSERT ON person WHEN NEW.document ->> '$.name' = 'Eve'
      BEGIN SELECT RAISE(FAIL, 'no Eve'); END`),
  );
}
