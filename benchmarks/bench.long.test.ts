import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, mkdtempDisposable, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Answer, AnswersDiffer, agreedAnswer } from "./answer.ts";
import { type Contestant, contestants } from "./contestant.ts";
import { measureDeclared } from "./declared.ts";
import { measureDispatch } from "./dispatch.ts";
import { measureFootprints } from "./footprint.ts";
import { measureGrowth } from "./growth.ts";
import { measureLists } from "./list.ts";
import { findLoadGenerator, type Load, type MixingLoadGenerator } from "./load.ts";
import { type MeasurementOptions, measure } from "./measure.ts";
import { measureOpenLoop } from "./open-loop.ts";
import { parseCommand } from "./options.ts";
import { findPlacement } from "./placement.ts";
import { toFigures, withFigures } from "./publish.ts";
import {
  doubts,
  toContestantsTable,
  toDispatchTable,
  toFootprintsTable,
  toGrowthTable,
  toListsTable,
  toOpenLoopTable,
  toServersTable,
  toTypesTable,
} from "./report.ts";
import { compare, type ScenarioResult } from "./result.ts";
import { scenariosWith } from "./scenario.ts";
import { measureTypes } from "./types.ts";

// Nothing here says how long anything may take: the benchmark finds that out.

describe("a measurement", () => {
  let folder = "";
  let temporary = "";

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "benchmark-test-"));
    temporary = await mkdtemp(join(folder, "temporary-"));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const optionsFor = async (changes: Partial<MeasurementOptions>): Promise<MeasurementOptions> => ({
    contestants,
    scenarios: scenariosWith("none").slice(0, 1),
    loadGenerator: loadGenerator(async () => 1),
    placement: await findPlacement(),
    directory: temporary,
    records: 1,
    rounds: 1,
    seconds: 0.3,
    warmUp: 0,
    connections: 4,
    signal: new AbortController().signal,
    ...changes,
  });

  const contestant = async (name: string, program: string): Promise<Contestant> => {
    const file = join(folder, `${name}.mjs`);
    await writeFile(file, program);
    return { name, program: pathToFileURL(file) };
  };

  it("asks every server for the same answer, and leaves nothing behind", async () => {
    const steps: string[] = [];
    const stored: (string | null)[] = [];
    const results = await measure(
      await optionsFor({
        scenarios: scenariosWith("none").filter(({ isRepeated }) => !isRepeated),
        records: undefined,
        loadGenerator: {
          ...loadGenerator(async () => 1),
          async runMixed({ url, headers }, requests) {
            for (const { target, json } of requests) {
              const sent = { ...headers, "Content-Type": "application/json" };
              const init = json === undefined ? { headers } : { method: "POST", headers: sent, body: json };
              const response = await fetch(url + target, init);
              await response.text();
              assert.equal(response.status, 200);
              if (json !== undefined) stored.push(response.headers.get("Location"));
            }
            return { requestsPerSecond: 100, p99: 7 };
          },
        },
        onProgress: (step) => steps.push(step),
      }),
    );
    const [result, mixed] = results;
    assert.ok(result !== undefined && mixed !== undefined && results.length === 2);
    assert.equal(result.request, "GET /person/269");
    assert.equal(result.records, 537);
    assert.equal(result.answer.status, 200);
    assert.equal(result.answer.contentType, "application/json");
    assert.ok(result.answer.bytes > 200);
    assert.deepEqual(
      result.contestants.map(({ name }) => name),
      ["ours", "fastify", "hono", "bare"],
    );
    for (const { rounds } of result.contestants) assert.equal(rounds.length, 1);
    assert.match(steps[0] ?? "", /comparing the answers/);
    assert.equal(steps.length, 10);
    assert.equal(mixed.request, "90 × GET /person/269, 9 × GET /person?limit=20, 1 × POST /person");
    // The peers keep added people in a table of their own.
    assert.deepEqual(stored, ["/person/538", "/person/1", "/person/1", "/person/1"]);
    assert.match(toServersTable(mixed), /99 % within +min–max\nours .* 7\.0 ms +7\.0–7\.0$/m);
    assert.deepEqual(doubts({ ...mixed, contestants: mixed.contestants.map((each) => ({ ...each, busy: 0.3 })) }), []);
    assert.deepEqual(await readdir(temporary), []);
  });

  it("times a server that answers, and one that answers 304", async () => {
    const unhurried = await contestant("unhurried", serverThatAnswers("{}", { entityTag: '"1"', delay: 5 }));
    const results = await measure(
      await optionsFor({
        contestants: [unhurried],
        scenarios: scenariosWith("browser").slice(0, 2),
        loadGenerator: await findLoadGenerator("autocannon"),
      }),
    );
    for (const { contestants: timed } of results) {
      assert.equal(timed.at(-1)?.requestsPerSecond.ofFloor, 1);
      assert.ok(timed.every(({ requestsPerSecond }) => requestsPerSecond.median > 0));
    }
    const environment = { processor: "a processor", cores: 2, platform: "linux", versions: { node: "26.0.0" } };
    const figures = toFigures({ environment, rounds: 1, seconds: 1, warmUp: 1, results: [...results, ...results] });
    const page = withFigures("# Speed\n<!-- npm run bench -- --publish -->\nold\n<!-- end -->\n", figures);
    assert.match(
      page,
      /^# Speed\n<!-- .* -->\n\| {2}\|\n\| --- \|\n(?:\| read one person(?: again)? \|\n){4}\nShares /,
    );
    assert.match(page, / with Node\.js 26\.0\.0\non 2 cores of a processor: .*\.\n<!-- end -->\n$/);
    assert.throws(() => withFigures("# Speed\n", figures), RangeError);
  });

  it("of requests that come by chance has the times of both servers", async () => {
    const pair = [await contestant("one", serverThatAnswers("{}")), await contestant("other", serverThatAnswers("{}"))];
    const generator = { ...loadGenerator(async () => 1), runMixed: async () => ({ requestsPerSecond: 2_000, p99: 1 }) };
    const common = await optionsFor({ contestants: pair, loadGenerator: generator, seconds: 1 });
    const results = await measureOpenLoop({ ...common, loads: [0.5] });
    assert.deepEqual(
      results.map(({ contestant, load, perSecond }) => [contestant, load, perSecond]),
      [
        ["one", 0.5, 1_000],
        ["other", 0.5, 1_000],
      ],
    );
    for (const { p50, p99, p999, post } of results) assert(0 < p50 && p50 <= p99 && p99 <= p999 && post > 0);
    assert.match(toOpenLoopTable(results), /^other +50 % +1,000( +[\d.]+ ms){4}$/m);
    assert.deepEqual(await readdir(temporary), []);
  });

  it("of start and memory has the figures of every server, and of a start that finds nothing compiled", async () => {
    const compileCache = pathToFileURL(await mkdtemp(join(folder, "compile-cache-")));
    const one = await contestant("one", serverThatAnswers("{}"));
    const other = await contestant("other", serverThatAnswers("{}"));
    const footprints = await measureFootprints({
      ...(await optionsFor({ records: 3 })),
      contestants: [{ ...one, compileCache }, other],
      idleConnections: 10,
    });
    assert.match(toFootprintsTable(footprints), /^one( +[\d,]+ ms){3} +\d+ MB +/m);
    assert.deepEqual(
      footprints.map(({ firstStart }) => firstStart !== undefined),
      [true, false],
    );
    assert.equal(existsSync(compileCache), false);
    assert.deepEqual(await readdir(temporary), []);
  });

  it("reads a list of all people of every server", async () => {
    const results = await measureLists({
      contestants: contestants.filter(({ name }) => name === "ours" || name === "fastify"),
      directory: temporary,
      records: 100,
      rounds: 1,
      placement: await findPlacement(),
      signal: new AbortController().signal,
    });
    assert.ok(results.every(({ firstByte, bytesPerSecond }) => firstByte.median > 0 && bytesPerSecond.median > 0));
    assert.match(toListsTable(results), /^fastify +[\d.]+ ms/m);
    assert.deepEqual(await readdir(temporary), []);
  });

  it("of declared inputs finds both servers agreed, and has the figures of both", async () => {
    const results = await measureDeclared(await optionsFor({ seconds: 1 }));
    assert.match(toContestantsTable(results), /^declared +1 +1–1 +1\.000 .*\ndeclared-fastify +1 +1–1 +1\.000 /m);
  });

  it("has one server at a time, and starts each round with another one", async () => {
    const steps: string[] = [];
    const urls: string[] = [];
    const observe = loadGenerator(async ({ url }) => {
      for (const earlier of urls) await assert.rejects(fetch(earlier), `${earlier} is still there`);
      return urls.push(url);
    });
    const two = await Promise.all(["a", "b"].map((name) => contestant(name, serverThatAnswers("{}"))));
    await measure(
      await optionsFor({
        contestants: two,
        rounds: 2,
        loadGenerator: observe,
        onProgress: (step) => steps.push(step.split(", ")[1] ?? ""),
      }),
    );
    assert.deepEqual(steps, ["", "a", "b", "b", "a"]);
    assert.equal(urls.length, 4);
    await assert.rejects(fetch(urls[3] ?? ""), "the last one is still there");
  });

  it("reads one of as many made-up people as are asked for", async () => {
    const bare = contestants.slice(-1);
    const results = await measure(await optionsFor({ contestants: bare, records: 1001 }));
    const [result] = results;
    assert.equal(result?.records, 1001);
    assert.equal(result?.request, "GET /person/501");
    assert.equal(result?.answer.status, 200);
  });

  it("refuses to time servers that answer differently", async () => {
    const one = await contestant("one", serverThatAnswers('{"id":1}'));
    const other = await contestant("other", serverThatAnswers('{"id":2}'));
    const untimed = loadGenerator(() => assert.fail("nothing may be timed"));
    await assert.rejects(
      measure(await optionsFor({ contestants: [one, other], loadGenerator: untimed })),
      (error) => error instanceof AnswersDiffer && /^other and one answer differently: bodies/.test(error.message),
    );
    assert.deepEqual(await readdir(temporary), []);
  });

  it("says why a server did not start", async () => {
    const broken = await contestant("broken", 'throw new Error("no such luck")');
    await assert.rejects(
      measure(await optionsFor({ contestants: [broken] })),
      /broken\.mjs ended \(1\).*no such luck/s,
    );
    assert.deepEqual(await readdir(temporary), []);
  });

  it("ends its servers and removes its database when it is interrupted", async () => {
    const interruption = new AbortController();
    let running = "";
    const interrupt = loadGenerator(async ({ url, signal }) => {
      running = url;
      assert.equal((await fetch(url)).status, 200);
      interruption.abort(new Error("enough"));
      signal.throwIfAborted();
      return assert.fail("the load does not know of the interruption");
    });
    const { signal } = interruption;
    const lasting = await contestant("lasting", serverThatAnswers("{}"));
    const options = await optionsFor({ contestants: [lasting], loadGenerator: interrupt, signal });
    await assert.rejects(measure(options), /enough/);
    await assert.rejects(fetch(running), "the server is still there");
    assert.deepEqual(await readdir(temporary), []);
  });

  const loadGenerator = (run: MixingLoadGenerator["run"]): MixingLoadGenerator => {
    return { name: "wrk", version: "0", run, runMixed: async () => ({ requestsPerSecond: 1, p99: 1 }) };
  };
});

