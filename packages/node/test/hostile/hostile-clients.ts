import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent, request as sendOverHttp } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { ServeOptions } from "@waymark/node";
import { nextMessage } from "../../../waymark/test/tools/child-process.ts";
import { largeLength, type Usage } from "./hostile-clients-server.ts";

/** How long normal requests took, in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly median: number;
  readonly p99: number;
}

/**
 * Has normal clients served while this many others are slow, a third each with their head, their content, and with taking
 * the answer; until all of those are cut off. Each normal request must be answered, and nothing must be left of the slow.
 */
export async function servesAmongSlowClients(count: number, timeout: number): Promise<Latencies> {
  const options = { requestTimeout: timeout, writeTimeout: timeout };
  return withServer(options, async ({ port, usage }) => {
    const before = await usage();
    const slow = Array.from({ length: count }, (_, i) => slowClients[i % slowClients.length]?.(port) as SlowClient);
    // Each sends something four times a second: more would be work, for the clients at any rate.
    let tick = 0;
    const drops = setInterval(() => {
      tick++;
      slow.forEach(({ drop }, i) => {
        if (i % 10 === tick % 10) drop();
      });
    }, 25);
    const over = Promise.all(slow.map(({ cutOff }) => cutOff));
    try {
      const latencies = await normalRequests(port, over);
      await over;
      await returnsTo(before.descriptors, usage);
      return latencies;
    } finally {
      clearInterval(drops);
    }
  });
}

/** The latencies of normal requests for this many milliseconds, when nobody disturbs them. */
export async function servesUndisturbed(milliseconds: number): Promise<Latencies> {
  return withServer({}, ({ port }) =>
    normalRequests(port, new Promise((resolve) => setTimeout(resolve, milliseconds))),
  );
}

/** Opens this many connections and drops them, each in one of several ways; nothing must be left of them. */
export async function survivesChurn(count: number): Promise<{ readonly growth: number }> {
  return withServer({}, async ({ port, usage }) => {
    const batch = 250;
    // What the first connections leave behind is what is kept for the next.
    await churn(port, Math.min(count, 1_000), batch);
    const before = await usage();
    await churn(port, count, batch);
    await returnsTo(before.descriptors, usage);
    const growth = (await usage()).memory - before.memory;
    assert.ok(growth < 8 * 2 ** 20, `memory grew by ${growth} bytes`);
    return { growth };
  });
}

/** An app in a process of its own. */
export interface ServerProcess {
  readonly port: number;
  usage(): Promise<Usage>;
}

/** Runs an app in a process of its own. */
export async function withServer<T>(
  options: ServeOptions & { readonly withTls?: boolean },
  use: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const program = fileURLToPath(new URL("hostile-clients-server.ts", import.meta.url));
  const execArgv = [...process.execArgv.filter((option) => option.startsWith("--conditions")), "--expose-gc"];
  const server: ChildProcess = fork(program, [JSON.stringify(options)], { execArgv });
  try {
    const port = (await nextMessage(server)) as number; // the first that it says
    return await use({
      port,
      async usage() {
        server.send("usage");
        return (await nextMessage(server)) as Usage; // as the server says
      },
    });
  } finally {
    server.kill();
  }
}

/** Waits for the server to let go of what it has. */
async function returnsTo(descriptors: number, usage: () => Promise<Usage>): Promise<void> {
  let left = 0;
  for (let attempt = 0; attempt < 200; attempt++) {
    left = (await usage()).descriptors - descriptors;
    if (left <= 0) return;
  }
  assert.fail(`${left} descriptors are left`);
}

