import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request as sendOverHttp } from "node:http";
import { describe, it } from "node:test";
import { Worker } from "node:worker_threads";
import { toNodeListener } from "@waymark/node";
import fc from "fast-check";
import { type App, type Awaitable, GET, group, HttpRequest, ok, router, text } from "waymark";
import { cors, rateLimit } from "waymark/filters";
import type { RateLimitOptions } from "../../../src/filters/limits/rate-limit.ts";
import { ask, asked } from "../../tools/ask.ts";
import { openFolder } from "../../tools/folder.ts";

/** A clock that is set by hand; in seconds. */
function clock(): { readonly now: () => number; wait(seconds: number): void } {
  let time = 1_000_000;
  return {
    now: () => time,
    wait(seconds) {
      time += seconds * 1000;
    },
  };
}

const appWith = (options: Partial<RateLimitOptions> = {}): App =>
  router(
    { filters: [rateLimit({ limit: 2, window: 60, ...options })] },
    GET("/now", () => text("now")),
    GET("/later", async () => text("later")),
  );

describe("rateLimit", () => {
  for (const line of ["GET /now", "GET /later", "HEAD /now", "GET /nowhere"]) {
    it(`grants ${line} as often as it says, and reports what is left`, async () => {
      const { now, wait } = clock();
      const app = appWith({ limiter: rateLimit.inMemory({ limit: 2, window: 60, now }) });
      const policy = ["RateLimit-Policy", '"default";q=2;w=60'];
      for (const round of [1, 2]) {
        const first = await ask(app, line);
        assert.equal(first.status, line.endsWith("nowhere") ? 404 : 200);
        assert.deepEqual(first.headers.flat.slice(-4), [...policy, "RateLimit", '"default";r=1;t=60']);
        wait(20.5);
        assert.equal((await ask(app, line)).header("RateLimit"), '"default";r=0;t=40');
        const { status, headers, problem } = await ask(app, line);
        assert.equal(status, 429, `round ${round}`);
        const limits = ["Retry-After", "40", ...policy, "RateLimit", '"default";r=0;t=40'];
        assert.deepEqual(headers.flat.slice(-6), limits);
        assert.equal(headers.get("Cache-Control"), "no-store");
        assert.equal(problem?.type, "/problems/quota-exceeded");
        assert.deepEqual(problem?.["violated-policies"], ["default"]);
        // Who does as the fields say is not refused again.
        wait(Number(headers.get("Retry-After")));
      }
    });
  }

  it("waits for a limiter that is elsewhere, and reports the limit that it grants", async () => {
    const limiter: rateLimit.Limiter = {
      consume: async (key) => ({ allowed: key === "gold", limit: 9, remaining: 3, resetSeconds: 0 }),
    };
    const app = appWith({ limiter, key: (request) => request.header("X-Key") });
    const granted = await ask(app, "GET /now", { "X-Key": "gold" });
    assert.deepEqual([granted.status, granted.header("RateLimit-Policy")], [200, '"default";q=9;w=60']);
    const refused = await ask(app, "GET /now", { "X-Key": "tin" });
    // Zero would have the client come back at once.
    assert.deepEqual([refused.status, refused.header("Retry-After")], [429, "1"]);
  });

  it("counts each key separately, and no requests without a key", async () => {
    const app = appWith({ limit: 1, key: (request) => request.header("X-Key") });
    assert.equal((await ask(app, "GET /now", { "X-Key": "a" })).status, 200);
    assert.equal((await ask(app, "GET /now", { "X-Key": "a" })).status, 429);
    assert.equal((await ask(app, "GET /now", { "X-Key": "b" })).status, 200);
    for (let i = 0; i < 3; i++) {
      const { status, headers } = await ask(app, "GET /now");
      assert.deepEqual([status, headers.has("RateLimit")], [200, false]);
    }
  });

  it("has a policy for each filter, and stays synchronous", () => {
    const app = router(
      { filters: [rateLimit({ limit: 9, window: 3600, name: "hourly" })] },
      group(
        "/scarce",
        rateLimit({ limit: 1, window: 1, name: "burst" }),
        GET(() => text("now")),
      ),
    );
    const response = app.handle(asked("GET /scarce"));
    assert.ok(!(response instanceof Promise));
    assert.equal(response.header("RateLimit-Policy"), '"burst";q=1;w=1, "hourly";q=9;w=3600');
    assert.equal(response.header("RateLimit"), '"burst";r=0;t=1, "hourly";r=8;t=3600');
  });

  it("does not count pre-flights behind cors, whose fields its refusals have", async () => {
    const page = "https://app.example.com";
    const app = router(
      { filters: [cors({ origins: [page] }), rateLimit({ limit: 1, window: 60 })] },
      GET("/now", () => text("now")),
    );
    const preflight = { Origin: page, "Access-Control-Request-Method": "GET" };
    for (let i = 0; i < 3; i++) assert.equal((await ask(app, "OPTIONS /now", preflight)).status, 204);
    assert.equal((await ask(app, "GET /now", { Origin: page })).status, 200);
    const refused = await ask(app, "GET /now", { Origin: page });
    assert.equal(refused.status, 429);
    assert.equal(refused.header("Access-Control-Allow-Origin"), page);
  });

  for (const [options, error] of [
    [{ limit: 0 }, RangeError],
    [{ limit: 1.5 }, RangeError],
    [{ window: 0 }, RangeError],
    [{ window: Number.POSITIVE_INFINITY }, RangeError],
    [{ name: 'a"b' }, TypeError],
    [{ name: "" }, TypeError],
  ] as const) {
    it(`refuses ${JSON.stringify(options)}`, () => assert.throws(() => appWith(options), error));
  }
});