const defaultLoadGenerator = await findLoadGenerator(undefined);

describe("a load generator", { concurrency: true }, () => {
  const load = async (url: string, seconds: number): Promise<Load> => ({
    url,
    headers: { Accept: "application/json" },
    connections: 2,
    seconds,
    placement: await findPlacement(),
    signal: new AbortController().signal,
  });

  for (const name of new Set([defaultLoadGenerator.name, "autocannon"] as const)) {
    it(`${name} sends the fields and refuses answers that are no success`, async () => {
      const { run, runMixed } = await findLoadGenerator(name);
      const seconds = name === "wrk" ? 1 : 0.3;
      const accepted = new Set<string | undefined>();
      const sent = new Set<string>();
      const asked = new Set<string | undefined>();
      let requests = 0;
      const server = createServer(async (request, response) => {
        requests++;
        accepted.add(request.headers.accept);
        asked.add(request.url);
        sent.add(`${request.method} ${request.headers["content-type"]} ${await text(request)}`);
        await elapse(5); // milliseconds: so many requests as a generator can send would only take time from other tests
        response.writeHead(request.url?.startsWith("/good") ? 200 : 500).end();
      });
      const closed: Promise<void>[] = [];
      server.on("connection", (socket) => closed.push(new Promise((resolve) => socket.once("close", resolve))));
      /**
       * Waits until the server has read all that was sent, which may be after the generator has ended. A busy machine may let so
       * few requests through that not each kind is among them: then there is another load.
       */
      const untilEnough = async <Result>(put: () => Promise<Result>): Promise<Result> => {
        const before = requests;
        const result = await put();
        await Promise.all(closed);
        return requests - before >= 20 ? result : untilEnough(put);
      };
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const { port } = server.address() as AddressInfo; // A server that listens on a port has an address with one.
      const loadOn = (path: string): Promise<Load> => load(`http://127.0.0.1:${port}${path}`, seconds);
      try {
        assert.ok((await untilEnough(async () => run(await loadOn("/good")))) > 0);
        await assert.rejects(
          untilEnough(async () => run(await loadOn("/bad"))),
          /2xx/,
        );
        assert.deepEqual(accepted, new Set(["application/json"]));
        assert.deepEqual(sent, new Set(["GET undefined "]));
        sent.clear();
        await untilEnough(async () => run({ ...(await loadOn("/good")), json: '{"name":"Zoë Q"}' }));
        assert.deepEqual(sent, new Set(['POST application/json {"name":"Zoë Q"}']));
        asked.clear();
        const targets = ["/good", "/good/2", "/good?page=3"];
        await untilEnough(async () => run({ ...(await loadOn("")), targets }));
        assert.deepEqual([...asked].sort(), targets);
        asked.clear();
        sent.clear();
        const kinds = [
          { count: 3, target: "/good" },
          { count: 1, target: "/good/2", json: '{"name":"Zoë Q"}' },
        ];
        const mixed = await untilEnough(async () => runMixed(await loadOn(""), kinds));
        assert.deepEqual([...asked].sort(), ["/good", "/good/2"]);
        assert.deepEqual([...sent].sort(), ["GET undefined ", 'POST application/json {"name":"Zoë Q"}']);
        assert.ok(mixed.requestsPerSecond > 0 && mixed.p99 >= 5 && mixed.p99 < 60_000);
        assert.deepEqual(accepted, new Set(["application/json"]));
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  }
});

describe("the answers of the servers", () => {
  const answer = (changes: Partial<Answer> = {}): Answer => ({
    status: 200,
    contentType: "application/json",
    entityTag: undefined,
    body: Buffer.from('{"id":1}'),
    ...changes,
  });

  it("are one when they are alike", () => {
    assert.deepEqual(
      agreedAnswer(
        new Map([
          ["a", answer()],
          ["b", answer()],
        ]),
        200,
      ),
      answer(),
    );
  });

  const differences: readonly (readonly [string, Partial<Answer>, RegExp])[] = [
    ["another status", { status: 404 }, /b and a answer differently: status 404 and 200/],
    ["a parameter more", { contentType: "application/json;v=1" }, /Content-Type application\/json;v=1 and/],
    ["no Content-Type", { contentType: undefined }, /Content-Type undefined and application\/json/],
    ["another byte", { body: Buffer.from('{"id":2}') }, /bodies of 8 and 8 bytes/],
    ["no body", { body: Buffer.from("") }, /bodies of 0 and 8 bytes/],
  ];
  for (const [what, difference, message] of differences) {
    it(`are refused when one has ${what}`, () => {
      const answers = new Map([
        ["a", answer()],
        ["b", answer(difference)],
      ]);
      assert.throws(() => agreedAnswer(answers, 200), { name: "AnswersDiffer", message });
    });
  }

  it("are refused when they agree on the wrong status", () => {
    const answers = new Map([["a", answer({ status: 404 })]]);
    assert.throws(() => agreedAnswer(answers, 200), { name: "AnswersDiffer", message: /a answers 404 where 200/ });
  });
});

describe("the results", () => {
  const timing = (requestsPerSecond: number, busy?: number) => ({ requestsPerSecond, busy });
  const resultOf = (...entries: [string, ReturnType<typeof timing>[]][]): ScenarioResult => ({
    scenario: "read",
    request: "GET /person/1",
    records: 1,
    answer: { status: 200, contentType: "application/json", bytes: 8 },
    contestants: compare(new Map(entries)),
  });

  it("are medians with their spread, as shares of the last server's", () => {
    const [ours] = compare(
      new Map([
        ["ours", [timing(90, 1), timing(70, 0.5), timing(80, 1)]],
        ["bare", [timing(100, 1), timing(120, 1), timing(80, 1), timing(100, 1)]],
      ]),
    );
    assert.deepEqual(ours?.requestsPerSecond, { median: 80, min: 70, max: 90, ofFloor: 0.8 });
    assert.deepEqual(ours?.requestsPerProcessorSecond, { median: 90, min: 80, max: 140, ofFloor: 0.9 });
    assert.equal(ours?.busy, 1);
  });

  it("leave out processor time where the system does not report it", () => {
    const result = resultOf(["ours", [timing(90)]], ["bare", [timing(100)]]);
    assert.equal(result.contestants[0]?.requestsPerProcessorSecond, undefined);
    assert.match(toServersTable(result), /^ours +90 +90–90 +0\.900 +\?/m);
    assert.deepEqual(doubts(result), []);
  });

  it("say when a server had to wait for its core", () => {
    const result = resultOf(["ours", [timing(90, 0.99)]], ["bare", [timing(50, 0.5)]]);
    assert.match(doubts(result).join(), /\(bare 50 %\)/);
  });
});

describe("the measurement of growth", () => {
  it("times some forty lists among each number of people, at first and again", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "growth-"));
    const { signal } = new AbortController();
    const results = await measureGrowth({ directory: directory.path, sizes: [10, 30], rounds: 1, signal });
    assert.ok(results.length >= 40);
    assert.deepEqual(await readdir(directory.path), [], "a database is left");
    for (const { list, times } of results) {
      assert.deepEqual(
        times.map(({ size }) => size),
        [10, 30],
        list,
      );
      assert.ok(times.every(({ first, again }) => first > 0 && again > 0));
    }
    assert.match(toGrowthTable(results), /^count q=made +[\d.]+, [\d.]+ +[\d.]+, [\d.]+$/m);
  });
});

