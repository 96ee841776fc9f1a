import { availableParallelism, cpus } from "node:os";
import type { DispatchResult } from "./dispatch.ts";
import type { Footprint } from "./footprint.ts";
import type { GrowthResult } from "./growth.ts";
import type { ListResult } from "./list.ts";
import type { Figures } from "./many-people.ts";
import type { OpenLoopResult } from "./open-loop.ts";
import type { OverloadResult } from "./overload.ts";
import type { Costs, PostgresResult } from "./postgres.ts";
import type { RecordsResult } from "./records.ts";
import type { Compared, ContestantResult, ScenarioResult } from "./result.ts";
import type { ScalingResult } from "./scaling.ts";
import type { Ratio, Summary } from "./summary.ts";
import type { TypesResult } from "./types.ts";
import { versionOf } from "./versions.ts";
import type { WritesResult } from "./writes.ts";

/** What the results depend on beside the code. */
export interface Environment {
  readonly processor: string;
  readonly cores: number;
  readonly platform: string;
  /** Node's, and by name those of the packages that are compared. */
  readonly versions: Readonly<Record<string, string>>;
}

export async function describeEnvironment(): Promise<Environment> {
  const packages = ["waymark", "@waymark/person-service", "fastify", "hono", "@hono/node-server"];
  const versions = await Promise.all(packages.map(async (name) => [name, await versionOf(name)] as const));
  return {
    processor: cpus()[0]?.model.trim() ?? "unknown",
    cores: availableParallelism(),
    platform: `${process.platform} ${process.arch}`,
    versions: { node: process.versions.node, ...Object.fromEntries(versions) },
  };
}

/** The results of a scenario for a person to read. */
export function toServersTable({ scenario, request, records, answer, contestants }: ScenarioResult): string {
  const { status, contentType, bytes } = answer;
  const title = `${scenario}: ${request} among ${count(records)}, answered ${status}, ${contentType}, ${bytes} bytes`;
  return `${title}\n\n${toContestantsTable(contestants)}`;
}

/** What servers answer under load, each beside the last, for a person to read. */
export function toContestantsTable(contestants: readonly ContestantResult[]): string {
  const ofFloor = `of ${contestants.at(-1)?.name}`;
  const isMixed = contestants.some(({ p99 }) => p99 !== undefined);
  const slowest = isMixed ? ["99 % within", "min–max"] : [];
  const head = ["", "requests/s", "min–max", ofFloor, "busy", "requests/CPU-s", "min–max", ofFloor, ...slowest];
  const rows = contestants.map(({ name, requestsPerSecond, busy, requestsPerProcessorSecond, p99 }) => [
    name,
    ...toCells(requestsPerSecond),
    busy === undefined ? "?" : percent(busy),
    ...toCells(requestsPerProcessorSecond),
    ...(p99 === undefined ? [] : [`${p99.median.toFixed(1)} ms`, `${p99.min.toFixed(1)}–${p99.max.toFixed(1)}`]),
  ]);
  return toTable([head, ...rows]);
}

/** What speaks against trusting the requests a second of a scenario; empty when nothing does. */
export function doubts({ contestants }: ScenarioResult): readonly string[] {
  // In a mixed load a server may wait for the disk.
  const idle = contestants.filter(({ busy = 1, p99 }) => busy < leastBusy && p99 === undefined);
  if (idle.length === 0) return [];
  const servers = idle.map(({ name, busy = 1 }) => `${name} ${percent(busy)}`).join(", ");
  return [
    `Servers had a core for less than ${percent(leastBusy)} of the time (${servers}): the load generator was slower than they, or other programs took the core. Compare the requests per second of processor time.`,
  ];
}

/** What the servers take before there is load, for a person to read. */
export function toFootprintsTable(footprints: readonly Footprint[]): string {
  const head = [
    "",
    "first answer after",
    "processor time",
    "start after installing",
    "memory",
    "for an idle connection",
  ];
  const milliseconds = (summary: Summary | undefined): string =>
    summary === undefined ? "?" : `${count(summary.median)} ms`;
  const rows = footprints.map(({ name, start, firstStart, processorTime, idleMemory, perConnection }) => [
    name,
    milliseconds(start),
    milliseconds(processorTime),
    milliseconds(firstStart ?? start),
    idleMemory === undefined ? "?" : `${count(idleMemory.median / 1e6)} MB`,
    perConnection === undefined ? "?" : `${(perConnection.median / 1e3).toFixed(1)} kB`,
  ]);
  return toTable([head, ...rows]);
}

