import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { RawConnection, type RawResponse } from "../../../../node/test/tools/raw-connection.ts";
import { openFolder } from "../../../../waymark/test/tools/folder.ts";
import { openLog } from "../../../src/log/log.ts";
import { logService } from "../../../src/log/service-log.ts";
import { openPersonService } from "../../../src/service.ts";
import { comparable, compareWithOrdinaryWay, heads } from "./answer-memory.ts";

const folder = openFolder("answers");

describe("answers from memory", () => {
  for (const database of [":memory:", folder.newFile()]) {
    it(`read no person again until one has changed (${database === ":memory:" ? database : "a file"})`, async () => {
      let reads = 0;
      const onOperation = ({ name }: { readonly name: string }): void => {
        if (name === "find" || name === "list") reads++;
      };
      const service = await openPersonService({ database, observers: [{ onOperation }] });
      await service.people.create({ name: "Ada" });
      const server = await serve(service.app, { answerMemory: 2 ** 20 });
      const connection = new RawConnection(server.port);
      try {
        for (const target of ["/person/1", "/person?limit=20"]) {
          for (let round = 0; round < 5; round++) {
            reads = 0;
            for (let i = 0; i < 20; i++) {
              const { status, body } = await connection.request(`GET ${target}`).response();
              assert.equal(status, 200);
              assert(body.includes(round === 0 && target === "/person/1" ? '"Ada"' : "Ada"), body);
            }
            assert(reads > 0 && reads < 5, `${reads} reads for 20 requests`);
            reads = 0;
            for (let i = 0; i < 5; i++) await connection.request("GET /person?format=json&limit=20").response();
            assert.equal(reads, 5, "the name of the file has the date");
            await service.people.replace(1, { name: `Ada ${round}` });
            const { body } = await connection.request(`GET ${target}`).response();
            assert(body.includes(`"Ada ${round}"`), body);
          }
        }
      } finally {
        connection.destroy();
        await server.close({ grace: 0 });
        await service.database.close();
      }
    });
  }

  it("are those of the ordinary way with a proxy, a quota and a log, as is each refusal and each line of the log", async () => {
    const database = folder.newFile();
    const [twin, ordinary] = [await openTwin(database, 2 ** 24), await openTwin(database, 0)];
    let refused = 0;
    try {
      for (let i = 0; i < 10; i++) await twin.people.create({ name: `Ada ${i}` });
      for (let i = 0; i < 2_400; i++) {
        if (i % 300 === 299) await ordinary.people.replace(1 + (i % 7), { name: `Ada ${i}` });
        // Few heads come often, of clients of whom some ask more than they may.
        const head = heads[Math.floor(18 * Math.random() ** 5)];
        assert(head !== undefined);
        const client = Math.floor(6 * Math.random() ** 1.5);
        const fields = [
          ...head.fields,
          `X-Forwarded-For: 192.0.2.${client}`,
          `X-Forwarded-Proto: ${schemes[client % 2]}`,
        ];
        const [answer, expected] = [await twin.ask(head.line, fields), await ordinary.ask(head.line, fields)];
        assert.equal(withoutSeconds(answer), withoutSeconds(expected), `${head.line} ${fields.join()}`);
        if (answer.status === 429) refused++;
      }
      assert(refused > 100, `${refused} were refused`);
      assert(twin.counts.reads < ordinary.counts.reads / 2, `${twin.counts.reads} of ${ordinary.counts.reads} reads`);
    } finally {
      for (const each of [twin, ordinary]) await each.close();
    }
    assert.deepEqual(
      twin.lines.map(({ id }) => id),
      twin.ids,
    );
    assert.deepEqual(twin.lines.map(withoutOwn), ordinary.lines.map(withoutOwn));
  });

  const comparisons = 1_000;
  for (const protocol of ["HTTP/1.1", "HTTP/2"] as const) {
    it(`are those of the ordinary way over ${protocol}, while people and keys are changed`, async () => {
      const { equal, between, writes } = await compareWithOrdinaryWay({
        protocol,
        comparisons,
        readers: 4,
        disturbances: 1,
      });
      const enough = equal > comparisons / 3 && between + equal >= comparisons && writes > 20;
      assert(enough, JSON.stringify({ equal, between, writes }));
    });
  }
});

const schemes = ["http", "https"];

/** Returns an answer as it can be compared: a window of the quota begins when its client asks first. */
const withoutSeconds = (answer: RawResponse): string =>
  comparable(answer).replace(/\bt=\d+|(?<=Retry-After: |again in )\d+/g, "seconds");

type Line = Readonly<Record<string, unknown>>;

/** Returns a line without what is another one in another log, and with the names of its members in their order. */
function withoutOwn({ time, id, ms, ...rest }: Line): unknown {
  return [typeof time, typeof id, typeof ms, Object.entries(rest)];
}

/** Opens a service with all that sees each request. */
async function openTwin(database: string, answerMemory: number) {
  const lines: Line[] = [];
  const ids: unknown[] = [];
  const counts = { reads: 0 };
  const write = (line: string): void => {
    const parsed: Line = JSON.parse(line);
    if (parsed["event"] === "request") lines.push(parsed);
  };
  const output = { write, flush: () => undefined };
  const log = logService(openLog({ detail: "requests", isPretty: false, output }));
  const onOperation = (): void => void counts.reads++;
  const observers = [log.observer, { onOperation }];
  const service = await openPersonService({ database, observers, rateLimit: { limit: 400, window: 3600 } });
  const server = await serve(service.app, { answerMemory, trustProxy: ["127.0.0.1"] });
  const connection = new RawConnection(server.port);
  return {
    people: service.people,
    lines,
    ids,
    counts,
    async ask(line: string, fields: readonly string[]): Promise<RawResponse> {
      const method = line.startsWith("HEAD") ? "HEAD" : "GET";
      const answer = await connection.request(line, ...fields).response(method);
      ids.push(answer.headers["x-request-id"]);
      return answer;
    },
    async close(): Promise<void> {
      connection.destroy();
      await server.close({ grace: 0 });
      log.close();
      await service.database.close();
    },
  };
}
