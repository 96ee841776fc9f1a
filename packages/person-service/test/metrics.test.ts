import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { serve } from "@waymark/node";
import { AggregatorRegistry, Registry } from "prom-client";
import { HttpRequest, type HttpResponse } from "waymark";
import { newPostgresDatabase } from "../../collection/test/tools/postgres-server.ts";
import { RawConnection } from "../../node/test/tools/raw-connection.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { openPersonService } from "../src/index.ts";
import { addHistogram } from "../src/metrics/figures.ts";
import { serviceMetrics } from "../src/metrics/service-metrics.ts";
import { type ServiceProcess, startService } from "./tools/programs/service-process.ts";

const folder = openFolder("metrics");

/** A line of the text format: a name, labels and a value. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function parseMetrics(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? assert.fail(line);
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text]);
      assert(value === "Nan" || !Number.isNaN(Number(value)), line);
      return { name, labels: Object.fromEntries(pairs), value: Number(value) };
    });
}

const adminOf = (service: ServiceProcess): string =>
  /^metrics on (\S+)\/metrics$/m.exec(service.printed)?.[1] ?? assert.fail(service.printed);

async function scrape(admin: string): Promise<readonly Sample[]> {
  const answer = await fetch(`${admin}/metrics`);
  assert.equal(answer.headers.get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  return parseMetrics(await answer.text());
}

/** Sums the samples of a name with these labels. */
const sum = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((total, { value }) => total + value, 0);

