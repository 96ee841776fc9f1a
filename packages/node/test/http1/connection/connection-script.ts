import fc from "fast-check";

/** What a client and the handlers do on one connection. */
export interface Script {
  readonly requests: readonly ScriptedRequest[];
  readonly ending: Ending;
  /** How many bytes the client sends at a time; the rest in one piece. */
  readonly cuts: readonly number[];
  /** For how many turns of the event loop the client reads nothing at first. */
  readonly stall: number;
}

export interface ScriptedRequest {
  readonly method: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT";
  readonly version: "1.0" | "1.1";
  /** The Connection field. */
  readonly connection: "keep-alive" | "close" | undefined;
  readonly content: ScriptedContent | undefined;
  /** Whether the client sends nothing more before it has the answer. */
  readonly isAwaited: boolean;
  readonly handler: ScriptedHandler;
}

export interface ScriptedContent {
  readonly coding: "counted" | "chunked";
  readonly pieces: readonly string[];
  /** Whether the client waits for 100 Continue before it sends the content. */
  readonly expects: boolean;
}

export interface ScriptedHandler {
  /** What the handler does with the content: with `limited` it takes no more than `contentLimit`. */
  readonly reads: "nothing" | "a piece" | "all" | "all in pieces" | "limited";
  /** Turns of the event loop before and after it reads, and before each piece of its answer; at 0 it is synchronous where it can be. */
  readonly delay: number;
  readonly answer: "whole" | "empty" | "stream" | "sized stream" | "error";
  /** The pieces of a stream, and the number of the one that fails instead of coming. */
  readonly pieces: readonly string[];
  readonly failsAt: number | undefined;
}

/** What the client does behind its requests. */
export type Ending =
  | { readonly kind: "ends" }
  | { readonly kind: "malformed"; readonly bytes: string }
  | { readonly kind: "upgrades"; readonly tail: string; readonly isAwaited: boolean }
  /** Sends a part of one more request, and ends its side, or resets the connection. */
  | { readonly kind: "truncated" | "vanishes"; readonly request: ScriptedRequest; readonly share: number };

/** The bytes that a handler takes that limits its content. */
export const contentLimit = 10;

/** Letters, written in the report of a failure as what they were made of. */
const letters = (most: number): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(..."abcde"), fc.nat(most)).map(([letter, length]) => letter.repeat(length));

/** Short texts, and now and then one that fills buffers. */
const piece = fc.oneof({ arbitrary: letters(20), weight: 9 }, { arbitrary: letters(90_000), weight: 1 });

const handler: fc.Arbitrary<ScriptedHandler> = fc
  .record({
    reads: fc.constantFrom("nothing", "a piece", "all", "all in pieces", "limited"),
    delay: fc.constantFrom(0, 0, 1, 3),
    answer: fc.constantFrom("whole", "whole", "empty", "stream", "sized stream", "error"),
    pieces: fc.array(piece, { maxLength: 4 }),
    failing: fc.nat(15),
  })
  .map(({ failing, ...rest }) => ({
    ...rest,
    // What fails has a length: without one, a stream with Content-Length would be whole to its client.
    failsAt: (rest.pieces[failing] ?? "") !== "" ? failing : undefined,
  }));

const content: fc.Arbitrary<ScriptedContent> = fc.record({
  coding: fc.constantFrom("counted", "chunked"),
  pieces: fc.array(
    piece.filter((text) => text !== ""),
    { maxLength: 3 },
  ),
  expects: fc.boolean(),
});

const request: fc.Arbitrary<ScriptedRequest> = fc
  .record({
    method: fc.constantFrom("GET", "GET", "HEAD", "OPTIONS", "POST", "PUT"),
    isOld: fc.nat(9).map((n) => n === 0),
    connection: fc.constantFrom(undefined, undefined, undefined, "keep-alive", "keep-alive", "close"),
    content: fc.option(content, { freq: 2, nil: undefined }),
    isAwaited: fc.boolean(),
    handler,
  })
  .map(({ isOld, content: offered, ...rest }) => ({
    ...rest,
    version: isOld ? "1.0" : "1.1",
    // HTTP/1.0 has no chunks.
    content: isOld && offered !== undefined ? { ...offered, coding: "counted" } : offered,
  }));

const share = fc.double({ min: 0, max: 1, noNaN: true });

const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.constant({ kind: "ends" as const }),
  fc.record({
    kind: fc.constant("malformed" as const),
    bytes: fc.constantFrom(
      ..."GET / HTTP/1.1\r\nHost : a\r\n\r\n|GET / HTTP/1.1\r\n folded: a\r\n\r\n|\0\r\n\r\n|GET /\nHost: a\n\n".split(
        "|",
      ),
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ),
  }),
  fc.record({ kind: fc.constant("upgrades" as const), tail: letters(40_000), isAwaited: fc.boolean() }),
  fc.record({ kind: fc.constantFrom("truncated" as const, "vanishes" as const), request, share }),
);

export const scripts: fc.Arbitrary<Script> = fc.record({
  requests: fc.array(request, { maxLength: 6 }),
  ending,
  cuts: fc.array(fc.integer({ min: 1, max: 80 }), { maxLength: 40 }),
  stall: fc.constantFrom(0, 0, 0, 5, 40),
});

/** The host that names the play of a script; all are of one length. */
export const hostOf = (count: number): string => `play${String(count).padStart(7, "0")}`;

/** The bytes of a request: its head, and its content. */
export function toBytes(
  { method, version, connection, content: sent }: ScriptedRequest,
  target: string,
  host: string = hostOf(0),
): readonly [string, string] {
  const lines = [`${method} ${target} HTTP/${version}`, `Host: ${host}`];
  if (connection !== undefined) lines.push(`Connection: ${connection}`);
  if (sent === undefined) return [`${lines.join("\r\n")}\r\n\r\n`, ""];
  const { coding, pieces, expects } = sent;
  if (expects) lines.push("Expect: 100-continue");
  const text = pieces.join("");
  lines.push(coding === "counted" ? `Content-Length: ${text.length}` : "Transfer-Encoding: chunked");
  const chunks = [...pieces, ""].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("");
  return [`${lines.join("\r\n")}\r\n\r\n`, coding === "counted" ? text : chunks];
}

/** The first part of the bytes of a request. */
export function firstPart(
  request: ScriptedRequest,
  target: string,
  share: number,
  host?: string,
): { readonly bytes: string; readonly hasHead: boolean; readonly isWhole: boolean } {
  const [head, content] = toBytes(request, target, host);
  const whole = head + content;
  const bytes = whole.slice(0, Math.floor(whole.length * share));
  return { bytes, hasHead: bytes.length >= head.length, isWhole: bytes.length === whole.length };
}
