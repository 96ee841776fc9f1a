import findMyWay from "find-my-way";
import { TrieRouter } from "hono/router/trie-router";
import { empty, GET, HttpRequest, type HttpResponse, router } from "waymark";
import type { Rounds } from "./measure.ts";
import { type Table, versionOf } from "./report.ts";
import { ratio, summarize } from "./summary.ts";

/** How many routes there are: few, and many. */
const sizes = [10, 10_000] as const;

/** Takes paths, and returns what finds the route of each; it throws when no route has one. */
type Prepare = (paths: readonly string[]) => () => void;

const subjects: Readonly<Record<string, (count: number) => Prepare>> = {
  waymark: (count) => {
    const app = router(...Array.from({ length: count }, (_, n) => GET(template(n, "{area}", "{thing}"), answer)));
    return (paths) => {
      const requests = paths.map((target) => HttpRequest.of({ target }));
      return () => {
        for (const request of requests) {
          const response = app.handle(request);
          if (response instanceof Promise || response.status !== 200) throw new Error(`No route takes ${request.path}`);
        }
      };
    };
  },
  "find-my-way": (count) => {
    const router = findMyWay();
    for (let n = 0; n < count; n++) router.on("GET", template(n, ":area", ":thing"), nothing);
    return each((path) => router.find("GET", path) !== null);
  },
  hono: (count) => {
    const router = new TrieRouter<() => void>();
    for (let n = 0; n < count; n++) router.add("GET", template(n, ":area", ":thing"), nothing);
    return each((path) => router.match("GET", path)[0].length > 0);
  },
};

const each =
  (finds: (path: string) => boolean): Prepare =>
  (paths) =>
  () => {
    for (const path of paths) if (!finds(path)) throw new Error(`No route takes ${path}`);
  };

const template = (n: number, area: string, thing: string): string => `/area${n % 100}/${area}/thing${n}/${thing}`;
const answer = (): HttpResponse => ok;
const ok = empty(200);
const nothing = (): void => undefined;

/**
 * Times how the routers find a route, each asked for in turn: waymark with all that `app.handle` does, from a request to its
 * response, the others alone. Paths are new strings, as from a parser: of a string that was seen before, V8 knows the hash.
 */
export async function measureRoutes({ rounds }: Rounds): Promise<Table> {
  const times = sizes.map((size) => {
    const finds = Object.entries(subjects).map(([name, make]) => ({
      name,
      prepare: make(size),
      taken: [] as number[],
    }));
    for (let round = 0; round <= rounds; round++) {
      for (const { prepare, taken } of finds) {
        const nanoseconds = time(prepare, size);
        if (round > 0) taken.push(nanoseconds); // the first is a warm-up
      }
    }
    return new Map(finds.map(({ name, taken }) => [name, summarize(taken)]));
  });
  const rows = Object.keys(subjects).map((name) => {
    const [few, many] = times.map((of) => of.get(name));
    return [name, ...[few, many].map((of) => `${Math.round(of?.median ?? Number.NaN)} ns`), ratio(many, few)];
  });
  const versions = await Promise.all(["find-my-way", "hono"].map(async (name) => `${name} ${await versionOf(name)}`));
  return [[`one of many routes (${versions.join(", ")})`, "of 10", "of 10,000", "growth"], ...rows];
}

/** Nanoseconds a path, of 20,000 that are made in batches outside the time that is taken. */
function time(prepare: Prepare, size: number): number {
  let taken = 0n;
  for (let made = 0; made < 20_000; made += batch) {
    const paths = Array.from({ length: batch }, (_, i) => {
      // A step that shares no divisor with the sizes comes to every route.
      const n = ((made + i) * 7_919) % size;
      return Buffer.from(template(n, "7", "12"), "latin1").toString("latin1");
    });
    const find = prepare(paths);
    const begun = process.hrtime.bigint();
    find();
    taken += process.hrtime.bigint() - begun;
  }
  return Number(taken) / 20_000;
}

/** Small enough to stay in the processor's caches, and long enough for the clock. */
const batch = 500;
