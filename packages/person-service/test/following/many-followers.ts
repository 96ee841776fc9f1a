import assert from "node:assert/strict";
import { once } from "node:events";
import { createConnection, type Socket } from "node:net";
import { it } from "node:test";
import { residentMemory } from "../load/streaming.ts";
import { createSqliteFile } from "../tools/databases.ts";
import { startService } from "../tools/programs/service-process.ts";

/** What a service may take for each follower, in bytes, and for what the first requests of all leave behind. */
const most = { ofFollower: 30_000, ofFirst: 2 ** 24 };
/** Followers with one address: a caller can have 1,000. */
const ofAddress = 1_000;

/** Tests that so many event streams of changes take little memory each, get a change, and end with its cursor. */
export function itServesFollowers(count: number): void {
  it(`keeps ${count} followers in little memory, brings them a change, and ends them with its cursor`, async (t) => {
    const database = await createSqliteFile();
    const clients: Follower[] = [];
    try {
      await using service = await startService("--database", database.location);
      await store(service.url, "Ada");
      const before = residentMemory(service.pid);
      while (clients.length < count) {
        const addressed = (_: unknown, i: number) =>
          followFrom(service.port, 2 + Math.floor((clients.length + i) / ofAddress));
        clients.push(...(await Promise.all(Array.from({ length: Math.min(100, count - clients.length) }, addressed))));
      }
      assert.deepEqual(new Set(clients.map(({ status }) => status())), new Set(["200"]));
      await store(service.url, "Grace");
      await Promise.all(clients.map(({ until }) => until(/\nid: \S+\ndata: .*"name":"Grace"/)));
      const growth = residentMemory(service.pid) - before;
      t.diagnostic(`${Math.round(growth / count)} bytes each`);
      assert.ok(growth <= count * most.ofFollower + most.ofFirst, `${growth} bytes for ${count} followers`);

      service.kill("SIGTERM");
      assert.equal((await service.exited).code, 0);
      const ends = await Promise.all(clients.map(({ end }) => end()));
      assert.equal(new Set(ends).size, 1, "one cursor");
      assert.match(ends[0] as string, /^\S+$/);
    } finally {
      for (const { socket } of clients) socket.destroy();
      await database.remove();
    }
  });
}

/** A client that keeps only the end of what it gets, so that the test takes little memory, too. */
interface Follower {
  readonly socket: Socket;
  readonly status: () => string | undefined;
  /** Resolves once what it got last has this in it. */
  readonly until: (text: RegExp) => Promise<void>;
  /** Resolves with the last cursor when the stream has ended whole; undefined when it was cut. */
  readonly end: () => Promise<string | undefined>;
}

async function followFrom(port: number, address: number): Promise<Follower> {
  const socket = createConnection({ host: "127.0.0.1", port, localAddress: `127.0.0.${address}` });
  let first = "";
  let last = "";
  socket.setEncoding("latin1").on("data", (text: string) => {
    first ||= text;
    last = `${last}${text}`.slice(-400);
  });
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  socket.write("GET /person/changes?fields=name HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  await once(socket, "data");
  return {
    socket,
    status: () => /^HTTP\/1\.1 (\d+) /.exec(first)?.[1],
    async until(text) {
      while (!text.test(last)) await once(socket, "data");
    },
    async end() {
      await closed;
      return /.*\nid: (\S+)\n.*\r\n0\r\n\r\n$/s.exec(last)?.[1];
    },
  };
}

async function store(url: string, name: string): Promise<void> {
  const body = JSON.stringify({ name });
  const { status } = await fetch(`${url}/person`, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
  });
  assert.equal(status, 200);
}
