import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, it, mock } from "node:test";
import type { Worker } from "node:worker_threads";
import { openFolder } from "../../waymark/test/folder.ts";
import {
  type Database,
  type DatabaseOptions,
  type Document,
  SharedWriter,
  type SharedWriterOptions,
  type Store,
  type StoreCommit,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "../src/index.ts";
import { joinWriter, type Member, openMember, openOnlyMember } from "./shared-writer-member.ts";
import { commitsIn, withDatabase } from "./sqlite-file.ts";
import { create, describeChanges, everything } from "./store-contract.ts";

const folder = openFolder("shared-writer");

const collections = [{ name: "person", members: { identifier: { unique: true }, name: { search: true } } }];

const openShared = (options: DatabaseOptions): Promise<Database> => openOnlyMember(folder.newFile(), options);
// The soak has its reads: a member reads the file as a program that writes by itself.
describeChanges("SQLite in a file, by a shared writer", openShared, openShared);

interface Shared {
  readonly file: string;
  readonly writer: SharedWriter;
  readonly members: readonly [Member, Member];
  readonly stores: readonly [Store, Store];
}

/** With two members of a writer, which end afterwards. */
const withMembers =
  (use: (shared: Shared) => Promise<void>, options: Partial<SharedWriterOptions> = {}) =>
  async (): Promise<void> => {
    const file = folder.newFile();
    const writer = new SharedWriter({ file, collections, ...options });
    const members = [
      await openMember(writer, file, { collections }),
      await openMember(writer, file, { collections }),
    ] as const;
    try {
      await use({
        file,
        writer,
        members,
        stores: [members[0].database.store("person"), members[1].database.store("person")],
      });
    } finally {
      for (const member of members) await member[Symbol.asyncDispose]();
      await writer.close();
    }
  };

describe("a writer that several programs share", () => {
  it(
    "commits together what they ask for at the same time",
    withMembers(async ({ file, stores: [one, other] }) => {
      await create(one, {});
      const before = commitsIn(file);
      const records = await Promise.all(Array.from({ length: 40 }, (_, n) => create(n % 2 === 0 ? one : other, { n })));
      assert.equal(new Set(records.map(({ id }) => id)).size, 40);
      // The messages of the two need not come in the same turn of the event loop: usually there are one or two.
      const commits = commitsIn(file) - before;
      assert.ok(commits <= 10, `${commits} commits`);
    }),
  );

  it("reports each commit once, with the changes of all", async () => {
    const commits: StoreCommit[] = [];
    const count = withMembers(
      async ({ stores }) => void (await Promise.all(stores.map((store) => create(store, {})))),
      { onCommit: (commit) => commits.push(commit) },
    );
    await count();
    assert.equal(
      commits.reduce((sum, { changes }) => sum + changes, 0),
      2,
    );
    for (const { error, milliseconds } of commits) assert.ok(error === undefined && milliseconds > 0);
  });

  it(
    "lets each read at once what it or another one has written",
    withMembers(async ({ stores: [one, other] }) => {
      for (let i = 0; i < 20; i++) {
        const record = await create(one, { name: `Ada ${i}` });
        assert.deepEqual(one.find(record.id), record);
        assert.deepEqual(other.find(record.id), record);
        assert.equal(other.revision(), record.revision);
      }
      assert.equal(await other.count({ words: ["ada"] }), 20);
    }),
  );

  it(
    "lets one of all creates have a value, and refuses a change that another one was before",
    withMembers(async ({ stores }) => {
      const [one, other] = stores;
      const creations = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (stores[n % 2] as Store).create({ identifier: "A1" })),
      );
      assert.equal(creations.filter(({ kind }) => kind === "created").length, 1);
      const changes = await Promise.all([one.replace(1, { name: "Ada" }, 1), other.replace(1, { name: "Grace" }, 1)]);
      assert.deepEqual(changes.map(({ kind }) => kind).toSorted(), ["changed", "replaced"]);
    }),
  );

  it(
    "fails one change of a commit, and makes those of the others",
    withMembers(async ({ file, stores: [one, other] }) => {
      withDatabase(file, (opened) =>
        opened.exec(`CREATE TRIGGER refuse AFTER INSERT ON person WHEN NEW.document ->> '$.name' = 'Eve'
          BEGIN SELECT RAISE(FAIL, 'no Eve'); END`),
      );
      const eve = assert.rejects(one.create({ name: "Eve" }), { name: "Error", message: "no Eve" });
      const made = await Promise.all([create(one, { name: "Ada" }), create(other, { name: "Grace" })]);
      await eve;
      assert.equal(made.length, 2);
      assert.equal((await everything(other)).length, 2);
    }),
  );

  it(
    "refuses the changes of all while another program writes, and each says so when it is checked",
    withMembers(
      async ({ file, members, stores }) => {
        await create(stores[0], {});
        const blocking = new DatabaseSync(file);
        blocking.exec("BEGIN IMMEDIATE");
        for (const store of stores) {
          await assert.rejects(store.create({}), (error) => {
            assert.ok(error instanceof StoreUnavailable && !(error instanceof StoreOutcomeUnknown));
            assert.match(error.message, /Another process is writing/);
            return true;
          });
        }
        blocking.exec("ROLLBACK");
        blocking.close();
        for (const { database } of members) assert.deepEqual(await database.check(), { readOnly: false });
        assert.equal((await create(stores[1], {})).id, 2);
      },
      { busyTimeout: 1 },
    ),
  );

  it(
    "says that it does not know what became of changes when its thread ends, and goes on",
    withMembers(
      async ({ file, stores }) => {
        const started = nextThread();
        await create(stores[0], {});
        const thread = await started;
        const blocking = new DatabaseSync(file);
        blocking.exec("BEGIN IMMEDIATE");
        const writing = Promise.allSettled(stores.map((store) => store.create({})));
        for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
        await thread.terminate();
        blocking.exec("ROLLBACK");
        blocking.close();
        // What came too late for the commit is in the next one.
        const lost = (await writing).filter((outcome) => outcome.status === "rejected");
        assert.ok(lost.length > 0);
        for (const { reason } of lost) assert.ok(reason instanceof StoreOutcomeUnknown, String(reason));
        assert.equal((await create(stores[1], {})).id, 4 - lost.length);
      },
      { busyTimeout: 30_000 },
    ),
  );

  it(
    "stores all or none of many records, while the others wait",
    withMembers(async ({ stores: [one, other] }) => {
      const begun = Promise.withResolvers<void>();
      const goOn = Promise.withResolvers<void>();
      async function* documents(): AsyncGenerator<Document> {
        yield* Array.from({ length: 600 }, () => ({}));
        begun.resolve();
        await goOn.promise;
        yield {};
      }
      const load = one.createAll(documents());
      await begun.promise;
      const waiting = create(other, {});
      assert.equal((await everything(other)).length, 0);
      goOn.resolve();
      assert.deepEqual(await load, { kind: "created", count: 601 });
      assert.equal((await waiting).id, 602);
    }),
  );

  for (const [what, end] of [
    ["ends", (_tick, leave) => leave()],
    ["is suspended", (tick) => tick(15_000)],
  ] as readonly (readonly [string, (tick: (milliseconds: number) => void, leave: () => void) => void])[]) {
    it(
      `stores none of many records of a program that ${what} before the last, and goes on with the others`,
      withMembers(async ({ writer, stores: [store] }) => {
        const { link, leave } = joinWriter(writer);
        let answered = (_message: unknown): void => undefined;
        link.onMessage((message) => answered(message));
        const ask = (id: number, call: string, ...args: readonly unknown[]): Promise<unknown> => {
          link.send({ id, call, args, changes: 0 });
          return new Promise((resolve) => {
            answered = resolve;
          });
        };
        mock.timers.enable({ apis: ["setTimeout"] });
        const begun = await ask(1, "beginBulk", "person", { onlyIfEmpty: false });
        assert.deepEqual(begun, [1, { kind: "done", result: undefined }]);
        const record = { kind: "create", id: undefined, members: "{}", time: 0, owner: undefined };
        assert.deepEqual(await ask(2, "addToBulk", [record]), [2, { kind: "done", result: true }]);
        const waiting = create(store, { name: "Ada" });
        end((milliseconds) => mock.timers.tick(milliseconds), leave);
        mock.timers.reset();
        const ada = await waiting;
        assert.deepEqual(await everything(store), [ada]);
        leave();
      }),
    );
  }

  it("is closed after all that it was asked for, and leaves one file without a log beside it", async () => {
    const file = folder.newFile();
    const writer = new SharedWriter({ file, collections });
    const member = await openMember(writer, file, { collections });
    const creations = Array.from({ length: 20 }, () => create(member.database.store("person"), {}));
    await member[Symbol.asyncDispose]();
    await writer.close();
    assert.equal((await Promise.all(creations)).length, 20);
    assert.equal(statSync(`${file}-wal`, { throwIfNoEntry: false }), undefined);
  });

  it("is closed, however little else keeps the process running, also while a load is given up", () => {
    const program = `
      import { openSqliteDatabase, SharedWriter } from ${JSON.stringify(new URL("../src/index.ts", import.meta.url).href)};
      const [file, collections] = [${JSON.stringify(folder.newFile())}, [{ name: "person" }]];
      await (await openSqliteDatabase(file, { collections })).close();
      const writer = new SharedWriter({ file, collections });
      const begun = Promise.withResolvers();
      const leave = writer.join({
        send: begun.resolve,
        onMessage: (receive) => receive({ id: 1, call: "beginBulk", args: ["person", {}], changes: 0 }),
      });
      await begun.promise;
      leave();
      await writer.close();
      console.log("closed");
    `;
    const options = ["--conditions=@waymark/source", "--input-type=module", "--eval", program];
    const { status, stdout, stderr } = spawnSync(process.execPath, options, { encoding: "utf8", timeout: 30_000 });
    assert.deepEqual([status, stdout, stderr], [0, "closed\n", ""]);
  });
});

/** The thread that is started next. */
async function nextThread(): Promise<Worker> {
  const [thread] = await once(process, "worker");
  return thread;
}