/** What sending all records came to, for a person to read. */
export function toListsTable(results: readonly ListResult[]): string {
  const head = ["", "first byte after", "MB/s", "min–max", "memory above idle"];
  const rows = results.map(({ name, firstByte, bytesPerSecond: { median, min, max }, memory }) => [
    name,
    `${firstByte.median.toFixed(1)} ms`,
    count(median / 1e6),
    `${count(min / 1e6)}–${count(max / 1e6)}`,
    memory === undefined ? "?" : `${count(memory.median / 2 ** 20)} MiB`,
  ]);
  return toTable([head, ...rows]);
}

/** What lists cost among more and more people, for a person to read. */
export function toGrowthTable(results: readonly GrowthResult[]): string {
  const sizes = results[0]?.times.map(({ size }) => `${count(size)} people`) ?? [];
  const head = ["milliseconds: first, again", ...sizes];
  const rows = results.map(({ list, times }) => [
    list,
    ...times.map(({ first, again }) => `${first.toFixed(2)}, ${again.toFixed(2)}`),
  ]);
  return toTable([head, ...rows]);
}

/** The results for routes of each kind, for a person to read. */
export function toDispatchTable(results: readonly DispatchResult[]): string {
  const sizes = results[0]?.times.map(({ size }) => `${count(size)} routes`) ?? [];
  const head = ["", "different requests", ...sizes.map((size) => `${size}, ns (min–max)`), "growth"];
  const rows = results.map(({ routes, differentRequests, times, growth }) => [
    routes,
    count(differentRequests),
    ...times.map(({ median, min, max }) => `${count(median)} (${count(min)}–${count(max)})`),
    growth.toFixed(2),
  ]);
  return toTable([head, ...rows]);
}

/** What the compiler takes, for a person to read. */
export function toTypesTable(results: readonly TypesResult[]): string {
  const rows = results.map(({ name, processorTime: { median, min, max }, ofUntyped, instantiations }) => [
    name,
    `${median.toFixed(2)} s`,
    `${min.toFixed(2)}–${max.toFixed(2)}`,
    ofUntyped.toFixed(2),
    count(instantiations),
  ]);
  return toTable([["", "processor", "min–max", "of untyped", "instantiations"], ...rows]);
}

/** What is answered under load, for a person to read. */
export function toOverloadTable(results: readonly OverloadResult[]): string {
  const head = ["", "", "load", "answered in time/s", "min–max", "of the peak", "99 % of them within", "refused"];
  const rows = results.map(({ bottleneck, bounded, load, goodput, ofPeak, slowest, refused }) => [
    bottleneck,
    bounded ? "with overload" : "without",
    `${load} ×`,
    ...rateOf(goodput),
    ofPeak.toFixed(2),
    slowest === undefined ? "" : `${count(slowest)} ms`,
    percent(refused),
  ]);
  return toTable([head, ...rows]);
}

/** How long users wait, for a person to read. */
export function toOpenLoopTable(results: readonly OpenLoopResult[]): string {
  const head = ["", "load", "requests/s", "50 % within", "99 %", "99.9 %", "half of POST"];
  const rows = results.map(({ contestant, load, perSecond, p50, p99, p999, post }) => [
    contestant,
    percent(load),
    count(perSecond),
    ...[p50, p99, p999, post].map((time) => `${time.toFixed(1)} ms`),
  ]);
  return toTable([head, ...rows]);
}

/** What writing came to, for a person to read. */
export function toWritesTable(result: WritesResult): string {
  const { grouped, each, gain, against, readsAlone, readsUnderWrites, writesUnderReads, readsKept } = result;
  const rates = toTable([
    ["", "requests/s", "min–max", "ratio"],
    ["POST, commits that are shared", ...rateOf(grouped), gain.toFixed(2)],
    ["POST, a commit for each", ...rateOf(each), "1.00"],
    ...(against === undefined
      ? []
      : [["POST, the other checkout", ...rateOf(against), (against.median / each.median).toFixed(2)]]),
    ["GET alone", ...rateOf(readsAlone), "1.00"],
    ["GET under full write load", ...rateOf(readsUnderWrites), readsKept.toFixed(2)],
    ["POST meanwhile", ...rateOf(writesUnderReads), ""],
  ]);
  const megabytes = (memory: Summary | undefined): string => (memory ? `${count(memory.median / 1e6)} MB` : "?");
  const { idleMemory, loadedMemory, bytesPerRecord } = result;
  return [
    rates,
    "",
    `resident memory: ${megabytes(idleMemory)} once started, ${megabytes(loadedMemory)} after the writes`,
    `the file has ${count(bytesPerRecord)} bytes for each person sent as 100`,
  ].join("\n");
}

