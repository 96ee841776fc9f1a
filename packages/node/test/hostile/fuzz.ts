import assert from "node:assert/strict";
import { connect } from "node:net";
import { setImmediate as eventLoopTurn } from "node:timers/promises";
import { serve } from "@waymark/node";
import fc from "fast-check";
import { text } from "../../../waymark/src/response.ts";
import { tinyApp } from "../../../waymark/test/tools/tiny-app.ts";

/**
 * Sends a server random bytes, requests with faults, and sound requests in random pieces, this many of each: it must give
 * no answer that blames itself, none behind one that closes the connection, none that was not asked for, and end each
 * connection.
 */
export async function withstandsFuzzing(rounds: number): Promise<void> {
  const app = tinyApp(async (request) => text(`${request.method} ${request.path} ${await request.text()}`));
  const server = await serve(app);
  try {
    for (const bytes of [fc.string({ unit: "binary-ascii", maxLength: 200 }), fc.array(piece).map(join), faulty]) {
      await fc.assert(
        fc.asyncProperty(bytes, cuts, fc.constantFrom(...endings), async (input, lengths, ending) => {
          judge(input, await exchange(server.port, input, lengths, ending));
        }),
        { numRuns: rounds },
      );
    }
    await fc.assert(
      fc.asyncProperty(fc.array(sound, { minLength: 1, maxLength: 20 }), cuts, async (requests, lengths) => {
        const input = `${requests.map(({ bytes }) => bytes).join("")}GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
        const answers = parse(await exchange(server.port, input, lengths, "waits"));
        assert.deepEqual(
          answers.map(({ status, body }) => `${status} ${body}`),
          [...requests.map(({ answer }) => answer), "200 GET /end "],
        );
      }),
      { numRuns: rounds },
    );
    assert.deepEqual(app.faults, []);
  } finally {
    await server.close({ grace: 0 });
  }
}

/** What a client does when it has sent all. */
type Ending = "waits" | "ends" | "breaks";
const endings: readonly Ending[] = ["ends", "ends", "ends", "breaks"];

/** What the server sends until the connection is closed. */
async function exchange(port: number, input: string, lengths: readonly number[], ending: Ending): Promise<string> {
  const socket = connect({ port, host: "127.0.0.1", noDelay: true, allowHalfOpen: true });
  const received: Buffer[] = [];
  socket.on("data", (part) => received.push(part as Buffer));
  const closed = new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("The server has not closed the connection")), 60_000);
    socket.on("close", () => {
      clearTimeout(late);
      resolve();
    });
  });
  // What it sends after the server has closed is refused.
  socket.on("error", () => socket.destroy());
  let at = 0;
  for (const length of lengths) {
    if (at >= input.length || socket.destroyed || socket.readableEnded) break;
    socket.write(input.slice(at, at + length), "latin1");
    at += length;
    await eventLoopTurn();
  }
  socket.write(input.slice(at), "latin1");
  if (ending === "ends") socket.end();
  if (ending === "breaks") socket.once("data", () => socket.resetAndDestroy()).end();
  socket.on("end", () => socket.end());
  await closed;
  return Buffer.concat(received).toString("latin1");
}

/** Asserts what holds for the answers to any bytes. */
function judge(input: string, output: string): void {
  const answers = parse(output);
  // A message ends its head with an empty line; one more is refused for what is left.
  const most = input.split(/\r?\n\r?\n/).length;
  assert.ok(answers.length <= most, `${answers.length} answers to ${most - 1} heads`);
  answers.forEach(({ status, closes }, i) => {
    assert.ok(status < 500 || status === 501 || status === 505, `status ${status}`);
    assert.ok(!closes || i === answers.length - 1, "an answer behind one that closes the connection");
  });
}

interface Answer {
  readonly status: number;
  readonly closes: boolean;
  readonly body: string;
}

/** The responses in the bytes; throws when they are anything else. */
function parse(output: string): readonly Answer[] {
  const answers: Answer[] = [];
  let rest = output;
  while (rest !== "") {
    const [head = ""] = rest.split("\r\n\r\n", 1);
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]+(?:\r\n|$)/.exec(head)?.[1]);
    assert.ok(status >= 100, `no response: ${JSON.stringify(rest.slice(0, 200))}`);
    rest = rest.slice(head.length + 4);
    if (status === 100) continue;
    const length = Number(/^Content-Length: (\d+)$/im.exec(head)?.[1]);
    assert.ok(/^Date: /im.test(head), "no Date");
    // The answer to HEAD has the length of a content that does not follow.
    const toHead = /^X-Method: HEAD$/im.test(head) || rest.startsWith("HTTP/1.1 ") || rest === "";
    assert.ok(toHead || rest.length >= length, "content that is too short");
    answers.push({ status, closes: /^Connection: close$/im.test(head), body: toHead ? "" : rest.slice(0, length) });
    if (!toHead) rest = rest.slice(length);
  }
  return answers;
}

const cuts = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 });
const join = (parts: readonly string[]): string => parts.join("");

/** What messages are made of, and what breaks them. */
const piece = fc.constantFrom(
  ..."GET |POST |HEAD |OPTIONS |CONNECT |PRI |FOO |get |/|*|/a?b|http://a/|a:80| HTTP/1.1| HTTP/1.0| HTTP/2.0| RTSP/1.0".split(
    "|",
  ),
  ..."Host: a\r\n|Host:\r\n|Host: b c\r\n|Content-Length: 3\r\n|Content-Length: 0\r\n|Content-Length: -1\r\n".split(
    "|",
  ),
  ..."Transfer-Encoding: chunked\r\n|Transfer-Encoding: gzip, chunked\r\n|Transfer-Encoding: identity\r\n".split("|"),
  ..."Connection: close\r\n|Connection: Upgrade\r\n|Connection: keep-alive\r\n|Upgrade: h2c\r\n".split("|"),
  ..."Expect: 100-continue\r\n|Expect: x\r\n|Content-Type: a/b\r\n|X: y\r\n| folded\r\n|X : y\r\n|: y\r\n".split("|"),
  ..."\r\n|\r\n\r\n|\n|\r|\0|\t| |abc|3\r\nabc\r\n|0\r\n\r\n|0\r\n|ffffffffffffffff\r\n|1;x=y\r\na\r\n|\x80".split("|"),
);

const path = fc.stringMatching(/^\/[a-z0-9]{0,8}$/);
const letters = fc.stringMatching(/^[a-z]{1,40}$/);

interface Sound {
  readonly bytes: string;
  readonly answer: string;
}

/** A sound request, and the status and content of its answer. */
const sound: fc.Arbitrary<Sound> = fc.oneof(
  fc.tuple(path, fc.boolean()).map(([target, upgrades]) => ({
    bytes: `GET ${target} HTTP/1.1\r\nHost: a\r\n${upgrades ? "Connection: Upgrade\r\nUpgrade: h2c\r\n" : ""}\r\n`,
    answer: `200 GET ${target} `,
  })),
  fc.tuple(path, letters).map(([target, content]) => ({
    bytes: `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Length: ${content.length}\r\n\r\n${content}`,
    answer: `200 POST ${target} ${content}`,
  })),
  fc.tuple(path, fc.array(letters)).map(([target, chunks]) => ({
    bytes: `PUT ${target} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${[...chunks, ""].map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join("")}`,
    answer: `200 PUT ${target} ${chunks.join("")}`,
  })),
);

/** Sound requests with some characters changed, left out, doubled, or cut off. */
const faulty: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(sound, { minLength: 1, maxLength: 4 }).map((requests) => requests.map(({ bytes }) => bytes).join("")),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom("change", "leave out", "double", "insert"), piece), { maxLength: 5 }),
  )
  .map(([bytes, faults]) =>
    faults.reduce((text, [at, fault, inserted]) => {
      const i = at % text.length;
      switch (fault) {
        case "change":
          return text.slice(0, i) + String.fromCharCode(at % 256) + text.slice(i + 1);
        case "leave out":
          return text.slice(0, i) + text.slice(i + 1 + (at % 5));
        case "double":
          return text.slice(0, i) + text.slice(Math.max(0, i - 30));
        default:
          return text.slice(0, i) + inserted + text.slice(i);
      }
    }, bytes),
  );
