import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { after, before, describe, it } from "node:test";
import { type App, GET, router } from "waymark";
import { z } from "zod";
import {
  type CollectionDefinition,
  collection,
  type Database,
  openPostgresDatabase,
  type Store,
  StoreUnavailable,
} from "../../../../src/index.ts";
import { create } from "../../../store-contract/contract.ts";
import { disposable, execute } from "../../../tools/postgres-server.ts";
import { type PrimaryWithStandbys, type ReplicatedServer, startStandbys } from "../../../tools/start-postgres.ts";

const definition: CollectionDefinition = {
  name: "thing",
  members: {
    name: { filter: "text", search: true },
  },
};

/** Of 4 KB each, so that a list of all is read in several batches. */
const thing = (n: number): object => ({ name: `thing ${n % 7}`, text: "x".repeat(4_000) });

/** Lists of each kind: in one batch and in several, walked, found and searched, with a total and backwards. */
const targets = [
  "/thing?limit=3",
  "/thing",
  "/thing?sort=name,-id",
  "/thing?q=thing&limit=5&sort=-id",
  "/thing?limit=500&sort=name",
  "/thing?limit=1000&sort=-name,id",
];

describe("lists from several servers of which one is held back", () => {
  let servers: PrimaryWithStandbys;
  let primary: ReplicatedServer;
  let ahead: ReplicatedServer;
  let behind: ReplicatedServer;
  let url: string;
  let database: Database;
  let things: Store;
  before(async () => {
    servers = await startStandbys(2, "-c", "fsync=off");
    primary = servers.primary;
    [ahead, behind] = servers.standbys as [ReplicatedServer, ReplicatedServer]; // there are two
    url = await primary.createDatabase();
    database = await openPostgresDatabase(url, { collections: [definition] });
    things = database.store("thing");
    await things.createAll(Array.from({ length: 40 }, (_, n) => thing(n)));
  });
  after(async () => {
    await database.close();
    await servers[Symbol.asyncDispose]();
  });

  /** Makes changes that the standby does not show before the scope ends. */
  const holdBack = async (standby: ReplicatedServer): Promise<AsyncDisposable> => {
    await standby.catchUp(primary);
    await execute(standby.urlOf(url), "SELECT pg_wal_replay_pause()");
    // It is paused once it has replayed what it was at.
    while ((await execute(standby.urlOf(url), "SELECT pg_get_wal_replay_pause_state()"))[0]?.[0] !== "paused");
    for (let n = 0; n < 10; n++) await create(things, thing(n));
    return {
      async [Symbol.asyncDispose]() {
        await execute(standby.urlOf(url), "SELECT pg_wal_replay_resume()");
      },
    };
  };

  const openToRead = async (address: string): Promise<ReturnType<typeof disposable>> =>
    disposable(await openPostgresDatabase(address, { collections: [definition] }));

  /**
   * Asks for every list many times at once, and on the primary with the entity tag that it came with. Returns the states that the
   * lists were of.
   */
  const assertTagged = async (read: Database): Promise<ReadonlySet<string>> => {
    const [answering, deciding] = [appOf(read.store("thing")), appOf(things)];
    const states = new Set<string>();
    const compare = async (target: string): Promise<void> => {
      const answer = await answering.fetch(new Request(`http://localhost${target}`));
      const content = await answer.text().catch(() => undefined); // a list that cannot go on is broken off
      if (answer.status === 503 || content === undefined) return;
      assert.equal(answer.status, 200);
      const tag = answer.headers.get("ETag") ?? "";
      states.add(tag);
      const headers = { "If-None-Match": tag };
      const decision = await deciding.fetch(new Request(`http://localhost${target}`, { headers }));
      if (decision.status === 304) {
        const present = await deciding.fetch(new Request(`http://localhost${target}`));
        assert.equal(content, await present.text(), `${target}: an old list has the present tag`);
      }
    };
    for (let round = 0; round < 10; round++) await Promise.all([...targets, ...targets].map(compare));
    return states;
  };

  it("never have the tag of another state, where one address leads to two standbys", async () => {
    await using _held = await holdBack(behind);
    await ahead.catchUp(primary);
    await using address = await startBalancer(ahead.port, behind.port);
    await using reading = await openToRead(address.of(url));
    const states = await assertTagged(reading.database);
    assert.equal(states.size, 2, "lists of both standbys");
  });

  it("never have the tag of another state, where a preferred standby comes back and is behind", async () => {
    await behind.stop();
    await using reading = await openToRead(hostsOf(url, behind.port, primary.port));
    await Array.fromAsync(reading.database.store("thing").list()); // on the primary, whose connection is kept
    await reading.database.store("thing").state();
    await behind.start();
    await using _held = await holdBack(behind);
    const states = await assertTagged(reading.database);
    assert.equal(states.size, 2, "lists of the primary and of the standby");
  });

  it("do not go back to a server that is behind, also where more of them are read at once than there are connections", async () => {
    await using _held = await holdBack(behind);
    await ahead.catchUp(primary);
    await using address = await startBalancer(ahead.port, behind.port);
    await using reading = await openToRead(address.of(url));
    const counts = new Set<number>();
    for (let round = 0; round < 10; round++) {
      const lists = Array.from({ length: 16 }, () => Array.fromAsync(reading.database.store("thing").list()));
      for (const list of await Promise.allSettled(lists)) {
        if (list.status === "fulfilled") counts.add(list.value.flat().length);
        else assert.ok(list.reason instanceof StoreUnavailable, "a list that cannot go on is broken off");
      }
    }
    const now = await things.count();
    // To which of the two the connections lead is chance. A list that goes on with the other has what is there later.
    assert.ok(counts.size > 0);
    for (const count of counts) assert.ok(count === now - 10 || count === now, `${count} of ${now}`);
  });
});

function appOf(store: Store): App {
  const handlers = collection({ path: "/thing", store, schema: z.object({ name: z.string() }), decoders: [] });
  return router(GET("/thing", handlers.list));
}

/** The address that names two servers, and prefers the one that is a standby. */
function hostsOf(url: string, ...ports: readonly number[]): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `${url.replace(/127\.0\.0\.1:\d+/, hosts)}&target_session_attrs=prefer-standby`;
}

/** One port that leads to the servers in turn, a connection to each. */
async function startBalancer(
  ...ports: readonly number[]
): Promise<AsyncDisposable & { readonly of: (url: string) => string }> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const balancer: Server = createServer((client) => {
    const server = connect(ports[turn++ % ports.length] as number, "127.0.0.1"); // the remainder is within the ports
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => to.destroy()).pipe(to);
    }
  });
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  const { port } = balancer.address() as AddressInfo; // it listens
  return {
    of: (url) => url.replace(/127\.0\.0\.1:\d+/, `127.0.0.1:${port}`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => balancer.close(resolve));
    },
  };
}