describe("rateLimit.clientKey", () => {
  const keyOf = (address: string): string => rateLimit.clientKey(HttpRequest.of({ client: { address } }));
  for (const [address, key] of [
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:db8:1:2::", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
  ] as const) {
    it(`is ${key} for ${address}`, () => assert.equal(keyOf(address), key));
  }

  it("is one for requests that a program makes by hand", () => {
    assert.equal(rateLimit.clientKey(asked("GET /")), "unknown");
  });

  it("throws for requests without the address of their client, and says what to do", async () => {
    const faults: unknown[] = [];
    const filters = [rateLimit({ limit: 2, window: 60 })];
    const app = router({ filters, onFault: (error) => void faults.push(error) }, GET("/now", ok));
    const ask = (fetchApp: (request: Request) => Promise<Response>) => fetchApp(new Request("http://localhost/now"));
    assert.equal((await ask(app.fetch)).status, 500);
    assert.match(String(faults[0]), /^TypeError: The address of the client is unknown.* app\.fetchHandler\(…\)/);
    assert.equal((await ask(app.fetchHandler(() => ({ address: null })))).status, 500);
    for (const [address, status] of [
      ["192.0.2.1", 200],
      ["192.0.2.1", 200],
      ["192.0.2.1", 429],
      ["192.0.2.2", 200],
    ] as const) {
      assert.equal((await ask(app.fetchHandler(() => ({ address })))).status, status);
    }
  });

  it("is refused over a Unix socket, where clients have no addresses", async () => {
    const path = openFolder("rate-limit").path("socket");
    const faults: unknown[] = [];
    const filters = [rateLimit({ limit: 2, window: 60 })];
    const app = router({ filters, onFault: (error) => void faults.push(error) }, GET(ok));
    const server = createServer(toNodeListener(app)).listen(path);
    const [response] = await once(sendOverHttp({ socketPath: path, agent: false }).end(), "response");
    response.resume();
    server.close();
    assert.equal(response.statusCode, 500);
    assert.match(String(faults[0]), /The address of the client is unknown/);
  });
});

describe("rateLimit.inMemory", () => {
  const consume = (limiter: rateLimit.Limiter, key: string): Awaited<ReturnType<rateLimit.Limiter["consume"]>> => {
    const allowance: Awaitable<ReturnType<rateLimit.Limiter["consume"]>> = limiter.consume(key);
    assert.ok(!(allowance instanceof Promise));
    return allowance;
  };

  it("does what an endless list of windows would do", () => {
    const step = fc.record({ key: fc.constantFrom("a", "b", "c"), wait: fc.constantFrom(0, 0, 1, 4, 9, 10, 11, 35) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, limit) => {
        const { now, wait } = clock();
        const limiter = rateLimit.inMemory({ limit, window: 10, maxKeys: 6, now });
        const windows = new Map<string, { end: number; used: number }>();
        for (const { key, wait: seconds } of steps) {
          wait(seconds);
          const known = windows.get(key);
          const window = known !== undefined && now() < known.end ? known : { end: now() + 10_000, used: 0 };
          windows.set(key, window);
          const allowed = window.used < limit;
          if (allowed) window.used++;
          assert.deepEqual(consume(limiter, key), {
            allowed,
            limit,
            remaining: limit - window.used,
            resetSeconds: (window.end - now()) / 1000,
          });
        }
      }),
    );
  });

  it("never reports more seconds than a window has", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.integer({ min: 1, max: 90 }), (time, window) => {
        const { resetSeconds } = consume(rateLimit.inMemory({ limit: 1, window, now: () => time }), "a");
        assert.equal(resetSeconds, window);
      }),
    );
  });

  it("never grants a key more than its limit in a window, however many other keys come", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { maxLength: 300 }), (others) => {
        const { now } = clock();
        const limiter = rateLimit.inMemory({ limit: 3, window: 10, maxKeys: 4, now });
        let granted = 0;
        for (const other of others) {
          if (consume(limiter, "greedy").allowed) granted++;
          consume(limiter, `other ${other}`);
        }
        assert.ok(granted <= 3);
      }),
    );
  });

  it("forgets the clients that have been silent longest", () => {
    const { now } = clock();
    const limiter = rateLimit.inMemory({ limit: 1, window: 10, maxKeys: 4, now });
    assert.ok(consume(limiter, "silent").allowed);
    assert.ok(!consume(limiter, "silent").allowed);
    for (const key of ["1", "2", "3", "4"]) consume(limiter, key);
    assert.ok(!consume(limiter, "4").allowed);
    assert.ok(consume(limiter, "silent").allowed);
  });

  it("needs no more memory for a million clients than for as many as it remembers", async () => {
    const program = `
      import { rateLimit } from ${JSON.stringify(import.meta.resolve("waymark/filters"))};
      const limiter = rateLimit.inMemory({ limit: 1, window: 3600, maxKeys: 10_000 });
      for (let i = 0; i < 1_000_000; i++) limiter.consume("client " + i);
    `;
    // It ends with an error when it goes beyond that: a million keys take some 130 MB.
    const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`), {
      resourceLimits: { maxOldGenerationSizeMb: 40 },
    });
    await new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("exit", (code) => (code === 0 ? resolve() : reject(new Error(`ended with ${code}`))));
    });
  });

  for (const options of [{ limit: 0 }, { window: 0.5 }, { maxKeys: 0 }]) {
    it(`refuses ${JSON.stringify(options)}`, () => {
      assert.throws(() => rateLimit.inMemory({ limit: 1, window: 1, ...options }), RangeError);
    });
  }
});
