import assert from "node:assert/strict";
import { parseTarget } from "../../../../waymark/src/path/target.ts";
import { HttpError } from "../../../../waymark/src/problem.ts";
import type { HttpResponse } from "../../../../waymark/src/response.ts";
import { ByteQueue } from "../../../src/content/byte-queue.ts";
import { ChunkedDecoder } from "../../../src/http1/chunked.ts";
import { type Head, HeadReader } from "../../../src/http1/head/head.ts";
import { stricter } from "./differences.ts";
import { cut, generateMessages, randomSource } from "./generated-messages.ts";
import { parseWithNode } from "./node-parser.ts";

/** A request as a parser understands it. */
export interface Message {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Names and values in turn. */
  readonly fields: readonly string[];
  readonly content: string;
}

/** What waymark makes of some bytes. */
export interface Parsed {
  /** The requests that it takes whole, up to the first that it refuses to read on from, or that closes the connection. */
  readonly messages: readonly Message[];
  /** How many bytes they have together, with what stands between them. */
  readonly length: number;
  readonly closes: boolean;
  /** Why it refuses to read on. */
  readonly refusal: Refused | undefined;
  /** Why it refuses one of the requests, by its number, and reads on. */
  readonly kept: ReadonlyMap<number, Refused>;
}

/** An answer to a message that is not acted on. */
export interface Refused {
  readonly status: number;
  /** Its detail, or its type. */
  readonly reason: string;
}

/** Counts what was compared. */
export interface Agreement {
  /** Messages that both parsers took, as the same. */
  readonly taken: number;
  /** Cases in which Node took more, by what the difference is. */
  readonly stricter: ReadonlyMap<string, number>;
}

/**
 * Gives generated and mutated messages to the parser of waymark and to Node's, whole and cut into pieces at random places, and
 * requires:
 * - that it makes no difference to waymark how the bytes are cut;
 * - that Node takes what waymark takes, with the same method, target, version, fields and content;
 * - that both find the same rest: a request in place of what follows is the next one that Node finds;
 * - that each message that only Node takes is in the list of differences.
 */
export function agreesWithNode(count: number, seed: number): Agreement {
  const random = randomSource(seed);
  const differences = new Map<string, number>();
  let taken = 0;
  for (let i = 0; i < count; i++) {
    const bytes = generateMessages(random);
    const context = (): string => `case ${i} of seed ${seed}: ${JSON.stringify(bytes.toString("latin1"))}`;
    const ours = parse([bytes]);
    requireSame(withoutReason(parse(cut(bytes, random))), withoutReason(ours), context);
    const { messages, length, closes, refusal, kept } = ours;
    if (length > 0) {
      const through = Buffer.concat([bytes.subarray(0, length), next]);
      const found = parseWithNode(random() < 0.5 ? [through] : cut(through, random));
      // Of close and keep-alive together, HTTP/1.0 too, Node may take the second.
      const theirs = closes ? found.slice(0, messages.length) : found;
      // Node refuses some of the targets on which waymark does not act.
      const isRefused = kept.has(theirs.length);
      const expected = closes ? messages : [...messages, nextMessage];
      requireSame(theirs, isRefused ? expected.slice(0, theirs.length) : expected, context);
    }
    if (!closes && length < bytes.length && parseWithNode([bytes]).length > messages.length) {
      const difference = stricter.find(({ reason }) => refusal !== undefined && reason.test(refusal.reason));
      assert.ok(difference, `only Node takes a message (${refusal?.reason}): ${context()}`);
      differences.set(difference.what, (differences.get(difference.what) ?? 0) + 1);
    }
    taken += messages.length;
  }
  return { taken, stricter: differences };
}

/** In pieces, another of two faults may come to light first. */
const withoutReason = (parsed: Parsed): object => ({ ...parsed, refusal: parsed.refusal !== undefined });

const nextMessage: Message = { method: "GET", target: "/next", version: "1.1", fields: ["Host", "a"], content: "" };
const next = Buffer.from("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");

// Text is compared first: `deepEqual` would take most of the time.
function requireSame(actual: unknown, expected: unknown, context: () => string): void {
  if (JSON.stringify(actual) !== JSON.stringify(expected)) assert.deepEqual(actual, expected, context());
}

const limits = { maxHeaderSize: 16_384, maxHeaderFields: 100, maxTargetLength: 8_192 };

/** Parses requests as a connection of waymark does. */
export function parse(pieces: readonly Buffer[]): Parsed {
  const input = new ByteQueue();
  const heads = new HeadReader(limits);
  const messages: Message[] = [];
  let current: { readonly head: Head; readonly chunks: ChunkedDecoder | undefined; content: string } | undefined;
  let arrived = 0;
  let length = 0;
  const kept = new Map<number, Refused>();
  const result = (closes: boolean, refusal?: HttpResponse): Parsed => {
    return { messages, length, closes, refusal: refusal && toRefused(refusal), kept };
  };
  try {
    for (const piece of pieces) {
      arrived += piece.length;
      // A copy, since a decoder may return the bytes in place.
      input.append(Buffer.from(piece));
      for (;;) {
        if (current === undefined) {
          const head = heads.read(input);
          if (head === undefined) break;
          if (head.refusal?.closes === true) return result(false, head.refusal.response);
          const chunks = head.contentLength === undefined ? new ChunkedDecoder(limits.maxHeaderSize) : undefined;
          current = { head, chunks, content: "" };
        }
        const { head, chunks } = current;
        const left = (head.contentLength ?? 0) - current.content.length;
        current.content += (chunks?.decode(input) ?? input.take(left)).toString("latin1");
        if (chunks?.isDone === false || current.content.length < (head.contentLength ?? 0)) break;
        const { method, target, minorVersion, headers } = head;
        const refused = refusalOf(head);
        if (refused !== undefined) kept.set(messages.length, refused);
        messages.push({ method, target, version: `1.${minorVersion}`, fields: headers.flat, content: current.content });
        length = arrived - input.length;
        current = undefined;
        if (!head.keepsAlive) return result(true);
      }
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return result(false, error.response);
  }
  return result(false);
}

/** Returns why a request with this head is refused although its end is known. */
function refusalOf({ refusal, target }: Head): Refused | undefined {
  if (refusal !== undefined) return toRefused(refusal.response);
  try {
    parseTarget(target);
    return undefined;
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    return toRefused(error.response);
  }
}

function toRefused({ status, body }: HttpResponse): Refused {
  const { detail, type } = JSON.parse(String(body));
  return { status, reason: detail ?? type };
}
