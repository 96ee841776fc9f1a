import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import {
  type CollectionDefinition,
  type Database,
  type MemberTable,
  type MemberUse,
  openPostgresDatabase,
  type PostgresDatabaseOptions,
  type Selection,
  type Store,
  StoreOpenError,
  StoreOutcomeUnknown,
  StoreUnavailable,
} from "../../../src/index.ts";
import { create, everything, noon, replace } from "../../store-contract/contract.ts";
import { administrator, disposable, execute, newPostgresDatabase } from "../../tools/postgres-server.ts";

const person: CollectionDefinition = { name: "person", members: { identifier: { unique: true } } };

async function open(url: string, options: Partial<PostgresDatabaseOptions> = {}): Promise<Database> {
  return openPostgresDatabase(url, { collections: [person], now: () => noon, ...options });
}

describe("a PostgreSQL database", () => {
  it("keeps records, ids and revisions when it is opened again", async () => {
    const url = await newPostgresDatabase();
    const before = await open(url);
    const ada = await create(before.store("person"), { name: "Ada", identifier: "A1" });
    await create(before.store("person"), { id: 40 });
    await before.store("person").remove(40);
    await before.close();
    await using again = disposable(await open(url));
    const people = again.database.store("person");
    assert.deepEqual(await everything(people), [ada]);
    assert.deepEqual(await people.create({ identifier: "A1" }), { kind: "conflict", member: "identifier" });
    const next = await create(people, {});
    assert.ok(next.id > 40); // a refused creation uses up an id and a revision
    assert.ok(next.revision > 3);
  });

  it("holds several collections, each with ids, revisions and removals of its own", async () => {
    const collections = [person, { name: "order" }];
    await using opened = disposable(await open(await newPostgresDatabase(), { collections }));
    const [people, orders] = ["person", "order"].map((name) => opened.database.store(name)) as [Store, Store];
    await create(people, { identifier: "A1" });
    await create(people, {});
    const order = await create(orders, { identifier: "A1" });
    assert.deepEqual([order.id, order.revision], [1, 1]);
    await people.remove(2);
    assert.equal((await create(orders, { id: 2 })).id, 2);
  });

  it("makes a transaction again whose connection breaks, whatever its work makes of that", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    let attempts = 0;
    await opened.database.transaction(async (tx) => {
      attempts++;
      await create(tx.store("person"), { identifier: `A${attempts}` });
      const end =
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'";
      if (attempts === 1) await execute(url, end);
      await create(tx.store("person"), {}).catch(() => undefined);
    });
    const identifiers = (await everything(opened.database.store("person"))).map(
      ({ json }) => JSON.parse(json).identifier,
    );
    assert.deepEqual([attempts, identifiers], [2, ["A2", undefined]]);
  });

  it("reports that it is not available only where a transaction has failed, not where one met another", async () => {
    const url = await newPostgresDatabase();
    const reported: unknown[] = [];
    const observer = { onUnavailable: (error: unknown) => void reported.push(error) };
    await using opened = disposable(await open(url, { observer }));
    // It fails as one does that met another, is made, and then there is no room.
    await execute(
      url,
      `CREATE SEQUENCE attempts; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$
        DECLARE attempt bigint := nextval('attempts'); BEGIN
        IF attempt = 1 THEN RAISE EXCEPTION 'met another one' USING ERRCODE = '40001'; END IF;
        IF attempt = 3 THEN RAISE EXCEPTION 'disk full' USING ERRCODE = '53100'; END IF; RETURN NEW;
      END $$; CREATE TRIGGER fail BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    const add = () => opened.database.transaction((tx) => create(tx.store("person"), {}));
    await add();
    assert.deepEqual(reported, []);
    await assert.rejects(add(), (error) => error instanceof StoreUnavailable && error === reported[0]);
    assert.equal(reported.length, 1);
  });

  it("is made once by programs that start together", async () => {
    const url = await newPostgresDatabase();
    const databases = await Promise.all(Array.from({ length: 8 }, () => open(url, { poolSize: 3 })));
    const records = await Promise.all(databases.map((database) => create(database.store("person"), {})));
    assert.deepEqual(records.map(({ id }) => id).toSorted(), [1, 2, 3, 4, 5, 6, 7, 8]);
    await Promise.all(databases.map((database) => database.close()));
  });

  it("writes a commit to the disk, even if the server is set not to", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(`${url}%20-csynchronous_commit%3Doff`));
    await execute(
      url,
      `CREATE FUNCTION assert_durable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        ASSERT current_setting('synchronous_commit') = 'on'; RETURN NEW;
      END $$; CREATE TRIGGER durable BEFORE INSERT ON person FOR EACH ROW EXECUTE FUNCTION assert_durable()`,
    );
    await create(opened.database.store("person"), {});
  });

  it("keeps a value that is unique however long it is, and one that PostgreSQL has no text for", async () => {
    await using opened = disposable(await open(await newPostgresDatabase()));
    const people = opened.database.store("person");
    const values = ["x".repeat(5_000), `${"x".repeat(5_000)}y`, "\u0000", "\\u0000", "\\\u0000", "\ud800", "\\"];
    for (const identifier of values) {
      const { id } = await create(people, { identifier });
      assert.equal(JSON.parse((await people.find(id))?.json ?? "").identifier, identifier);
      assert.deepEqual(await people.create({ identifier }), { kind: "conflict", member: "identifier" });
    }
  });

  it("reads pages of any size, also once another program has added a column", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    const people = opened.database.store("person");
    await people.createAll(Array.from({ length: 100 }, () => ({ name: "Ada" })));
    for (const change of ["", "ALTER TABLE person ADD COLUMN added integer", "ALTER TABLE person DROP COLUMN added"]) {
      await execute(url, change);
      for (let limit = 1; limit <= 100; limit++) {
        const page = (await Array.fromAsync(people.list({ limit, after: [2] }))).flat();
        const expected = Array.from({ length: Math.min(limit, 98) }, (_, n) => n + 3);
        assert.deepEqual(
          Array.from(page, ({ id }) => id),
          expected,
        );
      }
    }
  });

  it("keeps nothing of the records that were read", async () => {
    const url = await newPostgresDatabase();
    const program = `
      import { getHeapSpaceStatistics } from "node:v8";
      import { openPostgresDatabase } from "@waymark/collection";
      const database = await openPostgresDatabase(${JSON.stringify(url)}, { collections: [{ name: "person" }] });
      const people = database.store("person");
      await people.createAll(Array.from({ length: 20 }, () => ({ name: "x".repeat(500) })));
      const old = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
      let before;
      for (let n = 0; n < 2_000; n++) {
        if (n === 500) before = old();
        // Each another list, since those that are asked for again are kept.
        for await (const batch of people.list({ after: [-n] })) if (batch.length !== 20) throw new Error();
      }
      console.log((old() - before) / 1_500);
      await database.close();
    `;
    // What is referred to by something that is old lives on until the whole memory is searched, which these options put off.
    const options = ["--conditions=@waymark/source", "--no-incremental-marking", "--max-semi-space-size=8"];
    const run = promisify(execFile)(process.execPath, [...options, "--input-type=module", "--eval", program]);
    const bytesForEach = Number((await run).stdout);
    assert.ok(bytesForEach < 2_000, `${bytesForEach}`);
  });

  it("lets two records swap what is unique by changes that are made together", async () => {
    await using opened = disposable(await open(await newPostgresDatabase()));
    const people = opened.database.store("person");
    await people.createAll([{ identifier: "A1" }, { identifier: "A2" }]);
    const changes = [{ identifier: "A3" }, { identifier: "A1" }, { identifier: "A2" }];
    const outcomes = await Promise.all([
      people.replace(1, changes[0] as object),
      people.replace(2, changes[1] as object),
      people.replace(1, changes[2] as object),
      people.remove(2),
    ]);
    assert.deepEqual(
      outcomes.map(({ kind }) => kind),
      ["replaced", "replaced", "replaced", "removed"],
    );
    await create(people, { identifier: "A1" });
    assert.deepEqual(
      (await everything(people)).map(({ json }) => JSON.parse(json).identifier),
      ["A2", "A1"],
    );
  });
});

describe("records that swap what is unique in a PostgreSQL database", () => {
  it("do so with the other changes that are made together", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    const people = opened.database.store("person");
    await people.createAll([{ identifier: "A1" }, { identifier: "A2" }, { identifier: "A3" }]);
    const identifiers = ["free", "A1", "A2", "A3"];
    // The first takes what the third has, the second what the first has, and the third what the second has.
    await Promise.all([1, 2, 3, 1].map((id, n) => replace(people, id, { identifier: identifiers[n] })));
    assert.deepEqual(
      (await everything(people)).map(({ json }) => JSON.parse(json).identifier),
      ["A3", "A1", "A2"],
    );
  });
});

/** A table of members that all have the same use. */
const usesOf = (names: readonly string[], use: MemberUse): MemberTable =>
  Object.fromEntries(names.map((name) => [name, use]));

describe("unique members of a PostgreSQL database", () => {
  it("may be added to one that has records, dropped, and added again", async () => {
    const url = await newPostgresDatabase();
    for (const unique of [[], ["identifier", "email"], ["email"], ["identifier", "email"]]) {
      await using opened = disposable(
        await open(url, { collections: [{ name: "person", members: usesOf(unique, { unique: true }) }] }),
      );
      const people = opened.database.store("person");
      if (unique.length === 0) await create(people, { identifier: "A1", email: "ada@example.org" });
      for (const [member, value] of [
        ["identifier", "A1"],
        ["email", "ada@example.org"],
      ] as const) {
        if (unique.includes(member)) {
          assert.deepEqual(await people.create({ [member]: value }), { kind: "conflict", member });
        }
      }
    }
  });

  it("are refused when records share a value", async () => {
    const url = await newPostgresDatabase();
    const before = await open(url, { collections: [{ name: "person" }] });
    await before.store("person").createAll([{ identifier: "A1" }, { identifier: "A1" }]);
    await before.close();
    await assertNotOpened(
      url,
      /two records in it \(1 and 2\) have the same identifier, which is to be unique; change one of them/,
    );
    await using still = disposable(await open(url, { collections: [{ name: "person" }] }));
    assert.equal((await everything(still.database.store("person"))).length, 2);
  });

  it("are enforced by the database too", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url));
    await create(opened.database.store("person"), { identifier: "A1" });
    const copy =
      "INSERT INTO person (id, revision, tx, created_at, updated_at, document, compared, words) SELECT 9, revision, tx, created_at, updated_at, document, compared, words FROM person";
    await assert.rejects(execute(url, copy), /person_unique identifier/);
  });
});

describe("what a PostgreSQL database can be selected and searched by", () => {
  const height = (type: "number" | "text"): CollectionDefinition => ({
    name: "person",
    members: { height: { filter: type } },
  });
  const idsBy = async (people: Store, selection: Selection): Promise<readonly number[]> =>
    (await Array.fromAsync(people.list(selection))).flat().map(({ id }) => id);

  it("may be added to one that has records, change its type, and be left out", async () => {
    const url = await newPostgresDatabase();
    const before = await open(url);
    await before.store("person").createAll([{ height: 10 }, { height: 9 }, { height: "9" }]);
    await before.close();
    for (const [type, value, ids] of [
      ["number", 9, [2]],
      ["text", "9", [3]],
      ["number", 10, [1]],
    ] as const) {
      await using opened = disposable(await open(url, { collections: [height(type)] }));
      await opened.database.makeIndexes();
      const people = opened.database.store("person");
      assert.deepEqual(await idsBy(people, { filters: [{ member: "height", operator: "eq", value }] }), ids);
    }
  });

  it("has the words of records that there were before", async () => {
    const url = await newPostgresDatabase();
    const before = await open(url);
    const count = 450;
    await before
      .store("person")
      .createAll(Array.from({ length: count }, (_, n) => ({ name: `Ada ${n}`, job: "Byron 20 7946" })));
    await before.close();
    for (const [members, word, found] of [
      [usesOf(["name"], { search: true }), "ada", count],
      [usesOf(["name", "job"], { search: true }), "byron", count],
      [usesOf(["name"], { search: true }), "byron", 0],
      [{ name: { search: true }, job: { search: "digits" } }, "2079", count],
      [{ name: { search: true }, job: { search: "digits" } }, "ada", count],
      [usesOf(["job"], { search: true }), "2079", 0],
    ] as const) {
      await using opened = disposable(await open(url, { collections: [{ ...person, members }] }));
      await opened.database.makeIndexes();
      assert.equal(await opened.database.store("person").count({ words: [word] }), found);
    }
    await using without = disposable(await open(url));
    assert.deepEqual(without.database.store("person").fullText, []);
  });

  it("may be of any length, in which texts differ", async () => {
    await using opened = disposable(
      await open(await newPostgresDatabase(), {
        collections: [{ name: "person", members: { name: { filter: "text", search: true } } }],
      }),
    );
    const people = opened.database.store("person");
    const long = Array.from({ length: 4_000 }, (_, n) => String.fromCodePoint(0x1_f600 + (n % 60))).join("");
    const names = [long, `${long}a`, `${long}b`, "a"];
    await people.createAll(names.map((name) => ({ name })));
    for (const [n, value] of names.entries()) {
      for (const [operator, ids] of [
        ["eq", [n + 1]],
        ["ne", [1, 2, 3, 4].filter((id) => id !== n + 1)],
        ["lt", [[4], [1, 4], [1, 2, 4], []][n]],
        ["ge", [[1, 2, 3], [2, 3], [3], [1, 2, 3, 4]][n]],
        ["prefix", [[1, 2, 3], [2], [3], [4]][n]],
      ] as const) {
        const found = await idsBy(people, { filters: [{ member: "name", operator, value }] });
        assert.deepEqual(found, ids, `${operator} ${n}`);
      }
      const found = await idsBy(people, { filters: [{ member: "name", operator: "in", values: [value, "b"] }] });
      assert.deepEqual(found, [n + 1]);
    }
  });

  it("finds a record by its first million bytes of words, however many it has", async () => {
    const collections = [{ name: "person", members: { name: { search: true } } }];
    // A busy machine must not have the transaction ended while its words are made.
    await using opened = disposable(await open(await newPostgresDatabase(), { collections, statementTimeout: 60_000 }));
    const people = opened.database.store("person");
    const words = Array.from({ length: 5_000 }, (_, n) => `word${n}${"𐐨".repeat(50)}`); // four bytes each
    const { id } = await create(people, { name: words.join(" ") });
    assert.deepEqual(await idsBy(people, { words: words.slice(0, 2) }), [id]);
    assert.deepEqual(await idsBy(people, { words: words.slice(-1) }), []);
  });

  it("takes what PostgreSQL has no text for, in records and in selections", async () => {
    await using opened = disposable(
      await open(await newPostgresDatabase(), {
        collections: [{ name: "person", members: { name: { filter: "text" } } }],
      }),
    );
    const people = opened.database.store("person");
    for (const value of ["\u0000", "a\u0000b", "\ud800", "\udfff😀"]) {
      const { id } = await create(people, { name: value });
      assert.deepEqual(await idsBy(people, { filters: [{ member: "name", operator: "eq", value }] }), [id]);
    }
  });

  it("compares whole numbers with any number", async () => {
    await using opened = disposable(await open(await newPostgresDatabase()));
    const people = opened.database.store("person");
    await people.createAll([{}, {}, {}]);
    for (const [operator, value, ids] of [
      ["eq", 1.5, []],
      ["ne", 1.5, [1, 2, 3]],
      ["lt", 1.5, [1]],
      ["le", 1.5, [1]],
      ["gt", 1.5, [2, 3]],
      ["ge", 1.5, [2, 3]],
      ["gt", -1e300, [1, 2, 3]],
      ["lt", 1e300, [1, 2, 3]],
      ["eq", 1e300, []],
    ] as const) {
      assert.deepEqual(await idsBy(people, { filters: [{ member: "id", operator, value }] }), ids);
    }
    assert.deepEqual(
      await idsBy(people, { filters: [{ member: "id", operator: "in", values: [1.5, 2, 1e300] }] }),
      [2],
    );
    assert.deepEqual(await idsBy(people, { after: [1.5] }), [2, 3]);
  });
});

describe("owners in a PostgreSQL database", () => {
  const book = (owner: string): CollectionDefinition => ({
    name: "book",
    owner: { collection: owner, member: "ownerId" },
  });

  it("and what they own may be changed by several programs at once, without a deadlock", async () => {
    const url = await newPostgresDatabase();
    const collections = [book("person"), person];
    await using one = disposable(await open(url, { collections }));
    await using other = disposable(await open(url, { collections }));
    const databases = [one.database, other.database];
    const count = 40;
    await databases[0]?.store("person").createAll(Array.from({ length: count }, () => ({})));
    const created: number[] = [];
    const changes = Array.from({ length: count * 6 }, async (_, n) => {
      const database = databases[n % 2] as Database;
      const owner = 1 + (n % count);
      // Every other owner stays.
      if (n % 3 === 0 && owner % 2 === 0)
        assert.equal(typeof (await database.store("person").remove(owner)).kind, "string");
      else {
        const creation = await database.store("book").within(owner).create({});
        if (creation.kind === "created") created.push(creation.record.id);
        else assert.equal(creation.kind, "ownerless");
      }
    });
    await Promise.all(changes);
    const [people, books] = ["person", "book"].map((name) => one.database.store(name)) as [Store, Store];
    const alive = new Set((await everything(people)).map(({ id }) => id));
    const kept = await everything(books);
    for (const { json } of kept) assert.ok(alive.has(JSON.parse(json).ownerId));
    assert.ok(created.length > 0);
    // Each was counted when it was created, and again when it went with its owner.
    assert.ok((await books.revision()) >= created.length + (created.length - kept.length));
    assert.ok((await people.revision()) >= count + (count - alive.size));
  });

  it("are not changed for records that there are", async () => {
    const url = await newPostgresDatabase();
    const collections = [person, { name: "shop" }];
    const before = await open(url, { collections: [...collections, book("person")] });
    await before.close();
    const moved = await open(url, { collections: [...collections, book("shop")] });
    await create(moved.store("shop"), {});
    await create(moved.store("book").within(1), {});
    await moved.close();
    await assertNotOpened(
      url,
      /the records of book in it are owned by shop, and are to be owned by person; remove them/,
      {
        collections: [...collections, book("person")],
      },
    );
  });

  it("are kept by the database as long as they own something", async () => {
    const url = await newPostgresDatabase();
    await using opened = disposable(await open(url, { collections: [book("person"), person] }));
    await create(opened.database.store("person"), {});
    await create(opened.database.store("book").within(1), {});
    await assert.rejects(execute(url, "DELETE FROM person"), /violates foreign key constraint/);
  });
});

describe("a database that cannot be opened is named in one line, without the password", () => {
  const cases: readonly [what: string, change: (url: URL) => void, message: RegExp][] = [
    [
      "a wrong password",
      (url) => Object.assign(url, { password: "wrong" }),
      /does not let this user in with this pass/,
    ],
    ["no password", (url) => Object.assign(url, { password: "" }), /does not let this user in/],
    [
      "no user",
      (url) => Object.assign(url, { username: "", password: "" }),
      (process.env["USER"] ?? process.env["PGUSER"]) === undefined ? /no user is named; put/ : /does not let this user/,
    ],
    ["an unknown user", (url) => Object.assign(url, { username: "nobody" }), /does not let this user in/],
    ["an unknown database", (url) => Object.assign(url, { pathname: "/none" }), /there is no such database; create it/],
    ["a port on which nobody listens", (url) => Object.assign(url, { port: "1" }), /nothing answers there; start the/],
    ["a host that there is not", (url) => Object.assign(url, { hostname: "db.invalid" }), /no such host|looked up/],
    [
      "a server without TLS",
      (url) => url.searchParams.set("sslmode", "verify-full"),
      /the server is not set up for TLS/,
    ],
    [
      "a certificate authority whose file is missing",
      (url) => url.searchParams.set("sslrootcert", "/none/ca.pem"),
      /a file of sslrootcert, sslcert or sslkey cannot be read/,
    ],
    [
      "a schema that does not exist",
      (url) => url.searchParams.set("options", "-c search_path=nowhere"),
      /no schema of its search path exists; create one/,
    ],
  ];
  for (const [what, change, message] of cases) {
    it(what, async () => {
      const url = new URL(await newPostgresDatabase());
      change(url);
      await assertNotOpened(url.href, message);
    });
  }

  it("an engine that lacks what PostgreSQL has", async () => {
    const url = await newPostgresDatabase();
    await execute(
      url,
      `CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'not supported' USING ERRCODE = '0A000'; END $$;
      CREATE EVENT TRIGGER refuse ON ddl_command_start WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION refuse()`,
    );
    try {
      await assertNotOpened(url, /it does not take a statement that PostgreSQL 15 takes/);
    } finally {
      await execute(url, "DROP EVENT TRIGGER refuse");
    }
  });

  it("a server that accepts connections and says nothing", async () => {
    const silent = createServer().listen(0, "127.0.0.1");
    await once(silent, "listening");
    const { port } = silent.address() as AddressInfo; // it listens on a port
    await assertNotOpened(`postgres://u:secret@127.0.0.1:${port}/d`, /nothing answers there/, { connectTimeout: 50 });
    silent.close();
  });

  it("a layout of a newer version", async () => {
    const url = await newPostgresDatabase();
    await (await open(url)).close();
    await execute(url, "UPDATE waymark_layout SET number = 99");
    await assertNotOpened(
      url,
      /a newer version of this program wrote it \(layout 99, and this one knows \d+\); upgrade/,
    );
  });

  it("a table of another program, which is left as it is", async () => {
    const url = await newPostgresDatabase();
    await execute(url, "CREATE TABLE person (name text); INSERT INTO person VALUES ('Ada')");
    await assertNotOpened(url, /it has a table "person" of another program/);
    assert.deepEqual(await execute(url, "SELECT name FROM person"), [["Ada"]]);
    assert.deepEqual(await execute(url, "SELECT to_regclass('waymark_layout')"), [[null]]);
  });

  it("a user who may not make tables", async () => {
    const url = new URL(await newPostgresDatabase());
    await execute(url.href, "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'secret'");
    const schema = url.searchParams.get("options")?.split("=")[1] ?? "";
    await execute(url.href, `GRANT USAGE ON SCHEMA ${schema} TO reader`);
    Object.assign(url, { username: "reader", password: "secret" });
    await assertNotOpened(url.href, /the user may not make tables or write to them; grant it/);
  });

  it("a user who may only read", async () => {
    const url = new URL(await newPostgresDatabase());
    await (await open(url.href)).close();
    const schema = url.searchParams.get("options")?.split("=")[1] ?? "";
    await execute(
      url.href,
      `DROP ROLE IF EXISTS onlooker; CREATE ROLE onlooker LOGIN PASSWORD 'secret';
      GRANT USAGE ON SCHEMA ${schema} TO onlooker; GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO onlooker`,
    );
    Object.assign(url, { username: "onlooker", password: "secret" });
    await assertNotOpened(url.href, /the user may not write to its tables; grant it, or name another user/);
  });

  for (const address of ["postgres://", "postgres://u:se cret@[/x", "postgresql://u:secret@host:99999/x"]) {
    it(`the address ${JSON.stringify(address)}`, async () => {
      await assert.rejects(open(address, { connectTimeout: 500 }), (error) => {
        assert.ok(error instanceof StoreOpenError, String(error));
        assert.doesNotMatch(error.message, /cret|\n/);
        return true;
      });
    });
  }

  it("a misspelt parameter, which would else turn TLS off", async () => {
    await assert.rejects(open("postgres://u:secret@localhost/x?sslmod=verify-full"), {
      name: "StoreOpenError",
      message: /the address has a parameter that is not known; did you mean sslmode\? Known: sslmode, /,
    });
  });

  it("too few connections are a mistake of the program", async () => {
    for (const poolSize of [2, 0, 1.5]) await assert.rejects(open("postgres://localhost", { poolSize }), RangeError);
  });
});