describe("the measurement of types", () => {
  it("compares declared routes with untyped ones, which both compile, and leaves nothing behind", async () => {
    await using directory = await mkdtempDisposable(join(tmpdir(), "benchmark-test-"));
    const { signal } = new AbortController();
    const results = await measureTypes({ groups: 2, rounds: 1, directory: directory.path, signal });
    const [declared, untyped] = results;
    assert.ok(declared !== undefined && untyped !== undefined && declared.instantiations > untyped.instantiations);
    assert.equal(untyped.ofUntyped, 1);
    assert.match(toTypesTable(results), /^declared +\d/m);
    assert.deepEqual(await readdir(directory.path), []);
  });
});

describe("the dispatch measurement", () => {
  it("compares few and many routes of each kind", () => {
    const results = measureDispatch({ sizes: [10, 50], rounds: 2, requests: 500 });
    assert.deepEqual(
      results.map(({ routes, differentRequests }) => [routes, differentRequests]),
      [10, 50].flatMap((count) =>
        ["static paths", "paths with variables", "both, in groups"].map((name) => [name, count]),
      ),
    );
    for (const { times, growth } of results) {
      assert.deepEqual(
        times.map(({ size }) => size),
        [10, 50],
      );
      assert.ok(growth > 0);
    }
    assert.match(toDispatchTable(results), /^both, in groups/m);
  });
});

