import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import type { Load, LoadGenerator } from "./load.ts";
import { measureOverload } from "./overload.ts";
import { findPlacement } from "./placement.ts";
import { measurePostgres } from "./postgres.ts";
import { measureRecords } from "./records.ts";
import { toOverloadTable, toPostgresTable, toRecordsTable, toScalingTable, toWritesTable } from "./report.ts";
import { ResponseReader } from "./response-reader.ts";
import { measureScaling } from "./scaling.ts";
import { measureWrites } from "./writes.ts";

// Nothing here says how long anything may take: the benchmark finds that out.

describe("the measurement of writes", () => {
  it("stores people by shared commits and by a commit each, then reads one, also during writes", async () => {
    const directory = await mkdtemp(join(tmpdir(), "benchmark-test-"));
    const { asked, run } = recorder();
    try {
      const result = await measureWrites({
        loadGenerator: { name: "wrk", version: "0", run },
        directory,
        rounds: 1,
        seconds: 1,
        warmUp: 0,
        connections: 1,
        records: 1000,
        against: join(import.meta.dirname, ".."),
        signal: new AbortController().signal,
      });
      assert.deepEqual(asked.slice(0, 2), ["POST /person 200", "GET /person/1 200"]);
      assert.deepEqual(asked.slice(2, 4).sort(), ["GET /person/1 200", "POST /person 200"]);
      assert.deepEqual(asked.slice(4), ["POST /person 200", "POST /person 200"]);
      assert.equal(result.gain, 1 / 5);
      assert.equal(result.against?.median, 6);
      assert.ok(result.bytesPerRecord > 100);
      assert.match(toWritesTable(result), /^POST, commits that are shared +1 +1–1 +0\.20$/m);
      assert.deepEqual(await readdir(directory), []);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describe("the measurement of PostgreSQL", () => {
  it("reads people and pages of ours and of bare, whose answers are alike, and stores one", async () => {
    const answers = new Map<string, string[]>();
    const run = async ({ url, json, targets: [target] = [""] }: Load): Promise<number> => {
      const init =
        json === undefined ? {} : { method: "POST", body: json, headers: { "Content-Type": "application/json" } };
      const response = await fetch(url + target, init);
      const answer = `${response.status} ${await response.text()}`;
      const request = `${init.method ?? "GET"} ${target}`;
      answers.set(request, [...(answers.get(request) ?? []), answer]);
      return 1;
    };
    const results = await measurePostgres({
      loadGenerator: { name: "wrk", version: "0", run },
      records: 200,
      rounds: 1,
      seconds: 1,
      warmUp: 0,
      connections: 1,
      signal: new AbortController().signal,
    });
    assert.equal(answers.size, 6);
    for (const [request, all] of answers) assert.deepEqual([...new Set(all)], [all[0]], request);
    for (const all of answers.values()) assert.match(all[0] ?? "", /^200 /);
    assert.match(toPostgresTable(results), /^pages at cursors +16 /m);
  });
});

describe("the measurements of growth", () => {
  let directory = "";
  let asked: string[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "benchmark-test-"));
    asked = [];
  });

  afterEach(async () => {
    assert.deepEqual(await readdir(directory), []);
    await rm(directory, { recursive: true, force: true });
  });

  const run = async ({ url, json, targets = [""] }: Load): Promise<number> => {
    const init =
      json === undefined ? {} : { method: "POST", body: json, headers: { "Content-Type": "application/json" } };
    const asks = targets.slice(0, 2).map((target) => new URL(target, url));
    const [{ status }] = (await Promise.all(asks.map((each) => fetch(each, init)))) as [Response]; // of the first
    const { pathname, search } = asks.at(-1) as URL; // there is one
    return asked.push(`${init.method ?? "GET"} ${pathname}${search} ${status}`);
  };
  const options = () => ({
    loadGenerator: { name: "wrk", version: "0", run } as const,
    directory,
    rounds: 1,
    seconds: 1,
    warmUp: 0,
    connections: 2,
    signal: new AbortController().signal,
  });

  it("store and read on SQLite, with workers, and on PostgreSQL with one instance, two, and four in partitions", async () => {
    const results = await measureScaling({ ...options(), against: join(import.meta.dirname, "..") });
    const ofOne = ["POST /person 200", "GET /person/1 200"];
    const ofTwo = ofOne.flatMap((request) => [request, request]);
    const ofFour = ofOne.flatMap((request) => [request, request, request, request]);
    assert.deepEqual(asked, [...ofOne, ...ofOne, ...ofOne, ...ofTwo, ...ofFour, ...ofFour, ...ofFour]);
    assert.deepEqual(
      results.map(({ reads, writes }) => [reads.ratio, writes.ratio]),
      [
        [1, 1],
        [2, 3],
        [3, 5],
        [9.5, 15],
        [33, 50],
        [49, 82],
        [65, 114],
      ],
    );
    assert.match(toScalingTable(results), /^SQLite, two workers +4 +4–4 +2\.00 +3 +3–3 +3\.00$/m);
  });

  it("read a record and a page among few and many", async () => {
    const keep = join(directory, "kept");
    const measureAgain = () => measureRecords({ ...options(), sizes: [100, 1000], keep });
    const results = await measureAgain();
    const page = (familyName: string) => `GET /person?sort=familyName&limit=50&familyName[ge]=${familyName} 200`;
    const all = ["GET /person/62 200", page("Wirth-62"), "GET /person/619 200", page("Liskov-619")];
    assert.deepEqual(asked, all);
    assert.ok(results.every(({ bytesPerRecord }) => bytesPerRecord > 500));
    assert.match(toRecordsTable(results), /^1,000 +3 +3–3 +3\.00 +4 +4–4 +2\.00 /m);
    const made = await stat(join(keep, "people-1000.db"));
    await measureAgain();
    assert.deepEqual(asked, [...all, ...all]);
    assert.equal((await stat(join(keep, "people-1000.db"))).birthtimeMs, made.birthtimeMs, "it was made again");
    await rm(keep, { recursive: true });
  });
});

describe("the overload measurement", () => {
  it("loads servers ten times over, with the filter and without", async () => {
    const results = await measureOverload({
      loads: [10],
      rounds: 1,
      seconds: 0.3,
      warmUp: 0.1,
      placement: await findPlacement(),
      signal: new AbortController().signal,
    });
    assert.deepEqual(
      results.map(({ bottleneck, load, bounded }) => [bottleneck, load, bounded]),
      ["waiting", "computing"].flatMap((bottleneck) => [true, false].map((bounded) => [bottleneck, 10, bounded])),
    );
    // Only the filter refuses.
    for (const { bounded, refused } of results) if (!bounded) assert.equal(refused, 0);
    assert.match(toOverloadTable(results), /^computing +with overload +10 ×/m);
  });

  it("knows where an answer ends, with a length and in chunks, however it comes", () => {
    const fields = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    const answers = [
      `${fields}Content-Length: 5\r\n\r\nhello`,
      `${fields}content-length: 0\r\n\r\n`,
      `${fields}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
      `${fields}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1\r\n\r\nx",
    ];
    for (const size of [1, 7, 1000]) {
      const reader = new ResponseReader();
      const statuses = answers.map((answer) => {
        const pieces = answer.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        const ends = pieces.map((piece) => reader.read(Buffer.from(piece, "latin1")));
        assert.ok(ends.slice(0, -1).every((status) => status === undefined));
        return ends.at(-1);
      });
      assert.deepEqual(statuses, [200, 200, 200, 200, 503]);
    }
  });
});

/** Makes a load that is one request, which it writes down; the number of requests so far stands for those of a second. */
function recorder(): { readonly asked: readonly string[]; readonly run: LoadGenerator["run"] } {
  const asked: string[] = [];
  const run = async ({ url, json }: Load): Promise<number> => {
    const method = json === undefined ? "GET" : "POST";
    const init = json === undefined ? {} : { body: json, headers: { "Content-Type": "application/json" } };
    const { status } = await fetch(url, { method, ...init });
    return asked.push(`${method} ${new URL(url).pathname} ${status}`);
  };
  return { asked, run };
}