describe("reads of PostgreSQL that may take long", () => {
  it("give each caller a turn, however many one of them asks for, up to its share", async () => {
    // One connection is for lists and counts.
    await using opened = disposable(await open(await newPostgresDatabase(), { poolSize: 3 }));
    const people = opened.database.store("person");
    const order: string[] = [];
    const count = async (caller: string): Promise<void> => {
      await people.count({}, { caller });
      order.push(caller);
    };
    const asked = Array.from({ length: 102 }, () => count("many"));
    const others = [count("one"), count("another")];
    const outcomes = await Promise.allSettled(asked);
    await Promise.all(others);
    assert.deepEqual(order.slice(0, 5), ["many", "many", "one", "another", "many"]);
    const refused = outcomes.filter(({ status }) => status === "rejected");
    const message = "Too many requests of the caller wait for the database";
    assert.deepEqual(
      refused.map((outcome) => outcome.status === "rejected" && outcome.reason.message),
      [message],
    );
  });
});

describe("pages of PostgreSQL that are asked for at once", () => {
  it("share a connection", async () => {
    await using opened = disposable(await open(await newPostgresDatabase()));
    const people = opened.database.store("person");
    const ada = await create(people, { name: "Ada" });
    const pages = await Promise.all(Array.from({ length: 100 }, () => people.batch({ limit: 20 })));
    for (const { records } of pages) assert.deepEqual(records, [ada]);
    assert.deepEqual(opened.database.figures().pools?.lists, { open: 1, idle: 1, waiting: 0 });
  });

  it("give each caller a turn, however many one of them asks for, up to its share", async () => {
    await using opened = disposable(await open(await newPostgresDatabase()));
    const people = opened.database.store("person");
    const order: string[] = [];
    const read = async (caller: string): Promise<void> => {
      await people.batch({ limit: 20 }, { caller });
      order.push(caller);
    };
    const asked = Array.from({ length: 101 }, () => read("many"));
    const others = [read("one"), read("another")];
    const outcomes = await Promise.allSettled(asked);
    await Promise.all(others);
    assert.deepEqual(order.slice(0, 4), ["many", "one", "another", "many"]);
    assert.deepEqual(
      outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason.message] : [])),
      ["Too many requests of the caller wait for the database"],
    );
  });
});

