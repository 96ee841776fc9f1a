import { METHODS } from "node:http";
import type { Message } from "./differential.ts";

/** The parser of Node.js as its HTTP server uses it. Its module has no types. */
interface Parser {
  initialize(type: number, resource: object, maxHeaderSize: number, leniency: number): void;
  execute(bytes: Buffer): number | Error;
  [callback: number]: (...values: never[]) => unknown;
}

interface ParserModule {
  readonly HTTPParser: {
    new (): Parser;
    readonly REQUEST: number;
    readonly kOnHeaders: number;
    readonly kOnHeadersComplete: number;
    readonly kOnBody: number;
    readonly kOnMessageComplete: number;
  };
}

// Not by way of a server, whose streams would take ten times as long as the parser.
const { HTTPParser } = (process.getBuiltinModule as (name: string) => unknown)("_http_common") as ParserModule; // without types
const parser = new HTTPParser();
const { kOnHeaders, kOnHeadersComplete, kOnBody, kOnMessageComplete } = HTTPParser;

/** The methods by the numbers that the parser has for them. */
const names: string[] = [];

let messages: Message[] = [];
let current: { method: string; target: string; version: string; fields: string[]; content: string };
/** Whether the head of the current message is complete: what comes later are trailers. */
let hasHead = false;
let target = "";
let fields: string[] = [];

parser[kOnHeaders] = (more: readonly string[], url: string): void => {
  if (hasHead) return;
  fields.push(...more);
  target += url;
};
parser[kOnHeadersComplete] = (
  major: number,
  minor: number,
  more: readonly string[] | undefined,
  method: number,
  url: string | undefined,
): number => {
  hasHead = true;
  fields.push(...(more ?? []));
  current = {
    method: names[method] ?? String(method),
    target: target + (url ?? ""),
    version: `${major}.${minor}`,
    fields,
    content: "",
  };
  return 0;
};
parser[kOnBody] = (piece: Buffer): void => {
  current.content += piece.toString("latin1");
};
parser[kOnMessageComplete] = (): void => {
  messages.push(current);
  reset();
};

function reset(): void {
  hasHead = false;
  target = "";
  fields = [];
}

/** Returns the requests that Node's parser takes whole. */
export function parseWithNode(pieces: readonly Buffer[]): readonly Message[] {
  messages = [];
  reset();
  parser.initialize(HTTPParser.REQUEST, {}, 65_536, 0);
  for (const piece of pieces) if (parser.execute(piece) instanceof Error) break;
  return messages;
}

for (const method of METHODS) {
  const [message] = parseWithNode([Buffer.from(`${method} / HTTP/1.1\r\n\r\n`)]);
  if (message !== undefined) names[Number(message.method)] = method;
}
