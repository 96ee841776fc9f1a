import findMyWay from "find-my-way";
import { TrieRouter } from "hono/router/trie-router";
import { empty, GET, HttpRequest, type HttpResponse, router } from "waymark";
import type { Rounds } from "./measure.ts";
import { type Table, versionOf } from "./report.ts";
import { ratio, summarize } from "./summary.ts";

/** How many routes there are: few, and many. */
const sizes = [10, 10_000] as const;

/** Takes a path, and throws when no route has it. */
type Find = (path: string) => void;

const subjects: Readonly<Record<string, (count: number) => Find>> = {
  waymark: (count) => {
    const app = router(...Array.from({ length: count }, (_, n) => GET(template(n, "{area}", "{thing}"), answer)));
    return (path) => {
      const response = app.handle(HttpRequest.of({ target: path }));
      if (response instanceof Promise || response.status !== 200) throw new Error(`No route takes ${path}`);
    };
  },
  "find-my-way": (count) => {
    const router = findMyWay();
    for (let n = 0; n < count; n++) router.on("GET", template(n, ":area", ":thing"), nothing);
    return (path) => {
      if (router.find("GET", path) === null) throw new Error(`No route takes ${path}`);
    };
  },
  hono: (count) => {
    const router = new TrieRouter<() => void>();
    for (let n = 0; n < count; n++) router.add("GET", template(n, ":area", ":thing"), nothing);
    return (path) => {
      if (router.match("GET", path)[0].length === 0) throw new Error(`No route takes ${path}`);
    };
  },
};

const template = (n: number, area: string, thing: string): string => `/area${n % 100}/${area}/thing${n}/${thing}`;
const answer = (): HttpResponse => ok;
const ok = empty(200);
const nothing = (): void => undefined;

/**
 * Times how the routers find a route, each asked for in turn: waymark with all that `app.handle` does, the others alone. Paths are
 * new strings, as from a parser: of a string that was seen before, V8 knows the hash.
 */
export async function measureRoutes({ rounds }: Rounds): Promise<Table> {
  const times = sizes.map((size) => {
    const finds = Object.entries(subjects).map(([name, make]) => ({ name, find: make(size), taken: [] as number[] }));
    for (let round = 0; round <= rounds; round++) {
      for (const { find, taken } of finds) {
        const nanoseconds = time(find, size);
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
function time(find: Find, size: number): number {
  let taken = 0n;
  for (let made = 0; made < 20_000; made += batch) {
    const paths = Array.from({ length: batch }, (_, i) => {
      // A step that shares no divisor with the sizes comes to every route.
      const n = ((made + i) * 7_919) % size;
      return Buffer.from(template(n, "7", "12"), "latin1").toString("latin1");
    });
    const begun = process.hrtime.bigint();
    for (const path of paths) find(path);
    taken += process.hrtime.bigint() - begun;
  }
  return Number(taken) / 20_000;
}

/** Small enough to stay in the processor's caches, and long enough for the clock. */
const batch = 500;
