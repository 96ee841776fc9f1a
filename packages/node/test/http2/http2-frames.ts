import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";

// HTTP/2 as bytes (RFC 9113 §4.1), for what Node's client does not do.

// Made for these tests, and known to everybody; see the names of the files.
const fixture = (name: string): Buffer =>
  readFileSync(new URL(`../fixtures/self-signed-for-tests.${name}.pem`, import.meta.url));
/** Key and certificate of a server. */
export const tls: { readonly key: Buffer; readonly cert: Buffer } = { key: fixture("key"), cert: fixture("cert") };

/** The types of frames. */
export const frames = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** POST https://a/ in HPACK: three fields of the static table, and one name of it. */
export const postFields: readonly number[] = [0x83, 0x87, 0x84, 0x41, 1, 0x61];
/** GET https://a/ likewise. */
export const getFields: readonly number[] = [0x82, 0x87, 0x84, 0x41, 1, 0x61];

/** A field in HPACK, as literal text of fewer than 127 bytes each. */
export function field(name: string, value: string): readonly number[] {
  const text = (characters: string): number[] => [characters.length, ...Buffer.from(characters, "latin1")];
  return [0, ...text(name), ...text(value)];
}

export function frame(type: number, flags: number, payload: Uint8Array, stream = 1): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A head that is complete, of a request whose content follows, or which has none. */
export const headers = (fields: readonly number[], stream = 1, ends = false): Buffer =>
  frame(frames.headers, ends ? 5 : 4, Buffer.from(fields), stream);

/** Begins a session on a connection that sends these frames. */
export function speak(port: number, ...sent: readonly Buffer[]): TLSSocket {
  return begin(connectTls({ port, host: "127.0.0.1", ca: tls.cert, ALPNProtocols: ["h2"] }), sent);
}

/** Begins a session on a connection without TLS. */
export function speakPlainly(port: number, ...sent: readonly Buffer[]): Socket {
  return begin(connect(port, "127.0.0.1"), sent);
}

function begin<T extends Socket>(socket: T, sent: readonly Buffer[]): T {
  const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  socket.on("error", () => undefined);
  socket.write(Buffer.concat([preface, frame(frames.settings, 0, Buffer.alloc(0), 0), ...sent]));
  return socket;
}

/** A frame that has come. */
export interface Frame {
  readonly type: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The frames that come on the connection, until it is closed. */
export async function* received(socket: Socket): AsyncGenerator<Frame> {
  let bytes: Buffer = Buffer.alloc(0);
  for await (const piece of socket) {
    bytes = Buffer.concat([bytes, piece as Buffer]);
    for (;;) {
      const end = bytes.length < 9 ? Number.POSITIVE_INFINITY : 9 + bytes.readUIntBE(0, 3);
      if (bytes.length < end) break;
      yield { type: bytes.readUInt8(3), stream: bytes.readUInt32BE(5), payload: bytes.subarray(9, end) };
      bytes = bytes.subarray(end);
    }
  }
}
