import assert from "node:assert/strict";
import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2, type SecureClientSessionOptions } from "node:http2";
import { connect, type Socket, type TcpSocketConnectOpts } from "node:net";
import { tls } from "../http2/http2-frames.ts";
import { type ServerProcess, withServer } from "./hostile-clients.ts";
import { pageLength, shortLength } from "./hostile-clients-server.ts";

/** A way to hold memory of a server. */
export interface HostileKind {
  /** The most bytes that one client of the kind may hold. */
  readonly bound: number;
  /** The most bytes that 10,000 of them may hold together, where there is a bound for all. */
  readonly most?: number;
  readonly withTls?: boolean;
  /** Opens one; resolves with how to close it, when it has sent what it sends. */
  readonly open: (port: number, localAddress: string) => Promise<() => void>;
}

const kiB = 1024;

const field = (length: number): string => `X: ${"x".repeat(length)}\r\n`;

/** The kinds of clients that take memory and give nothing for it. */
export const hostileKinds: Readonly<Record<string, HostileKind>> = {
  "a head that never ends": {
    bound: 64 * kiB,
    open: sending(`GET / HTTP/1.1\r\nHost: a\r\n${field(7_900)}${field(7_900)}`),
  },
  "content that never ends, and that nobody reads": {
    bound: 320 * kiB,
    open: sending(`POST /never HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(200_000)}`),
  },
  "content that never ends, and that is read": {
    bound: 1024 * kiB + 256 * kiB,
    // What is held of all, and beside it for each what has come since.
    most: 2 ** 28 + 10_000 * 128 * kiB,
    open: sending(`POST /content HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n${"x".repeat(999_999)}`),
  },
  "a response that it does not read": { bound: 256 * kiB, open: sending("GET /endless HTTP/1.1\r\nHost: a\r\n\r\n") },
  "a request behind which it has ended its side": {
    bound: 32 * kiB,
    open: sending("GET /never HTTP/1.1\r\nHost: a\r\n\r\n", (socket) => socket.end()),
  },
  "requests behind one another": {
    bound: 256 * kiB,
    open: sending("GET /never HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000)),
  },
  "streams of HTTP/2 with content that nobody reads": {
    bound: 4 * 128 * kiB + 256 * kiB,
    // What waits of all, and beside it for each session what Node has of it.
    most: 2 ** 26 + 10_000 * 256 * kiB,
    withTls: true,
    open: sendUnread,
  },
  "streams of HTTP/2 with a window of 0": {
    bound: 50 * pageLength + 256 * kiB,
    // What waits for all clients, and beside it for each session what Node has of it and of its streams.
    most: 2 ** 28 + 10_000 * 256 * kiB,
    withTls: true,
    open: askWithoutWindow("/page", 50),
  },
  "streams of HTTP/2 with a window of 0 and short answers": {
    // Twice as many streams, of which Node has more.
    bound: 100 * shortLength + 512 * kiB,
    most: 2 ** 28 + 10_000 * 512 * kiB,
    withTls: true,
    open: askWithoutWindow("/short", 100),
  },
};

/** Has this many clients of the kind hold what they can; returns how many bytes each holds. */
export async function memoryOf(kind: HostileKind, count: number): Promise<number> {
  return withServer({ maxConnections: count + 10, withTls: kind.withTls === true }, async (server) => {
    await (await kind.open(server.port, address(0)))();
    const before = (await server.usage()).held;
    const opened: (() => void)[] = [];
    for (let i = 0; i < count; i += batch) {
      const some = Array.from({ length: Math.min(batch, count - i) }, (_, j) => kind.open(server.port, address(i + j)));
      opened.push(...(await Promise.all(some)));
    }
    const held = (await settled(server)) - before;
    const bound = Math.min(kind.bound * count, kind.most ?? Number.POSITIVE_INFINITY);
    assert.ok(held < bound, `${count} clients hold ${held} bytes, ${Math.round(held / count)} each`);
    for (const close of opened) close();
    return held / count;
  });
}

const batch = 100;

/** Each address has its own ports. */
const address = (number: number): string =>
  process.platform === "linux" ? `127.0.0.${1 + (Math.floor(number / 5_000) % 250)}` : "127.0.0.1";

/** What the server holds, once it has not grown for several turns in which it read what had come. */
async function settled(server: ServerProcess): Promise<number> {
  let most = 0;
  let calm: number[] = [];
  while (calm.length < 8) {
    const { held } = await server.usage();
    if (held > most * 1.01) calm = [];
    most = Math.max(most, held);
    // Buffers that are not held any more may be there for a while: the least is what is held.
    calm.push(held);
  }
  return Math.min(...calm);
}

function sending(bytes: string, then: (socket: Socket) => void = () => undefined): HostileKind["open"] {
  return async (port, localAddress) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress, allowHalfOpen: true });
    socket.on("error", () => undefined).pause();
    await once(socket, "connect");
    // What the server does not take waits in the client.
    socket.write(bytes);
    then(socket);
    return () => socket.destroy();
  };
}

function askWithoutWindow(path: string, streams: number): HostileKind["open"] {
  return (port, localAddress) =>
    withSession(port, { localAddress, settings: { initialWindowSize: 0 } }, (session) => {
      for (let i = 0; i < streams; i++) session.request({ ":path": path }).on("error", () => undefined);
    });
}

function sendUnread(port: number, localAddress: string): Promise<() => void> {
  return withSession(port, { localAddress }, (session) => {
    for (let i = 0; i < 4; i++) {
      const stream = session.request({ ":method": "POST", ":path": "/never" });
      stream.on("error", () => undefined).write("x".repeat(65_535));
    }
  });
}

async function withSession(
  port: number,
  options: SecureClientSessionOptions & Pick<TcpSocketConnectOpts, "localAddress">,
  ask: (session: ClientHttp2Session) => void,
): Promise<() => void> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: tls.cert, ...options });
  session.on("error", () => undefined);
  await once(session, "connect");
  ask(session);
  await new Promise<void>((resolve, reject) => session.ping((error) => (error ? reject(error) : resolve())));
  return () => session.destroy();
}
