import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { serve } from "@waymark/node";
import { type App, GET, group, HttpResponse, ok, router, text } from "waymark";
import { describeProblems, overload, publicUrl } from "waymark/filters";
import { RawConnection } from "../../../../node/test/tools/raw-connection.ts";
import { ask, fetched } from "../../tools/ask.ts";

/** Handlers that answer when the test lets them. */
class Gate {
  #open: (() => void)[] = [];
  #arrived: (() => void)[] = [];
  #waiting = 0;

  /** Resolves when `open` is called. */
  readonly pass = (): Promise<void> => {
    this.#waiting++;
    for (const arrived of this.#arrived.splice(0)) arrived();
    return new Promise((resolve) => this.#open.push(resolve));
  };

  /** Resolves when so many have come to the gate, in all. */
  async arrived(count: number): Promise<void> {
    while (this.#waiting < count) await new Promise<void>((resolve) => this.#arrived.push(resolve));
  }

  open(): void {
    for (const open of this.#open.splice(0)) open();
  }
}

const appWith = (gate: Gate, maxInFlight = 2): App =>
  router(
    {
      filters: [overload({ maxInFlight, retryAfter: 7, except: ({ path }) => path === "/health" })],
      onFault: () => undefined,
    },
    GET("/wait", async () => {
      await gate.pass();
      return text("done");
    }),
    GET("/leave", async (request) => {
      overload.leave(request);
      overload.leave(request);
      await gate.pass();
      return text("done");
    }),
    GET("/fail", async () => {
      await gate.pass();
      throw new Error("secret");
    }),
    GET("/stream", () => new HttpResponse(200, {}, pieces(gate))),
    GET("/events", () => new HttpResponse(200, { "Content-Type": "text/event-stream" }, pieces(gate))),
    GET("/broken-stream", () => new HttpResponse(200, {}, brokenPieces(gate))),
    GET("/now", () => text("now")),
    GET("/health", () => text("well")),
  );

async function* pieces(gate: Gate): AsyncGenerator<string> {
  yield "first ";
  await gate.pass();
  yield "last";
}

async function* brokenPieces(gate: Gate): AsyncGenerator<string> {
  yield "first ";
  await gate.pass();
  throw new Error("broken");
}

describe("overload (in memory)", () => {
  for (const [target, status] of [
    ["/wait", 200],
    ["/fail", 500],
    ["/stream", 200],
  ] as const) {
    it(`turns away what comes while as many as may be ask for ${target}`, async () => {
      const gate = new Gate();
      const app = appWith(gate);
      for (const round of [1, 2]) {
        const taken = [fetched(app, `GET ${target}`), fetched(app, `GET ${target}`)];
        await gate.arrived(2 * round);
        const { status: refused, headers, text } = await fetched(app, "GET /now");
        assert.deepEqual([refused, headers["retry-after"], headers["cache-control"]], [503, "7", "no-store"]);
        assert.equal(JSON.parse(text).type, "/problems/service-unavailable");
        assert.equal((await fetched(app, "GET /health")).status, 200);
        gate.open();
        for (const answer of await Promise.all(taken)) assert.equal(answer.status, status);
        // Nobody who was turned away counts, and nobody who was answered.
        for (let i = 0; i < 5; i++) assert.equal((await fetched(app, "GET /now")).status, 200);
      }
    });
  }

  it("does not count a request that leaves those in progress while it waits, and frees its place once", async () => {
    const gate = new Gate();
    const app = appWith(gate, 1);
    const left = [fetched(app, "GET /leave"), fetched(app, "GET /leave")];
    await gate.arrived(2);
    const waiting = fetched(app, "GET /wait");
    await gate.arrived(3);
    assert.equal((await fetched(app, "GET /now")).status, 503);
    gate.open();
    for (const answer of await Promise.all([...left, waiting])) assert.equal(answer.status, 200);
    assert.equal((await fetched(app, "GET /now")).status, 200);
  });

  it("does not count a request that leaves in the filters around its own either", async () => {
    const gate = new Gate();
    const limited = (): ReturnType<typeof overload> => overload({ maxInFlight: 1 });
    const leaves = GET("/leave", async (request) => {
      overload.leave(request);
      await gate.pass();
      return text("done");
    });
    const app = router({ filters: [limited()] }, group(limited(), leaves), GET("/now", ok));
    const left = fetched(app, "GET /leave");
    await gate.arrived(1);
    assert.equal((await fetched(app, "GET /now")).status, 200);
    gate.open();
    assert.equal((await left).status, 200);
  });

  it("takes requests again after a stream that broke", async () => {
    const gate = new Gate();
    const app = appWith(gate, 1);
    const broken = fetched(app, "GET /broken-stream").catch(() => undefined);
    await gate.arrived(1);
    assert.equal((await fetched(app, "GET /now")).status, 503);
    gate.open();
    await broken;
    assert.equal((await fetched(app, "GET /now")).status, 200);
  });
});

describe("overload (over a socket)", () => {
  const serving = async (app: App, use: (port: number) => Promise<void>): Promise<void> => {
    const server = await serve(app);
    try {
      await use(server.port);
    } finally {
      await server.close({ grace: 0 });
    }
  };

  it("counts a stream until its client has gone", async () => {
    const gate = new Gate();
    await serving(appWith(gate, 1), async (port) => {
      const client = new RawConnection(port).request("GET /stream");
      await gate.arrived(1);
      const other = new RawConnection(port).request("GET /now");
      assert.equal((await other.response()).status, 503);
      client.reset();
      // The server learns of it in its own time.
      for (let status = 503; status !== 200; ) status = (await other.request("GET /now").response()).status;
      other.destroy();
    });
  });

  it("counts an event stream until it begins, and frees its place once", async () => {
    const gate = new Gate();
    await serving(appWith(gate, 1), async (port) => {
      const clients = [1, 2].map(() => new RawConnection(port));
      for (const client of clients) await client.request("GET /events").through("first");
      gate.open();
      for (const client of clients) await client.through("last");
      const waiting = new RawConnection(port).request("GET /wait");
      await gate.arrived(3);
      const other = new RawConnection(port).request("GET /now");
      assert.equal((await other.response()).status, 503);
      gate.open();
      assert.equal((await waiting.response()).status, 200);
      for (const each of [...clients, waiting, other]) each.destroy();
    });
  });

  it("forgets requests in a pipeline whose turn never came", async () => {
    const gate = new Gate();
    await serving(appWith(gate, 3), async (port) => {
      const client = new RawConnection(port);
      client.request("GET /wait").request("GET /wait").request("GET /now");
      await gate.arrived(1);
      client.destroy();
      // Each asks until it is taken; only when all three places are free, all of them wait at the gate.
      const others = [1, 2, 3].map(async () => {
        const connection = new RawConnection(port);
        let status = 503;
        while (status === 503) ({ status } = await connection.request("GET /wait").response());
        connection.destroy();
        return status;
      });
      await gate.arrived(1 + 3);
      gate.open();
      assert.deepEqual(await Promise.all(others), [200, 200, 200]);
    });
  });

  it("does not count what a synchronous handler answers", async () => {
    await serving(appWith(new Gate(), 1), async (port) => {
      const client = new RawConnection(port);
      for (let i = 0; i < 20; i++) client.request("GET /now");
      for (let i = 0; i < 20; i++) assert.ok([200, 503].includes((await client.response()).status));
      assert.equal((await client.request("GET /now").response()).status, 200);
      client.destroy();
    });
  });
});

describe("overload", () => {
  it("leaves it to describeProblems to name the kind of problem under the public URL", async () => {
    const gate = new Gate();
    const app = router(
      { filters: [publicUrl("https://api.example.com/people"), describeProblems(), overload({ maxInFlight: 1 })] },
      GET("/wait", () => gate.pass().then(() => text("done"))),
    );
    const waiting = ask(app, "GET /wait");
    const { type, detail } = JSON.parse((await ask(app, "GET /wait")).body as string);
    assert.equal(type, "https://api.example.com/people/problems/service-unavailable");
    assert.equal(detail, "There are more requests than can be answered in time. Try again in 1 s.");
    gate.open();
    await waiting;
  });

  it("frees the place of a request made by hand once there is a response", async () => {
    const gate = new Gate();
    const app = appWith(gate, 1);
    const waiting = ask(app, "GET /wait");
    assert.equal((await ask(app, "GET /now")).status, 503);
    gate.open();
    assert.equal((await waiting).status, 200);
    for (let i = 0; i < 3; i++) assert.equal((await ask(app, "GET /now")).status, 200);
  });

  it("can be for a group, whose faults it lets through", async () => {
    const app = router(
      { onFault: () => undefined },
      group(
        "/scarce",
        overload({ maxInFlight: 1 }),
        GET("/fail", () => {
          throw new Error("secret");
        }),
        GET("/fail-later", async () => {
          throw new Error("secret");
        }),
      ),
    );
    for (let i = 0; i < 3; i++) {
      assert.equal((await ask(app, "GET /scarce/fail")).status, 500);
      assert.equal((await ask(app, "GET /scarce/fail-later")).status, 500);
    }
  });

  for (const [option, value] of [
    ["maxInFlight", 0],
    ["maxInFlight", 1.5],
    ["maxInFlight", Number.NaN],
    ["retryAfter", 0],
    ["retryAfter", -1],
  ] as const) {
    it(`refuses ${option}: ${value}`, () => {
      assert.throws(() => overload({ maxInFlight: 1, [option]: value }), {
        name: "RangeError",
        message: `${option} must be a whole number, 1 or more, not ${value}`,
      });
    });
  }
});
