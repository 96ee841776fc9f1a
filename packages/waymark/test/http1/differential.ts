import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Duplex } from "node:stream";
import { ByteQueue } from "../../src/node/http1/byte-queue.ts";
import { ChunkedDecoder, type ContentDecoder, SizedDecoder } from "../../src/node/http1/chunked.ts";
import { type Head, HeadReader } from "../../src/node/http1/head.ts";
import { HttpError } from "../../src/problem.ts";

/** A request as a parser understands it. */
interface Message {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly content: string;
}

/**
 * Gives generated and mutated messages, cut into pieces at random places, to the parser of waymark and to Node's: what waymark
 * takes, Node takes as well, as the same; and how the bytes are cut makes no difference.
 *
 * These are the known differences, in all of which waymark is the stricter one:
 * - it refuses HTTP/0.9, HTTP/2.0 and other protocols, CONNECT, and methods in none of the registries that are in use;
 * - Host must be there once, and be a host; no other field that has one line may have two;
 * - Transfer-Encoding is chunked, and nothing else, and HTTP/1.0 has none;
 * - a length has at most 16 digits, and the size of a chunk as well, neither beyond 2^53;
 * - trailers are no longer than fields may be, and frame nothing;
 * - Content-Length and Transfer-Encoding have no tab beside their value;
 * - each line ends with CR LF, in chunks too, and an empty line before a request does.
 *
 * And two in which it is not: Proxy-Connection, which was never a part of HTTP, closes no connection; and HTTP/1.2, which is
 * not among these messages, is served as HTTP/1.1 (RFC 9110 §2.5), where Node refuses it.
 */
export async function agreesWithNode(count: number, seed: number): Promise<{ readonly taken: number }> {
  const random = randomSource(seed);
  const node = new NodeParser();
  let taken = 0;
  for (let i = 0; i < count; i++) {
    const bytes = generate(random);
    const ours = parse([bytes]);
    const inPieces = parse(cut(bytes, random));
    const context = (): string => `case ${i} of seed ${seed}: ${JSON.stringify(bytes.toString("latin1"))}`;
    if (JSON.stringify(inPieces) !== JSON.stringify(ours)) assert.deepEqual(inPieces, ours, context());
    const theirs = (await node.parse(random() < 0.5 ? [bytes] : cut(bytes, random))).slice(0, ours.length);
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) assert.deepEqual(ours, theirs, context());
    taken += ours.length;
  }
  return { taken };
}

const limits = { maxHeaderSize: 16_384, maxHeaderFields: 100, maxTargetLength: 8_192 };