describe("metrics", () => {
  it("have each cause of a refusal, before there is one", async () => {
    const causes = parseMetrics(await serviceMetrics("1.0.0").registry.metrics())
      .filter(({ name }) => name === "http_requests_refused_total")
      .map(({ labels, value }) => [labels["cause"], value]);
    const page = readFileSync(fileURLToPath(new URL("../../../docs/operating.md", import.meta.url)), "utf8");
    const [, table = ""] = /^\| `cause` \|.*\n.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const documented = table.match(/^\| [\w-]+/gm)?.map((cell) => [cell.slice(2), 0]);
    assert.deepEqual(causes, documented);
  });

  it("count what was sent, while it is sent, for this machine only by default", async () => {
    await using service = await startService("--database", folder.newFile(), "--admin", "0");
    const admin = adminOf(service);
    assert.equal(new URL(admin).hostname, "127.0.0.1");
    const headers = { "Content-Type": "application/json" };
    const isOver = { value: false };
    const scraping = (async () => {
      for (let before = 0; !isOver.value; ) {
        const now = sum(await scrape(admin), "http_requests_total");
        assert(now >= before, "a counter went back");
        before = now;
      }
    })();
    let [sent, received] = [0, 0];
    const send = async (status: number, target: string, init?: RequestInit): Promise<void> => {
      const answer = await fetch(`${service.url}${target}`, init);
      assert.equal(answer.status, status);
      received += (await answer.bytes()).length;
    };
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; i < 10; i++) {
        const body = JSON.stringify({ name: `Ada ${client} ${i}` });
        sent += body.length;
        await send(200, "/person", { method: "POST", headers, body });
        await send(200, "/person/1", { headers: { "Accept-Encoding": "identity" } });
        await send(404, `/nothing/${client}/${i}`, { headers: { "Accept-Encoding": "identity" } });
        await send(200, "/person", { method: "HEAD" });
        await send(501, "/person/1", { method: `X${client}${i}`, headers: { "Accept-Encoding": "identity" } });
      }
    });
    await Promise.all(clients);
    isOver.value = true;
    await scraping;
    const samples = await scrape(admin);
    const count = (labels: Readonly<Record<string, string>>): number => sum(samples, "http_requests_total", labels);
    assert.equal(count({ method: "POST", route: "/person", status: "200" }), 40);
    assert.equal(count({ method: "GET", route: "/person/{id}", status: "200" }), 40);
    assert.equal(count({ method: "GET", route: "none", status: "404" }), 40);
    assert.equal(count({ method: "HEAD", route: "/person", status: "200" }), 40);
    assert.equal(count({ method: "other" }), 40);
    assert.equal(count({}), 200);
    assert.equal(sum(samples, "http_request_duration_seconds_count"), 200);
    assert.equal(sum(samples, "http_response_content_bytes_total"), received);
    assert.equal(sum(samples, "http_request_content_bytes_total", { method: "POST", route: "/person" }), sent);
    assert.equal(sum(samples, "http_request_content_bytes_total"), sent);
    assert.equal(sum(samples, "http_requests_in_flight"), 0);
    assert.equal(sum(samples, "store_operation_duration_seconds_count", { operation: "create", outcome: "ok" }), 40);
    assert.equal(sum(samples, "store_commit_changes_sum"), 40);
    assert.equal(sum(samples, "person_service_ready"), 1);
    assert(sum(samples, "sqlite_file_bytes", { file: "database" }) > 0);
    const ready = await fetch(`${admin}/health/ready`);
    assert.deepEqual([ready.status, await ready.text()], [200, "ready"]);
    service.kill("SIGTERM");
    const { code, stderr } = await service.exited;
    assert.deepEqual([code, stderr], [0, ""]);
  });

  it("are there while the database does not answer", async () => {
    const metrics = serviceMetrics("1");
    const { database, followers } = await openPersonService({ database: ":memory:", observers: [metrics.observer] });
    const silent = { ...database, check: () => new Promise<never>(() => undefined) };
    metrics.watch({ database: silent, followers }, () => true);
    assert.equal(sum(parseMetrics(await metrics.registry.metrics()), "person_service_ready"), 0);
    await database.close();
  });

  it("have those who follow changes, and how far they are behind", async () => {
    const metrics = serviceMetrics("1");
    const service = await openPersonService({ database: ":memory:" });
    metrics.watch(service, () => true);
    const figures = async (): Promise<readonly number[]> => {
      const parsed = parseMetrics(await metrics.registry.metrics());
      return ["change_followers", "change_followers_lag_changes"].map((name) => sum(parsed, name));
    };
    const follow = async (Accept: string): Promise<HttpResponse> =>
      service.app.handle(HttpRequest.of({ target: "/person/changes", headers: { Accept, Prefer: "wait=30" } }));
    assert.deepEqual(await figures(), [0, 0]);
    const [slow, quick] = [await follow("text/event-stream"), await follow("text/event-stream")].map(({ body }) =>
      (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator](),
    ); // of an event stream
    // A comment, how soon to ask again, and the place.
    for (let piece = 0; piece < 3; piece++) for (const each of [slow, quick]) await each?.next();
    const waiting = follow("application/json");
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(await figures(), [3, 0]);
    const next = quick?.next();
    for (const name of ["Ada", "Grace"]) await service.people.create({ name });
    await Promise.all([next, waiting]);
    assert.deepEqual(await figures(), [2, 2]);
    for (const each of [slow, quick]) await each?.return?.();
    assert.deepEqual(await figures(), [0, 0]);
    await service.database.close();
  });

  it("count answers from memory as they count others", async () => {
    const metrics = serviceMetrics("1");
    const service = await openPersonService({ database: ":memory:", observers: [metrics.observer] });
    const { body } = await service.people
      .create({ name: "Ada" })
      .then(() => service.app.handle(HttpRequest.of({ target: "/person/1" })));
    const server = await serve(service.app, { answerMemory: 2 ** 20 });
    const connection = new RawConnection(server.port);
    for (let i = 0; i < 9; i++) await connection.request("GET /person/1").response();
    const samples = parseMetrics(await metrics.registry.metrics());
    const route = { route: "/person/{id}" };
    assert.equal(sum(samples, "http_requests_total", { ...route, status: "200" }), 10);
    assert.equal(sum(samples, "http_request_duration_seconds_count", route), 10);
    assert.equal(sum(samples, "http_response_content_bytes_total", route), 10 * Buffer.byteLength(String(body)));
    assert.equal(sum(samples, "http_requests_in_flight"), 0);
    assert(sum(samples, "store_operation_duration_seconds_count", { operation: "find" }) < 5);
    connection.destroy();
    await server.close({ grace: 0 });
    await service.database.close();
  });

  it("count what is as long as the bound of a bucket in that bucket, and in all above it", async () => {
    const registry = new Registry();
    const newSeries = addHistogram(registry, { name: "taken", help: "Time taken", buckets: [0.5, 1] });
    const series = newSeries({ of: "a" });
    for (const value of [0.25, 0.5, 1, 4]) series.observe(value);
    newSeries({ of: "b" });
    const text = await registry.metrics();
    assert.deepEqual(
      text.split("\n").filter((line) => line.includes('"a"')),
      [
        'taken_bucket{le="0.5",of="a"} 2',
        'taken_bucket{le="1",of="a"} 3',
        'taken_bucket{le="+Inf",of="a"} 4',
        'taken_sum{of="a"} 5.75',
        'taken_count{of="a"} 4',
      ],
    );
    const own = await registry.getMetricsAsJSON();
    const both = await AggregatorRegistry.aggregate([own, own]).metrics();
    assert.equal(sum(parseMetrics(both), "taken_bucket", { of: "a", le: "1" }), 6);
  });

  it("have the names that the documentation, the dashboard and the alerts have", async () => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    const names = new Set<string>();
    for (const database of [await newPostgresDatabase(), folder.path("names.db")]) {
      const metrics = serviceMetrics("1");
      const service = await openPersonService({ database, observers: [metrics.observer] });
      metrics.watch({ ...service, webhooks: () => [] }, () => true);
      for (const { name } of await metrics.registry.getMetricsAsJSON()) names.add(name);
      await service.database.close();
    }
    const own = [...names].filter((name) => !/^(?:process|nodejs)_/.test(name)).toSorted();
    const page = readFileSync(join(root, "docs/operating.md"), "utf8");
    const listed = [...page.matchAll(/^\| `(\w+)` \| (?:counter|gauge|histogram) /gm)].map(([, name = ""]) => name);
    assert.deepEqual(listed.toSorted(), own);

    const files = globSync("deploy/{grafana/dashboards/*.json,prometheus/alerts.yml}", { cwd: root });
    const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
    const used = texts.flatMap(
      (text) => text.match(/\b(?:http|store|sqlite|postgres|change|webhook|person_service|process|nodejs)_\w+/g) ?? [],
    );
    assert.equal(files.length, 2);
    assert(used.length > 20);
    const base = (name: string): string => (names.has(name) ? name : name.replace(/_(?:bucket|sum|count)$/, ""));
    assert.deepEqual([...new Set(used.filter((name) => !names.has(base(name))))], []);
  });
});