describe("the command line", () => {
  const usual = {
    kind: "servers",
    rounds: 5,
    seconds: 3,
    warmUp: 1,
    records: undefined,
    fields: "browser",
    load: undefined,
    json: undefined,
    publish: false,
    keep: undefined,
    against: undefined,
  };
  const good: readonly (readonly [line: string, changes: object])[] = [
    ["", {}],
    ["--fields none", { fields: "none" }],
    ["lists --records 10", { kind: "lists", rounds: 3, records: 10 }],
    ["growth", { kind: "growth", rounds: 3 }],
    ["servers --rounds 3 --seconds 2 --warm-up 0", { rounds: 3, seconds: 2, warmUp: 0 }],
    ["--records 1000 --load wrk --json a.json", { records: 1000, load: "wrk", json: "a.json" }],
    ["--publish --rounds 3", { publish: true, rounds: 3 }],
    ["declared --rounds 2", { kind: "declared", rounds: 2 }],
    ["open --seconds 2", { kind: "open", seconds: 2 }],
    ["overload --rounds 1", { kind: "overload", rounds: 1 }],
    ["dispatch", { kind: "dispatch", rounds: 15 }],
    ["types --rounds 3", { kind: "types", rounds: 3 }],
    ["dispatch --rounds 1 --json b.json", { kind: "dispatch", rounds: 1, json: "b.json" }],
    ["postgres --rounds 2", { kind: "postgres", rounds: 2 }],
    ["writes --against ../older", { kind: "writes", against: "../older" }],
    ["scaling --rounds 3 --against ../older", { kind: "scaling", rounds: 3, against: "../older" }],
    ["records --records 10000000", { kind: "records", records: 10_000_000 }],
    ["records --keep people", { kind: "records", keep: "people" }],
  ];
  for (const [line, changes] of good) {
    it(`"${line}" is understood`, () => assert.deepEqual(parseCommand(words(line)), { ...usual, ...changes }));
  }

  it("asks for help", () => assert.deepEqual(parseCommand(["writes", "--help"]), { kind: "help" }));

  const bad: readonly (readonly [string, RegExp])[] = [
    ["--rounds 0", /--rounds must be an integer from 1/],
    ["--seconds 0.3", /--seconds must be an integer/],
    ["--records many", /--records/],
    ["--fields curl", /--fields must be browser or none, not "curl"/],
    ["writes --fields none", /"writes" does not take --fields/],
    ["lists --load wrk", /"lists" does not take --load/],
    ["--load ab", /--load must be wrk or autocannon, not "ab"/],
    ["--fast", /--fast/],
    ["everything", /not "everything"/],
    ["open --records 5", /"open" does not take --records/],
    ["declared --records 5", /"declared" does not take --records/],
    ["overload --load wrk", /"overload" does not take --load/],
    ["writes --records 3", /"writes" does not take --records/],
    ["postgres --against ../older", /"postgres" does not take --against/],
    ["scaling --records 3", /"scaling" does not take --records/],
    ["scaling --keep people", /"scaling" does not take --keep/],
    ["postgres --records 3", /"postgres" does not take --records/],
    ["dispatch --seconds 3", /"dispatch" does not take --seconds/],
    ["writes --publish", /"writes" does not take --publish/],
    ["--publish --records 3", /--publish is for the servers with their usual fields and records/],
  ];
  for (const [line, message] of bad) {
    it(`"${line}" is refused`, () => assert.throws(() => parseCommand(words(line)), message));
  }

  const words = (line: string): string[] => line.split(" ").filter((word) => word !== "");
});

interface ServedAnswer {
  readonly entityTag?: string;
  /** In milliseconds: so many requests as a generator can send would only take time from other tests. */
  readonly delay?: number;
}

/** A program that answers everything with this body, or 304 to those that have it, until it is killed. */
const serverThatAnswers = (body: string, { entityTag, delay = 0 }: ServedAnswer = {}): string => `
  import { createServer } from "node:http";
  const fields = ${JSON.stringify({ "Content-Type": "application/json", ...(entityTag && { ETag: entityTag }) })};
  const server = createServer(({ headers }, response) => {
    const isKnown = fields.ETag !== undefined && headers["if-none-match"] === fields.ETag;
    const answer = () => response.writeHead(isKnown ? 304 : 200, fields).end(isKnown ? "" : ${JSON.stringify(body)});
    setTimeout(answer, ${delay});
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;
