import assert from "node:assert/strict";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { type RunningServer, serve, upgrade } from "@waymark/node";
import fc from "fast-check";
import type { HttpRequest } from "../../../../waymark/src/request.ts";
import { HttpResponse, text } from "../../../../waymark/src/response.ts";
import { tinyApp } from "../../../../waymark/test/tools/tiny-app.ts";
import { perform, type Reading, type Received, ScriptedClient } from "./connection-client.ts";
import { answerTo, type Expected, expectedAnswers } from "./connection-definition.ts";
import {
  contentLimit,
  hostOf,
  type Script,
  type ScriptedHandler,
  type ScriptedRequest,
  scripts,
} from "./connection-script.ts";

/** Plays this many random scripts against a server: what comes back must be what the definition says. */
export async function followsDefinition(numRuns: number, parameters: fc.Parameters<[Script]> = {}): Promise<void> {
  const plays = new Map<string, Play>();
  // A connection of an earlier script may still have requests that nobody waits for.
  const app = tinyApp((request) => plays.get(request.header("Host") ?? "")?.answer(request) ?? text("late"));
  const server = await serve(app);
  let count = 0;
  const play = async (script: Script): Promise<void> => {
    const name = hostOf(count++);
    const begun = new Play(script, name);
    plays.clear();
    plays.set(name, begun);
    const before = app.faults.length;
    await begun.run(server, () => app.faults.slice(before).map(String));
  };
  try {
    await fc.assert(fc.asyncProperty(scripts, play), { numRuns, endOnFailure: true, ...parameters });
    assert.deepEqual(
      app.faults.filter((fault) => !(fault instanceof ScriptedFault)),
      [],
    );
  } finally {
    await server.close({ grace: 0 });
  }
}

/** What a handler or a body throws because its script says so. */
class ScriptedFault extends Error {}

/** What happened to a request in the app. */
interface Course {
  readonly number: number;
  /** Whether the handler has made the whole answer. */
  isMade: boolean;
  /** What `onEnd` was called with. */
  readonly ends: boolean[];
}

/** A script on its connection: the handlers do what it says. */
class Play {
  readonly #script: Script;
  readonly #name: string;
  readonly #courses: Course[] = [];
  #openBodies = 0;
  /** Requests that were begun although they should not have been. */
  readonly #mistakes: string[] = [];

  constructor(script: Script, name: string) {
    this.#script = script;
    this.#name = name;
  }

  async run({ port }: RunningServer, faults: () => readonly string[]): Promise<void> {
    const client = new ScriptedClient(port, this.#script.cuts);
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error("The connection does not go on")), 30_000);
    try {
      const reading = await Promise.race([perform(this.#script, this.#name, client), late.promise]);
      await Promise.race([this.#isOver(), late.promise]);
      this.#judge(reading, client.ending === "ended");
      this.#judgeFaults(faults().filter((fault) => fault.startsWith(`Error: ${this.#name} `)));
    } finally {
      clearTimeout(timer);
      client.close();
    }
  }

  /** Resolves when every exchange and every body that has begun has ended. */
  async #isOver(): Promise<void> {
    while (this.#openBodies > 0 || this.#courses.some(({ ends }) => ends.length === 0)) await eventLoopTurn();
  }

  #judge(reading: Reading, hasEnded: boolean): void {
    assert.deepEqual(this.#mistakes, []);
    const expected = expectedAnswers(this.#script);
    const mayLose = this.#mayLose(expected);
    if (!mayLose || reading.answers.length > expected.length) {
      assert.equal(reading.answers.length, expected.length, "the number of answers");
      assert.ok(hasEnded, "the connection was broken");
      assert.equal(reading.rest, "");
    }
    for (const [i, answer] of reading.answers.entries()) {
      const isLast = mayLose && i === reading.answers.length - 1;
      judgeAnswer(answer, expected[i] ?? [], isLast, i);
    }
    for (const { number, ends } of this.#courses) {
      assert.equal(ends.length, 1, `request ${number} ended ${ends.length} times`);
      const isWhole = reading.answers[number]?.isWhole === true;
      const isFree = mayLose || number >= expected.length - 1;
      assert.ok(isFree || ends[0] === isWhole, `request ${number} ended as ${ends[0]}`);
    }
  }

  /** Whether something of what has left the process may not arrive: the client vanishes, or the server resets the connection. */
  #mayLose(expected: readonly (readonly Expected[])[]): boolean {
    return this.#script.ending.kind === "vanishes" || expected.at(-1)?.some(({ isReset }) => isReset) === true;
  }

  /** Each failure is reported once. */
  #judgeFaults(faults: readonly string[]): void {
    assert.equal(new Set(faults).size, faults.length, `a fault was reported twice: ${faults}`);
    const { requests, ending } = this.#script;
    const answers = expectedAnswers(this.#script).length;
    for (const [i, request] of requests.entries()) {
      const answer = answerTo(request, i);
      const fails = answer.status === 500 || !answer.isWhole;
      const isReported = faults.includes(`Error: ${this.#name} ${i}`);
      if (!fails) assert.ok(!isReported, `a fault of ${i}`);
      else if (i < answers && ending.kind !== "vanishes") assert.ok(isReported, `no fault of ${i}`);
    }
  }

  answer(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const number = Number(request.path.slice(1));
    const scripted = this.#requestOf(number);
    const course: Course = { number, isMade: false, ends: [] };
    if (scripted !== undefined) this.#judgeBeginning(number);
    this.#courses.push(course);
    request.onEnd((isSent) => course.ends.push(isSent));
    if (scripted === undefined) return shout(request);
    const { delay, reads } = scripted.handler;
    if (delay === 0 && reads === "nothing") return this.#respond(scripted, course, "");
    return this.#respondLater(request, scripted, course);
  }

  #requestOf(number: number): ScriptedRequest | undefined {
    const { requests, ending } = this.#script;
    const last = ending.kind === "truncated" || ending.kind === "vanishes" ? ending.request : undefined;
    return requests[number] ?? last;
  }

  #judgeBeginning(number: number): void {
    for (let before = 0; before < number; before++) {
      const earlier = this.#requestOf(before) as ScriptedRequest; // it is before one of the script
      const course = this.#courses.find((each) => each.number === before);
      if (course === undefined) this.#mistakes.push(`${number} was begun and ${before} was not`);
      else if (!course.isMade) {
        this.#mistakes.push(`${number} was begun while ${before} was being answered`);
      }
      const { version, connection } = earlier;
      if (connection === "close" || (version === "1.0" && connection === undefined)) {
        this.#mistakes.push(`${number} was begun behind ${before}, which closes the connection`);
      }
    }
  }

  async #respondLater(request: HttpRequest, scripted: ScriptedRequest, course: Course): Promise<HttpResponse> {
    const { delay, reads } = scripted.handler;
    try {
      await turns(delay);
      const echo = await read(request, reads);
      await turns(delay);
      return this.#respond(scripted, course, echo);
    } catch (error) {
      course.isMade = true;
      throw error;
    }
  }

  #respond({ method, handler }: ScriptedRequest, course: Course, echo: string): HttpResponse {
    const { answer, pieces, delay } = handler;
    course.isMade = true;
    if (answer === "error") throw this.#fault(course);
    if (answer === "whole") return text(`${course.number} ${echo}`);
    if (answer === "empty") return new HttpResponse(204);
    course.isMade = method === "HEAD";
    const length = String(pieces.join("").length);
    const fields = answer === "sized stream" ? { "Content-Length": length } : {};
    return new HttpResponse(200, fields, delay === 0 ? this.#body(handler, course) : this.#slowBody(handler, course));
  }

  #fault({ number }: Course): ScriptedFault {
    return new ScriptedFault(`${this.#name} ${number}`);
  }

