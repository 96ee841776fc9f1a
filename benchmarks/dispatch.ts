import { type App, accept, empty, GET, group, HttpRequest, type HttpResponse, type Route, router } from "waymark";
import { type Summary, summarize } from "./summary.ts";

export interface DispatchOptions {
  /** The numbers of routes that are compared, the smaller first; each at least 10. */
  readonly sizes: readonly [few: number, many: number];
  /** At least 1. */
  readonly rounds: number;
  /** How many requests each router answers in a round: a multiple of 500. */
  readonly requests: number;
}

/** What it costs to find one of few and one of many routes. */
export interface DispatchResult {
  /** What the routes are like. */
  readonly routes: string;
  /** How many different requests were made in turn, spread over all of the routes; the same number at both sizes. */
  readonly differentRequests: number;
  /** Nanoseconds a request, by the number of routes in ascending order. */
  readonly times: readonly (Summary & { readonly size: number })[];
  /** The median with many routes as a share of the one with few: 1 is no growth. */
  readonly growth: number;
}

/**
 * Times `app.handle` alone, without a server, on few and on many routes of each kind; the routers take turns. Every kind is
 * timed twice. With as many different requests as there are few routes, what is looked at stays in the processor's caches,
 * and growth is the work's; with as many as there are many routes it does not, and growth is the memory's too.
 */
export function measureDispatch(options: DispatchOptions): readonly DispatchResult[] {
  return options.sizes.flatMap((differentRequests) =>
    routeSets.map((set) => measureSet(set, differentRequests, options)),
  );
}

/** Routes that there can be any number of. */
interface RouteSet {
  readonly name: string;
  /** The nth of the equal parts that it is made of. */
  readonly unit: (n: number) => Route;
  readonly routesPerUnit: number;
  /** A path that the last route of that part takes. */
  readonly path: (n: number) => string;
}

const handler = (): HttpResponse => answer;
const answer = empty(200);

const routeSets: readonly RouteSet[] = [
  {
    name: "static paths",
    unit: (n) => GET(`/area${n % 100}/thing${n}`, handler),
    routesPerUnit: 1,
    path: (n) => `/area${n % 100}/thing${n}`,
  },
  {
    name: "paths with variables",
    unit: (n) => GET(`/area${n % 100}/{area}/thing${n}/{thing}`, handler),
    routesPerUnit: 1,
    path: (n) => `/area${n % 100}/7/thing${n}/12`,
  },
  {
    // A variable beside a literal in nested groups: the index looks into both, the first route refuses, the last takes it.
    name: "both, in groups",
    unit: (n) =>
      group(
        `/area${n}`,
        GET("/news", handler),
        group(
          "/{section}",
          accept("text/html"),
          GET("/first", handler),
          GET("/{thing}/details", handler),
          GET("/{thing}", handler),
        ),
        GET("/news/{item}", accept("application/json"), handler),
      ),
    routesPerUnit: 5,
    path: (n) => `/area${n}/news/latest`,
  },
];

function measureSet(
  set: RouteSet,
  differentRequests: number,
  { sizes, rounds, requests }: DispatchOptions,
): DispatchResult {
  const subjects = sizes.map((size) => toSubject(set, size, differentRequests));
  // As in a server that has run for a while: compiled, and what is kept has been made.
  for (const subject of subjects) time(subject, requests);
  for (let round = 0; round < rounds; round++) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      subject.times.push(time(subject, requests));
    }
  }
  const times = subjects.map(({ size, times }) => ({ size, ...summarize(times) }));
  const [few, many] = times.map(({ median }) => median) as [number, number]; // There are two sizes.
  return { routes: set.name, differentRequests, times, growth: many / few };
}

interface Subject {
  readonly size: number;
  readonly handle: App["handle"];
  /** The paths of the requests, in Latin-1. */
  readonly paths: readonly Buffer[];
  /** Nanoseconds a request, of each round. */
  readonly times: number[];
}

function toSubject(set: RouteSet, size: number, differentRequests: number): Subject {
  const units = Math.ceil(size / set.routesPerUnit);
  const { handle } = router(...Array.from({ length: units }, (_, n) => set.unit(n)));
  const paths = Array.from({ length: differentRequests }, (_, i) => {
    const n = Math.round((i * (units - 1)) / (differentRequests - 1));
    return Buffer.from(set.path(n), "latin1");
  });
  for (const path of paths) {
    const response = handle(toRequest(path));
    if (response instanceof Promise || response.status !== 200) throw new Error(`No route takes ${path}`);
  }
  return { size, handle, paths, times: [] };
}

/** The path is a new string each time, as from a parser: of a string that was seen before, V8 knows the hash and the parts. */
function toRequest(path: Buffer): HttpRequest {
  return HttpRequest.of({ target: path.toString("latin1"), headers: { Accept: "application/json" } });
}

/** Nanoseconds for each of so many requests, which are made in batches outside the time that is taken. */
function time({ handle, paths }: Subject, count: number): number {
  let taken = 0n;
  for (let made = 0; made < count; made += batchSize) {
    const batch = Array.from({ length: batchSize }, (_, i) => toRequest(paths[(made + i) % paths.length] as Buffer));
    const start = process.hrtime.bigint();
    for (const request of batch) handle(request);
    taken += process.hrtime.bigint() - start;
  }
  return Number(taken) / count;
}

// Small enough to stay in the processor's caches, and long enough for the clock.
const batchSize = 500;