describe("two programs on one PostgreSQL database", () => {
  it("see at once what the other one has stored, and count on together", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await open(url));
    await using other = disposable(await open(url));
    const [people, others] = [one.database.store("person"), other.database.store("person")];
    for (let n = 1; n <= 20; n++) {
      const record = await create(n % 2 === 0 ? people : others, { identifier: `A${n}` });
      assert.deepEqual([record.id, record.revision], [n, n]);
      assert.deepEqual(await (n % 2 === 0 ? others : people).find(n), record);
      assert.equal(await (n % 2 === 0 ? others : people).revision(), n);
    }
    assert.deepEqual(await others.create({ identifier: "A2" }), { kind: "conflict", member: "identifier" });
  });

  it("let one of 100 changes that expect the same revision through", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await open(url));
    await using other = disposable(await open(url));
    const stores = [one, other].map(({ database }) => database.store("person")) as [Store, Store];
    const { revision } = await create(stores[0], {});
    const replacements = await Promise.all(
      Array.from({ length: 100 }, (_, n) => (stores[n % 2] as Store).replace(1, { name: `Ada ${n}` }, revision)),
    );
    const won = replacements.filter(({ kind }) => kind === "replaced");
    assert.equal(won.length, 1);
    assert.equal(replacements.filter(({ kind }) => kind === "changed").length, 99);
    assert.deepEqual(won[0], { kind: "replaced", record: await stores[1].find(1) });
  });

  it("retry what was undone to end a deadlock", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await open(url));
    const people = one.database.store("person");
    await people.createAll([{}, {}]);
    // Once each it fails as a transaction does that met another one.
    await execute(
      url,
      `CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'met another one' USING ERRCODE = '40P01'; END IF; RETURN NEW;
      END $$; CREATE TRIGGER fail BEFORE UPDATE ON person FOR EACH ROW EXECUTE FUNCTION fail()`,
    );
    const replaced = await replace(people, 1, { name: "Ada" });
    assert.ok(replaced.revision > 2);
    assert.deepEqual(await people.find(1), replaced);
  });

  for (const [code, outcome] of [
    ["40001", "tried again"],
    ["40003", "unknown"],
    ["08006", "unknown"],
    ["XX000", "unknown"],
  ] as const) {
    it(`take a commit that fails with ${code} for one that is ${outcome}`, async () => {
      const url = await newPostgresDatabase();
      await using one = disposable(await open(url));
      const people = one.database.store("person");
      // Once it fails in the commit; with the one code that is undone, with the other unknown.
      await execute(
        url,
        `CREATE SEQUENCE failures; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('failures') = 1 THEN RAISE EXCEPTION 'commit failed' USING ERRCODE = '${code}'; END IF; RETURN NULL;
        END $$; CREATE CONSTRAINT TRIGGER fail AFTER INSERT ON person DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION fail()`,
      );
      const changes = [people.create({}), people.create({})];
      for (const change of changes) {
        if (outcome === "unknown") await assert.rejects(async () => change, StoreOutcomeUnknown);
        else assert.equal((await change).kind, "created");
      }
      assert.equal(await people.count(), outcome === "unknown" ? 0 : 2);
    });
  }

  it("report the fault of the first statement that fails, not that later ones were refused", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await open(url));
    await execute(
      url,
      `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'disk full' USING ERRCODE = '53100';
      END $$; CREATE TRIGGER fail BEFORE DELETE ON waymark_keys FOR EACH STATEMENT EXECUTE FUNCTION fail()`,
    );
    await assert.rejects(one.database.store("person").create({}), StoreUnavailable);
  });

  it("fail only for the change that the database refuses, and make those that came with it", async () => {
    const url = await newPostgresDatabase();
    await using one = disposable(await open(url));
    const people = one.database.store("person");
    await execute(url, "ALTER TABLE person ADD CHECK (document NOT LIKE '%Eve%')");
    const names = ["Ada", "Eve", "Grace"];
    const outcomes = await Promise.allSettled(names.map((name) => people.create({ name })));
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.deepEqual((await everything(people)).map(({ json }) => JSON.parse(json).name).toSorted(), ["Ada", "Grace"]);
  });
});

async function assertNotOpened(
  url: string,
  message: RegExp,
  options: Partial<PostgresDatabaseOptions> = {},
): Promise<void> {
  const { host, pathname, password } = new URL(url);
  await assert.rejects(open(url, options), (error) => {
    assert.ok(error instanceof StoreOpenError, String(error));
    assert.match(error.message, message);
    assert.ok(error.message.includes(`"postgres://${host}${pathname}"`), error.message);
    assert.doesNotMatch(error.message, /\n/);
    for (const secret of [administrator.password, "secret", password]) {
      assert.ok(secret === "" || !error.message.includes(secret), error.message);
    }
    return true;
  });
}
