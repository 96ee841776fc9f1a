import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { after, before, describe, it } from "node:test";
import { makeDatabase, type TemporaryDatabase } from "./database.ts";
import { measureList } from "./list.ts";
import { byWrk, isInstalled, type LoadGenerator } from "./load.ts";
import { type MeasureOptions, measureRow, type RowResult } from "./measure.ts";
import { anywhere } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import { toPublished, toSharesTable, toText, withFigures } from "./report.ts";
import { everybody, mixed, onePerson, spread } from "./requests.ts";
import { measureRoutes } from "./routes.ts";
import { type Row, rows } from "./rows.ts";
import { summarize } from "./summary.ts";

// Nothing here says how long anything may take: a benchmark finds that out.

const people = 1_000;
const hasWrk = await isInstalled("wrk");

/** Sends the first requests once each, one after the other. */
const once: LoadGenerator = async ({ url, requests }) => {
  for (const { target, fields, json } of requests.slice(0, 3)) {
    const content = json === undefined ? {} : { "Content-Type": "application/json" };
    const headers = { ...fields, ...content };
    const answer = await fetch(url + target, { headers, ...(json !== undefined && { method: "POST", body: json }) });
    assert.equal(answer.status, 200);
    await answer.arrayBuffer();
  }
  return { requestsPerSecond: requests.length, p99: 1 };
};
const [first] = rows as [Row, ...Row[]]; // of many
const nothing: LoadGenerator = async () => ({ requestsPerSecond: 1, p99: undefined });

describe("a benchmark", () => {
  let database: TemporaryDatabase;
  let options: MeasureOptions;
  before(async () => {
    database = await makeDatabase(tmpdir(), people);
    const { signal } = new AbortController();
    const rounds = { rounds: 1, seconds: 1, warmUp: 0 };
    options = { ...rounds, database: database.file, people, generate: once, placement: anywhere, signal };
  });
  after(() => database[Symbol.asyncDispose]());

  for (const row of rows) {
    it(`compares servers that answer alike: ${row.name}`, async () => {
      // fetch knows no HTTP/2; that the servers answer alike is asked by HTTP/1.1 there.
      const generate = row.group === "http2" ? nothing : once;
      const { servers } = await measureRow(row, { ...options, generate });
      assert.deepEqual(
        servers.map(({ name, rounds }) => [name, rounds.length]),
        row.servers.map((name) => [name, 1]),
      );
    });
  }

  it("refuses to compare servers that do not", async () => {
    const row: Row = { ...first, name: "missing", requests: () => [{ target: "/nothing", fields: {} }] };
    await assert.rejects(measureRow(row, { ...options, generate: nothing }), /missing: ours answers 404/);
  });

  it("puts load on a server by wrk", { skip: !hasWrk && "wrk is not installed" }, async () => {
    const row = rows.find(({ name }) => name === "everybody in turn");
    assert.ok(row);
    const { servers } = await measureRow({ ...row, servers: ["bare"] }, { ...options, generate: byWrk });
    assert.ok(Number(servers[0]?.rounds[0]?.requestsPerSecond) > 0);
    assert.ok(Number(servers[0]?.rounds[0]?.p99) > 0);
  });

  it("lists everybody, finds routes, and measures PostgreSQL", async () => {
    const list = await measureList(options);
    assert.deepEqual(list.map(([name]) => name).slice(1), ["ours", "fastify"]);
    const routes = await measureRoutes(options);
    assert.deepEqual(routes.map(([name]) => name).slice(1), ["waymark", "find-my-way", "hono"]);
    const postgres = await measurePostgres(options);
    assert.equal(postgres.length, 1 + 6 * 2);
  });
});

describe("the requests of a benchmark", () => {
  it("come to everybody before they come back, and from all over", () => {
    assert.equal(new Set(spread(people, people)).size, people);
    assert.deepEqual(new Set(everybody(people).map(({ target }) => target)).size, people);
    assert.equal(new Set(spread(20_000, 1_000)).size, 1_000);
  });

  it("of the mixed load are 90 reads, 9 pages and a POST", () => {
    const kinds = mixed.map(({ target, json }) => (json === undefined ? target : "POST"));
    const counts = Object.entries(Object.groupBy(kinds, (kind) => kind)).map(([kind, of]) => [kind, of?.length]);
    assert.deepEqual(Object.fromEntries(counts), { "/person/1": 90, "/person?limit=20": 9, POST: 1 });
    assert.equal(onePerson.length, 1);
  });
});

describe("the report of a benchmark", () => {
  const timing = (requestsPerSecond: number) => ({ requestsPerSecond, requestsPerProcessorSecond: undefined, p99: 2 });
  const result: RowResult = {
    row: "one person",
    group: "reads",
    servers: [
      { name: "ours", rounds: [timing(300), timing(100), timing(200)] },
      { name: "bare", rounds: [timing(100)] },
    ],
  };

  it("has the medians, and shares of the last server", () => {
    assert.deepEqual(toSharesTable([result])[1], ["one person", "ours", "200", "100–300", "2.00", "–", "1.00"]);
    assert.match(toText(toSharesTable([result])), /^ {12}bare/m);
    assert.deepEqual(summarize([3, undefined, 1]), { median: 2, min: 1, max: 3 });
    assert.equal(summarize([undefined]), undefined);
  });

  it("is written where a page has a place for it", () => {
    const page = "before\n<!-- npm run bench -- --publish -->\nold\n<!-- end -->\nafter";
    const figures = toPublished([result]);
    assert.equal(
      withFigures(page, figures),
      page.replace("old\n", () => figures),
    );
    assert.throws(() => withFigures("no place", figures), RangeError);
  });
});
