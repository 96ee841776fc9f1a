import { connect, type Socket } from "node:net";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { targetOf } from "./connection-definition.ts";
import { firstPart, type Script, toBytes } from "./connection-script.ts";

/** An answer as far as it has come. */
export interface Received {
  readonly status: number;
  readonly body: string;
  readonly framing: "length" | "chunked" | "end" | "none";
  readonly isWhole: boolean;
  /** How many times 100 Continue came before it. */
  readonly continues: number;
  readonly keeps: boolean;
}

/** What has come on a connection. */
export interface Reading {
  readonly answers: readonly Received[];
  /** How many times 100 Continue has come behind the last answer. */
  readonly continues: number;
  /** What is not yet a head. */
  readonly rest: string;
}

/** A client that sends bytes in pieces, and reads what comes as the answers to requests of these methods. */
export class ScriptedClient {
  readonly #socket: Socket;
  readonly #cuts: number[];
  #received = "";
  #wake: () => void = () => undefined;
  /** How the server has ended the connection. */
  ending: "ended" | "broken" | undefined;

  constructor(port: number, cuts: readonly number[]) {
    this.#cuts = [...cuts];
    this.#socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
    this.#socket.on("data", (piece) => {
      this.#received += piece.toString("latin1");
      this.#wake();
    });
    this.#socket.on("end", () => {
      this.ending = "ended";
      this.#socket.end();
      this.#wake();
    });
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => {
      this.ending ??= "broken";
      this.#wake();
    });
  }

  async send(bytes: string): Promise<void> {
    let at = 0;
    while (at < bytes.length && this.ending === undefined) {
      const size = this.#cuts.shift() ?? bytes.length;
      this.#socket.write(bytes.slice(at, at + size), "latin1");
      at += size;
      if (at < bytes.length) await eventLoopTurn();
    }
  }

  end(): void {
    this.#socket.end();
  }

  vanish(): void {
    this.ending ??= "broken";
    // A connection whose side has ended cannot be reset any more: its handle would stay open.
    if (this.#socket.writableEnded) this.#socket.destroy();
    else this.#socket.resetAndDestroy();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Reads nothing for this many turns of the event loop. */
  async stall(turns: number): Promise<void> {
    if (turns === 0) return;
    this.#socket.pause();
    for (let i = 0; i < turns; i++) await eventLoopTurn();
    this.#socket.resume();
  }

  /** Waits until this holds of what has come, or nothing more will come. */
  async until(methods: readonly string[], holds: (reading: Reading) => boolean): Promise<Reading> {
    for (;;) {
      const reading = readAnswers(this.#received, methods, this.ending === "ended");
      if (this.ending !== undefined || holds(reading)) return reading;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** Does what the script says of the client; returns what comes until the connection has ended. */
export async function perform(script: Script, host: string, client: ScriptedClient): Promise<Reading> {
  const { requests, ending } = script;
  const methods: string[] = requests.map(({ method }) => method);
  if (ending.kind === "truncated" || ending.kind === "vanishes") {
    // As long as a head is not whole, the server does not know that it is of HEAD.
    const { hasHead } = firstPart(ending.request, targetOf(requests.length), ending.share, host);
    methods.push(hasHead ? ending.request.method : "GET");
  }
  const stalled = client.stall(script.stall);
  for (const [i, request] of requests.entries()) {
    const [head, content] = toBytes(request, targetOf(i), host);
    await client.send(head);
    if (request.content?.expects === true && request.version === "1.1" && content !== "") {
      await stalled;
      const { answers } = await client.until(
        methods,
        (reading) => reading.answers.length > i || (reading.answers.length === i && reading.continues > 0),
      );
      if (answers.length > i) return client.until(methods, () => false);
    }
    await client.send(content);
    if (!request.isAwaited) continue;
    await stalled;
    await client.until(methods, ({ answers }) => answers[i]?.isWhole === true);
  }
  await end(script, host, client, methods);
  return client.until(methods, () => false);
}

async function end(
  { requests, ending }: Script,
  host: string,
  client: ScriptedClient,
  methods: readonly string[],
): Promise<void> {
  const number = requests.length;
  if (ending.kind === "malformed") await client.send(ending.bytes);
  else if (ending.kind === "upgrades") {
    await client.send(
      `GET ${targetOf(number)} HTTP/1.1\r\nHost: ${host}\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n`,
    );
    if (ending.isAwaited) await client.until(methods, ({ answers }) => answers.length > number);
    await client.send(ending.tail);
    client.end();
  } else if (ending.kind === "ends") client.end();
  else {
    await client.send(firstPart(ending.request, targetOf(number), ending.share, host).bytes);
    if (ending.kind === "vanishes") client.vanish();
    else client.end();
  }
}

/** Reads the answers to requests of these methods (RFC 9112 §6.3). */
function readAnswers(text: string, methods: readonly string[], hasEnded: boolean): Reading {
  const answers: Received[] = [];
  let at = 0;
  let continues = 0;
  for (;;) {
    const headEnd = text.indexOf("\r\n\r\n", at);
    if (headEnd < 0) return { answers, continues, rest: text.slice(at) };
    const head = text.slice(at, headEnd + 2);
    at = headEnd + 4;
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]*\r\n/.exec(head)?.[1] ?? 0);
    if (status === 100) {
      continues++;
      continue;
    }
    const isBodiless = methods[answers.length] === "HEAD" || status === 204;
    const { end, ...content } = isBodiless
      ? { body: "", framing: "none" as const, isWhole: true, end: at }
      : readContent(text, at, head, hasEnded);
    answers.push({ status, continues, keeps: !/^Connection: close\r$/m.test(head), ...content });
    at = end;
    continues = 0;
  }
}

type Content = Pick<Received, "body" | "framing" | "isWhole"> & { readonly end: number };

function readContent(text: string, start: number, head: string, hasEnded: boolean): Content {
  if (/^Transfer-Encoding: chunked\r$/m.test(head)) return readChunks(text, start);
  const length = /^Content-Length: (\d+)\r$/m.exec(head)?.[1];
  const end = length === undefined ? text.length : Math.min(text.length, start + Number(length));
  const isWhole = length === undefined ? hasEnded : end === start + Number(length);
  return { body: text.slice(start, end), framing: length === undefined ? "end" : "length", isWhole, end };
}

function readChunks(text: string, start: number): Content {
  let body = "";
  for (let at = start; ; ) {
    const line = /^([\da-f]+)\r\n/.exec(text.slice(at, at + 20));
    const size = Number.parseInt(line?.[1] ?? "", 16);
    const from = at + (line?.[0].length ?? 0);
    body += line === null ? "" : text.slice(from, from + size);
    at = from + size + 2;
    if (line === null || at > text.length) return { body, framing: "chunked", isWhole: false, end: text.length };
    if (size === 0) return { body, framing: "chunked", isWhole: true, end: at };
  }
}