async function normalRequests(port: number, over: Promise<unknown>): Promise<Latencies> {
  const agent = new Agent({ keepAlive: true });
  const taken: number[] = [];
  let isOver = false;
  const loop = async (content: string): Promise<void> => {
    // At least some, however soon it is over.
    for (let i = 0; i < 50 || !isOver; i++) {
      const began = performance.now();
      const isPost = i % 2 === 1;
      const body = await ask(agent, port, isPost ? "POST" : "GET", isPost ? content : undefined);
      assert.equal(body, isPost ? content : "small");
      taken.push(performance.now() - began);
    }
  };
  const loops = Promise.all(Array.from({ length: 8 }, (_, i) => loop(`content of ${i}`)));
  await Promise.race([over, loops]);
  isOver = true;
  await loops;
  agent.destroy();
  taken.sort((a, b) => a - b);
  const quantile = (share: number): number => taken[Math.floor(taken.length * share)] ?? 0;
  return { count: taken.length, median: quantile(0.5), p99: quantile(0.99) };
}

function ask(agent: Agent, port: number, method: string, content?: string): Promise<string> {
  const path = content === undefined ? "/small" : "/content";
  return new Promise((resolve, reject) => {
    sendOverHttp({ agent, port, host: "127.0.0.1", method, path }, (response) => {
      response.toArray().then((pieces) => resolve(Buffer.concat(pieces).toString()), reject);
    })
      .once("error", reject)
      .end(content);
  });
}

interface SlowClient {
  /** Sends a little more. */
  drop(): void;
  /** Resolves when the server has cut it off. */
  readonly cutOff: Promise<unknown>;
}

function open(port: number, bytes: string): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => undefined).write(bytes);
  return socket;
}

const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("close", resolve));

const dripping =
  (bytes: string, drip: string) =>
  (port: number): SlowClient => {
    const socket = open(port, bytes).resume();
    return { drop: () => socket.writable && socket.write(drip), cutOff: closed(socket) };
  };

const slowClients: readonly ((port: number) => SlowClient)[] = [
  dripping("GET /small HTTP/1.1\r\nHost: a\r\n", "X: y\r\n"),
  dripping("POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", "x"),
  (port) => {
    const socket = open(port, "GET /large HTTP/1.1\r\nHost: a\r\n\r\n").pause();
    let received = 0;
    socket.on("data", (piece) => {
      received += piece.length;
    });
    socket.pause();
    // Who does not read finds that the connection is gone when it writes.
    const cutOff = closed(socket).then(() => assert.ok(received < largeLength, "a client that took nothing got all"));
    return { drop: () => socket.writable && socket.write("\r\n"), cutOff };
  },
];

async function churn(port: number, count: number, batch: number): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    const sockets = Array.from({ length: Math.min(batch, count - done) }, (_, i) => dropped(port, done + i));
    await Promise.all(sockets);
    await eventLoopTurn();
  }
}

/** Opens a connection, does something with it, and drops it. */
async function dropped(port: number, number: number): Promise<void> {
  // Each address has its own ports, of which a closed connection keeps one for a while.
  const localAddress = process.platform === "linux" ? `127.0.0.${1 + (Math.floor(number / 5_000) % 250)}` : "127.0.0.1";
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  const over = closed(socket);
  socket.on("error", () => undefined);
  await Promise.race([once(socket, "connect").catch(() => undefined), over]);
  ways[number % ways.length]?.(socket);
  await over;
}

const get = "GET /small HTTP/1.1\r\nHost: a\r\n";
const ways: readonly ((socket: Socket) => void)[] = [
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.write("GET / HT", () => socket.resetAndDestroy()),
  (socket) => socket.write(`${get}\r\n`, () => socket.resetAndDestroy()),
  (socket) => socket.write(`${get}Connection: close\r\n\r\n`) && socket.resume(),
  (socket) => socket.end(`${get}\r\n`).resume(),
  (socket) => socket.write("POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab", () => socket.destroy()),
  (socket) =>
    socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n", () => socket.once("data", () => socket.resetAndDestroy())),
  (socket) => socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n") && socket.resume(),
  (socket) => socket.write(`${get}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n`, () => socket.resetAndDestroy()),
];