/** The requests that waymark takes whole, up to the first that it refuses to read on from. */
function parse(pieces: readonly Buffer[]): readonly Message[] {
  const input = new ByteQueue();
  const heads = new HeadReader(limits);
  const messages: Message[] = [];
  let current: { readonly head: Head; readonly decoder: ContentDecoder; content: string } | undefined;
  try {
    for (const piece of pieces) {
      // A copy, since a decoder may return the bytes in place.
      input.append(Buffer.from(piece));
      for (;;) {
        if (current === undefined) {
          const head = heads.read(input);
          if (head === undefined) break;
          if (head.refusal?.closes === true) return messages;
          const { contentLength } = head;
          const decoder =
            contentLength === undefined ? new ChunkedDecoder(limits.maxHeaderSize) : new SizedDecoder(contentLength);
          current = { head, decoder, content: "" };
        }
        const { head, decoder } = current;
        if (!decoder.done) current.content += decoder.decode(input).toString("latin1");
        if (!decoder.done) break;
        const { method, target, minorVersion, headers } = head;
        messages.push({ method, target, version: `1.${minorVersion}`, fields: headers.flat, content: current.content });
        current = undefined;
        if (!head.keepsAlive) return messages;
      }
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
  }
  return messages;
}

/** Node's own parser, by way of a server whose connections are streams in this process. */
class NodeParser {
  readonly #server: Server;
  #messages: Message[] = [];

  constructor() {
    const listener = (request: IncomingMessage, response: ServerResponse): void => this.#take(request, response);
    this.#server = createServer({ requireHostHeader: false, maxHeaderSize: 65_536, keepAliveTimeout: 0 }, listener);
    this.#server.maxHeadersCount = 0;
    for (const event of ["checkContinue", "checkExpectation"]) this.#server.on(event, listener);
    // In the next turn: requests that are complete come to their end first.
    const end = (_: unknown, socket: Duplex): void => {
      setImmediate(() => socket.destroy());
    };
    this.#server.on("clientError", end).on("connect", end);
  }

  async parse(pieces: readonly Buffer[]): Promise<readonly Message[]> {
    const messages: Message[] = [];
    this.#messages = messages;
    const waiting = [...pieces];
    const connection = new Duplex({
      read() {
        const piece = waiting.shift();
        if (piece !== undefined || !this.readableEnded) this.push(piece ?? null);
      },
      write: (_chunk, _encoding, done) => done(),
    });
    const closed = new Promise((resolve) => connection.once("close", resolve));
    this.#server.emit("connection", connection);
    await closed;
    return messages;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    const messages = this.#messages;
    let content = "";
    request.setEncoding("latin1").on("data", (piece) => {
      content += piece;
    });
    request.on("end", () => {
      const { method = "", url: target = "", httpVersion: version, rawHeaders: fields } = request;
      if (request.complete) messages.push({ method, target, version, fields, content });
    });
    response.end();
  }
}

type Random = () => number;

/** Numbers from 0 to 1, the same for the same seed (xorshift32). */
function randomSource(seed: number): Random {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
const upTo = (random: Random, most: number): number => Math.floor(random() * (most + 1));

function cut(bytes: Buffer, random: Random): readonly Buffer[] {
  const pieces: Buffer[] = [];
  const longest = pick(random, [1, 3, 20, 200]);
  for (let at = 0; at < bytes.length; ) {
    const size = 1 + upTo(random, longest - 1);
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}

const requestLines = [
  ..."GET / HTTP/1.1|POST /a HTTP/1.1|PUT /a?b=c HTTP/1.1|HEAD / HTTP/1.0|GET http://a/b HTTP/1.1|OPTIONS * HTTP/1.1".split(
    "|",
  ),
  ..."GET /#x HTTP/1.1|FOO / HTTP/1.1|get / HTTP/1.1|GET  / HTTP/1.1|GET /  HTTP/1.1|GET / HTTP/2.1|GET /|POST /a HTTP/1.0".split(
    "|",
  ),
  ...'GET ?a HTTP/1.1|CONNECT a:1 HTTP/1.1|GET /\x80 HTTP/1.1|GET /\x7f HTTP/1.1|GET /"<>\\^`{|} HTTP/1.1|QUERY / HTTP/1.1'.split(
    "|",
  ),
  ..." GET / HTTP/1.1|GET\t/ HTTP/1.1|GET / http/1.1|GET / HTTP/1.1 |M-SEARCH * HTTP/1.1|GET / HTTP/01.1|GET x:y HTTP/1.1".split(
    "|",
  ),
];
const fieldLines = [
  ..."X: y|X:y|X:\ty \t|X:|X-A: b, c|Accept: */*|Cookie: a=b; c=d|X: \x80\xff|Connection: keep-alive|x_y: 1|X.y*z!: 1".split(
    "|",
  ),
  ..."Connection: close|Connection: x, close|Expect: 100-continue|Content-Type: a/b|TE: trailers|Trailer: X".split("|"),
  ...'X : y| X: y|X|: y|X: a\0b|X: a\rb|X: a\nb|X\0: y|X: \x7f|X[: y|X: "a:b"|X: a\r\n b|\tX: y|X: a\x0bb|(X): y'.split(
    "|",
  ),
  ..."Host: b|Host:|Host: a b|Connection: Close|Keep-Alive: timeout=5".split("|"),
];
const lengths = [
  ..."3|0|03|+3|-1|3, 3|3 |0x3|3;x|3\t|99999999999999999999|\x0b3|3\xa0||1e1|9007199254740993|3,".split("|"),
];
const codings = [
  ..."chunked|Chunked|gzip, chunked|chunked, gzip|identity|chunked, chunked|chunked;a=b|x-chunked|chunked\t| chunked ".split(
    "|",
  ),
  ...'chunked,|,chunked|\x0bchunked|chunked\xa0|"chunked"|chunked\0|chu nked|chunkeD||gzip'.split("|"),
];
const lengthNames = [
  "Content-Length",
  "content-length",
  "CONTENT-LENGTH",
  "Content-Length ",
  "Content_Length",
  "Content-Length\t",
];
const codingNames = [
  "Transfer-Encoding",
  "transfer-encoding",
  "Transfer-encoding",
  "Transfer-Encoding ",
  "Transfer_Encoding",
];
const chunkParts = [
  ..."3\r\nabc\r\n|3\r\nabc\r\n|03\r\nabc\r\n|1\r\na\r\n|a\r\n0123456789\r\n|A\r\n0123456789\r\n|3;a=b\r\nabc\r\n|3;a\r\nabc\r\n".split(
    "|",
  ),
  ...'3;a="b;\\"c"\r\nabc\r\n|3 \r\nabc\r\n|3\nabc\r\n|3\r\nabc\n|3\r\nabcd\r\n|3\r\nab\r\n|0x3\r\nabc\r\n|-3\r\nabc\r\n|g\r\n'.split(
    "|",
  ),
  ..."3;\r\nabc\r\n|3; a=b\r\nabc\r\n|3;a = b\r\nabc\r\n|3;a=\r\nabc\r\n|3;=b\r\nabc\r\n|3\r\r\nabc\r\n|ffffffffffffffff\r\n".split(
    "|",
  ),
  ...'3;a\nb\r\nabc\r\n|3;a\0\r\nabc\r\n|3\t\r\nabc\r\n|\r\n3\r\nabc\r\n|3;a="b\r\nabc\r\n|00000000000000000003\r\nabc\r\n|3;a;b;c=1\r\nabc\r\n'.split(
    "|",
  ),
];
const chunkEnds = [
  ..."0\r\n\r\n|0\r\n\r\n|0\r\n\r\n|00\r\n\r\n|0;x\r\n\r\n|0\r\nX: y\r\n\r\n|0\r\nX: y\r\nZ: a\r\n\r\n|0\r\n|0\n\n|0\r\n\n|0\r\nX\r\n\r\n".split(
    "|",
  ),
  ..."0\r\nContent-Length: 5\r\n\r\n|0\r\nX : y\r\n\r\n|0\r\n X: y\r\n\r\n|0\r\nTransfer-Encoding: chunked\r\n\r\n|0\r\nX: a\0\r\n\r\n|".split(
    "|",
  ),
];

/** Some messages, most of them sound, and in one of two a mutation. */
function generate(random: Random): Buffer {
  let text = "";
  const count = 1 + upTo(random, 2);
  for (let i = 0; i < count; i++) text += generateMessage(random);
  if (random() < 0.5) text = mutate(text, random);
  return Buffer.from(text, "latin1");
}

function generateMessage(random: Random): string {
  const lines = [random() < 0.8 ? "POST /a HTTP/1.1" : pick(random, requestLines)];
  if (random() < 0.95) lines.push("Host: a");
  for (let i = upTo(random, 3); i > 0; i--) lines.push(random() < 0.8 ? "X: y" : pick(random, fieldLines));
  let content = "";
  const framing = random();
  if (framing < 0.35) {
    lines.push(
      `${random() < 0.9 ? "Content-Length" : pick(random, lengthNames)}: ${random() < 0.8 ? "3" : pick(random, lengths)}`,
    );
    content = "abc";
  } else if (framing < 0.8) {
    lines.push(
      `${random() < 0.9 ? "Transfer-Encoding" : pick(random, codingNames)}: ${random() < 0.8 ? "chunked" : pick(random, codings)}`,
    );
    for (let i = upTo(random, 2); i > 0; i--) content += random() < 0.8 ? "3\r\nabc\r\n" : pick(random, chunkParts);
    content += random() < 0.7 ? "0\r\n\r\n" : pick(random, chunkEnds);
    if (random() < 0.1) lines.push(`Content-Length: ${pick(random, lengths)}`);
  }
  // In another order than they are made in, now and then.
  if (random() < 0.2) lines.splice(1, 0, lines.pop() as string);
  const end = random() < 0.95 ? "\r\n" : pick(random, ["\n", "\r", "\r\r\n", ""]);
  const before = random() < 0.9 ? "" : pick(random, ["\r\n", "\r\n\r\n", "\n", "\r", " "]);
  return `${before}${lines.join("\r\n")}\r\n${end}${content}`;
}

const inserted = [
  ...'\r|\n|\r\n|\0|\t| |:|,|;|0|1|a|\x80|\x7f|\x0b|"|GET / HTTP/1.1\r\n\r\n|Transfer-Encoding: chunked\r\n|Content-Length: 3\r\n'.split(
    "|",
  ),
];

function mutate(text: string, random: Random): string {
  const at = upTo(random, text.length);
  switch (upTo(random, 3)) {
    case 0:
      return text.slice(0, at) + pick(random, inserted) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + upTo(random, 3));
    case 2:
      return text.slice(0, at) + String.fromCharCode(upTo(random, 255)) + text.slice(at + 1);
    default:
      return text.slice(0, at);
  }
}