  *#body({ pieces, failsAt }: ScriptedHandler, course: Course): Generator<string> {
    this.#openBodies++;
    try {
      for (const [i, piece] of pieces.entries()) {
        if (i === failsAt) throw this.#fault(course);
        yield piece;
      }
    } finally {
      this.#openBodies--;
      course.isMade = true;
    }
  }

  async *#slowBody(handler: ScriptedHandler, course: Course): AsyncGenerator<string> {
    for (const piece of this.#body(handler, course)) {
      await turns(handler.delay);
      yield piece;
    }
  }
}

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await eventLoopTurn();
}

async function read(request: HttpRequest, how: ScriptedHandler["reads"]): Promise<string> {
  if (how === "nothing") return "";
  if (how === "limited") await request.bytes({ limit: contentLimit });
  if (how === "all") return Buffer.from(await request.bytes()).toString("latin1");
  let content = "";
  if (how === "limited") return "";
  for await (const piece of request.stream()) {
    if (how === "a piece") return "";
    content += Buffer.from(piece).toString("latin1");
  }
  return content;
}

/** Answers in upper case what comes behind the request. */
const shout = upgrade("shout", ({ socket, head }) => {
  const answer = (piece: Buffer): unknown => socket.write(piece.toString("latin1").toUpperCase());
  socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: shout\r\n\r\n");
  answer(head);
  if (socket.readable) socket.on("data", answer).on("end", () => socket.end());
  else socket.end();
});

/** Holds one answer against those that may come. */
function judgeAnswer(answer: Received, allowed: readonly Expected[], isPart: boolean, number: number): void {
  const fits = allowed.some(({ status, body, framing, isWhole, continues, keeps }) => {
    if (answer.status !== status || answer.framing !== framing) return false;
    if (isPart && !answer.isWhole) return body === undefined || body.startsWith(answer.body);
    const isBody = body === undefined || answer.body === body || (!isWhole && body.startsWith(answer.body));
    const isContinued = continues === undefined || answer.continues === (continues ? 1 : 0);
    return (
      isBody && answer.isWhole === isWhole && isContinued && (!isWhole || keeps === undefined || answer.keeps === keeps)
    );
  });
  const shorten = (_: string, value: unknown): unknown =>
    typeof value === "string" && value.length > 60 ? `${value.slice(0, 60)}… (${value.length})` : value;
  assert.ok(fits, `answer ${number} is ${JSON.stringify(answer, shorten)}, not ${JSON.stringify(allowed, shorten)}`);
}