/** What requests take on PostgreSQL, for a person to read. */
export function toPostgresTable(results: readonly PostgresResult[]): string {
  const head = ["µs of a processor", "connections", "ours", "PostgreSQL", "bare", "PostgreSQL", "of bare"];
  const rows = results.map(({ requests, connections, ours, bare }) => [
    requests,
    `${connections}`,
    ...[ours, bare].flatMap(({ service, database }) => [service.median.toFixed(0), database.median.toFixed(0)]),
    (totalOf(bare) / totalOf(ours)).toFixed(2),
  ]);
  return toTable([head, ...rows]);
}

const totalOf = ({ service, database }: Costs): number => service.median + database.median;

/** What more processes and another database came to, for a person to read. */
export function toScalingTable(results: readonly ScalingResult[]): string {
  const head = ["", "GET/s", "min–max", "ratio", "POST/s", "min–max", "ratio"];
  const rows = results.map(({ name, reads, writes }) => [name, ...withRatio(reads), ...withRatio(writes)]);
  return toTable([head, ...rows]);
}

/** What the number of records costs, for a person to read. */
export function toRecordsTable(results: readonly RecordsResult[]): string {
  const head = ["records", "GET/s", "min–max", "ratio", "pages/s", "min–max", "ratio", "idle", "loaded", "bytes each"];
  const megabytes = (bytes: number | undefined): string => (bytes === undefined ? "?" : `${count(bytes / 1e6)} MB`);
  const rows = results.map(({ records, item, page, idleMemory, loadedMemory, bytesPerRecord }) => [
    count(records),
    ...withRatio(item),
    ...withRatio(page),
    megabytes(idleMemory),
    megabytes(loadedMemory),
    count(bytesPerRecord),
  ]);
  return toTable([head, ...rows]);
}

/** The figures of databases of many people for a person to read, a column for each. */
export function toManyPeopleTable(databases: readonly { readonly name: string; readonly figures: Figures }[]): string {
  const milliseconds = (value: number | undefined): string => {
    if (value === undefined || Number.isNaN(value)) return "–";
    if (value >= 10_000) return `${count(value / 1000)} s`;
    return `${value.toFixed(value < 10 ? 1 : 0)} ms`;
  };
  const gigabytes = (bytes: number | undefined): string =>
    bytes === undefined ? "–" : `${(bytes / 1e9).toFixed(2)} GB`;
  const kinds = [...new Set(databases.flatMap(({ figures }) => Object.keys(figures.requests)))];
  const rows: readonly [string, (figures: Figures) => string][] = [
    ["size", ({ bytes }) => gigabytes(bytes)],
    ["memory of the service", ({ memory }) => gigabytes(memory)],
    ...["fill", "vacuum", "copy", "migrate"].flatMap((step): [string, (figures: Figures) => string][] => [
      [step, ({ steps }) => milliseconds((steps[step]?.seconds ?? Number.NaN) * 1000)],
      [`${step}, processor`, ({ steps }) => milliseconds((steps[step]?.processorSeconds ?? Number.NaN) * 1000)],
    ]),
    ...kinds.flatMap((kind): [string, (figures: Figures) => string][] => [
      [`${kind}, median`, ({ requests }) => milliseconds(requests[kind]?.median)],
      [`${kind}, slowest`, ({ requests }) => milliseconds(requests[kind]?.max)],
      [`${kind}, processor`, ({ requests }) => milliseconds(requests[kind]?.processor)],
    ]),
  ];
  const head = ["", ...databases.map(({ name }) => name)];
  return toTable([head, ...rows.map(([name, cell]) => [name, ...databases.map(({ figures }) => cell(figures))])]);
}

/** The median, and the least and the greatest. */
const rateOf = ({ median, min, max }: Summary): readonly string[] => [count(median), `${count(min)}–${count(max)}`];

const withRatio = (rate: Ratio): readonly string[] => [...rateOf(rate), rate.ratio.toFixed(2)];

// A server that waits for requests is no longer measured; the processor time has steps of 10 ms.
const leastBusy = 0.95;

const toCells = (compared: Compared | undefined): readonly string[] =>
  compared === undefined ? ["?", "?", "?"] : [...rateOf(compared), compared.ofFloor.toFixed(3)];

const percent = (share: number): string => `${Math.round(share * 100)} %`;

const count = (value: number): string => Math.round(value).toLocaleString("en-US");

/** Columns, the first aligned to the left and the others to the right. */
function toTable(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  return rows
    .map((row) => row.map((cell, i) => (i === 0 ? cell.padEnd(width(i)) : cell.padStart(width(i)))).join("  "))
    .join("\n");
}
