import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Agent, get, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { setTimeout as elapse } from "node:timers/promises";
import { openFolder } from "../../waymark/test/folder.ts";
import { quickHash } from "./access/basic-authentication.ts";
import { type Exit, runProgram, type ServiceProcess, startService } from "./service-process.ts";

const folder = openFolder("person-service-workers");

const start = (...args: readonly string[]): Promise<ServiceProcess> =>
  startService("--workers", "2", "--database", folder.newFile(), ...args);

/** The processes that said that they serve, in that order. */
const workersOf = ({ printed }: ServiceProcess): readonly number[] =>
  [...printed.matchAll(/^worker (\d+) serves$/gm)].map(([, pid]) => Number(pid));

/** Ends all of it, and checks that it ended well. */
async function stop(service: ServiceProcess): Promise<Exit> {
  service.kill("SIGTERM");
  const exit = await service.exited;
  assert.deepEqual([exit.code, exit.signal], [0, undefined]);
  return exit;
}

/** Asks again and again, by so many clients that keep their connections, until it is stopped; returns every answer other than 200. */
function keepAsking(url: string, clients: number): { stop(): Promise<readonly string[]>; answered(): Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: clients, scheduling: "fifo" }); // no connection is idle for long
  const failures: string[] = [];
  let asking = true;
  let answered = Promise.withResolvers<void>();
  const ask = async (): Promise<void> => {
    while (asking) {
      const request = get(`${url}/person/1`, { agent, timeout: 60_000 });
      request.on("timeout", () => request.destroy(new Error("no answer")));
      try {
        const [response] = (await once(request, "response")) as [IncomingMessage]; // as the event has it
        await text(response);
        if (response.statusCode !== 200) failures.push(`status ${response.statusCode}`);
        answered.resolve();
        answered = Promise.withResolvers();
        await elapse(5); // milliseconds: the workers need the processor to start
      } catch (error) {
        failures.push(String(error));
      }
    }
  };
  const all = Array.from({ length: clients }, ask);
  return {
    answered: () => answered.promise,
    async stop() {
      asking = false;
      await Promise.all(all);
      agent.destroy();
      return failures;
    },
  };
}

describe("workers", { concurrency: false }, () => {
  it("serve together on one port that the system chose, and store the demo once", async () => {
    await using service = await start("--demo");
    const lines = service.printed.split("\n");
    const [first, second] = workersOf(service);
    assert.deepEqual(lines.slice(0, 4), [
      "stored 537 people for the demo",
      `worker ${first} serves`,
      `worker ${second} serves`,
      `listening on ${service.url}`,
    ]);
    assert.notEqual(first, second);
    // Each alone, on a connection of its own: the other one is suspended, and takes none.
    for (const suspended of workersOf(service)) {
      process.kill(suspended, "SIGSTOP");
      const [response] = (await once(get(`${service.url}/person`, { agent: false }), "response")) as [IncomingMessage];
      const people: readonly unknown[] = JSON.parse(await text(response));
      assert.equal(people.length, 537);
      process.kill(suspended, "SIGCONT");
    }
    assert.equal((await stop(service)).stderr, "");
  });

  it("are replaced when they are killed, while the others go on serving", async () => {
    await using service = await start("--demo");
    const load = keepAsking(service.url, 8);
    await load.answered();
    const [killed] = workersOf(service);
    const replaced = service.untilPrinted(/^worker \d+ serves\n/m);
    process.kill(killed as number, "SIGKILL");
    await replaced;
    await load.answered();
    const failures = await load.stop();
    // What the killed one had in hand is lost, one request of a client at most.
    assert.ok(failures.length <= 8, failures.join("\n"));
    assert.equal(new Set(workersOf(service)).size, 3);
    const { log } = await stop(service);
    assert.deepEqual(
      log.filter(({ event }) => event === "worker-end").map(({ msg }) => msg),
      [`worker ${killed} ended (SIGKILL), and another one takes its place`],
    );
  });

  it("fail no request when they are stopped one after another", async () => {
    await using service = await start("--demo");
    const load = keepAsking(service.url, 8);
    for (const worker of workersOf(service)) {
      await load.answered();
      const replaced = service.untilPrinted(/^worker \d+ serves\n/m);
      process.kill(worker, "SIGTERM");
      await replaced;
    }
    await load.answered();
    assert.deepEqual(await load.stop(), []);
    assert.equal(new Set(workersOf(service)).size, 4);
    await stop(service);
  });

  it("refuse a session that was signed out of at another, also those that start later", async () => {
    const user = { name: "ada", password: quickHash("correct"), scopes: ["person"] };
    const access = folder.write("access.json", { rules: [{ path: "/**", scopes: ["person"] }], users: [user] });
    await using service = await start("--access", access);
    const send = (path: string, options: RequestInit): Promise<Response> =>
      fetch(service.url + path, { redirect: "manual", ...options });
    const body = new URLSearchParams({ name: "ada", password: "correct" });
    const { headers } = await send("/sign-in", { method: "POST", body });
    const Cookie = headers.get("Set-Cookie")?.split(";")[0] ?? "";
    /** What each of the workers that serve now answers: only one takes connections at a time. */
    const statuses = async (workers: readonly number[]): Promise<readonly (number | undefined)[]> => {
      const all: (number | undefined)[] = [];
      for (const suspended of workers) {
        process.kill(suspended, "SIGSTOP");
        const request = get(`${service.url}/person`, { agent: false, headers: { Cookie } });
        const [response] = (await once(request, "response")) as [IncomingMessage]; // as the event has it
        response.resume();
        all.push(response.statusCode);
        process.kill(suspended, "SIGCONT");
      }
      return all;
    };
    assert.deepEqual(await statuses(workersOf(service)), [200, 200]);
    assert.equal((await send("/sign-out", { method: "POST", headers: { Cookie } })).status, 303);
    assert.deepEqual(await statuses(workersOf(service)), [401, 401]);
    const [killed, other] = workersOf(service);
    const replaced = service.untilPrinted(/^worker \d+ serves\n/m);
    process.kill(killed as number, "SIGKILL"); // there are two
    await replaced;
    assert.deepEqual(await statuses([other as number, workersOf(service)[2] as number]), [401, 401]); // there are three
    await stop(service);
  });

  it("come back on the same port when all of them are killed at once", async () => {
    await using service = await start("--demo");
    const both = service.untilPrinted(/^worker \d+ serves\n[\s\S]*^worker \d+ serves\n/m);
    for (const worker of workersOf(service)) process.kill(worker, "SIGKILL");
    await both;
    assert.equal((await fetch(`${service.url}/person/1`)).status, 200);
    await stop(service);
  });

  it("do not outlive the process that watches over them", async () => {
    await using service = await start();
    service.kill("SIGKILL");
    await service.exited; // what they hold of its output is closed
    await assert.rejects(fetch(service.url));
  });

  it("read the access file again on SIGHUP", async () => {
    const access = folder.path("access.json");
    const openTo = (path: string): void => writeFileSync(access, JSON.stringify({ rules: [{ path, anyone: true }] }));
    openTo("/health/live");
    await using service = await start("--access", access);
    openTo("/hello-world");
    const reloaded = service.untilPrinted(/read the access rules again[\s\S]*read the access rules again/);
    service.kill("SIGHUP");
    await reloaded;
    for (let asked = 0; asked < 8; asked++) {
      const answer = await fetch(`${service.url}/hello-world`, { headers: { Connection: "close" } });
      assert.equal(answer.status, 200);
    }
    await stop(service);
  });

  it("report once why they cannot start", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { readonly port: number }; // it listens on a port
    try {
      const exit = await runProgram("--port", `${port}`, "--workers", "2", "--database", folder.newFile());
      assert.deepEqual([exit.code, exit.stdout], [1, ""]);
      assert.match(exit.stderr, /^person-service: Port \d+ on 127\.0\.0\.1 is taken[^\n]*\n$/);
    } finally {
      taken.close();
    }
  });
});

describe("--grace", () => {
  for (const workers of ["1", "2"]) {
    it(`is how long the requests in hand may take, with --workers ${workers}`, async () => {
      await using service = await startService("--grace", "0", "--workers", workers, "--database", folder.newFile());
      const agent = new Agent({ keepAlive: true });
      const headers = { Expect: "100-continue", "Content-Type": "application/json", "Content-Length": 1000 };
      const request = get(`${service.url}/person`, { agent, method: "POST", headers });
      request.flushHeaders();
      await once(request, "continue"); // it is in hand, and its content never comes
      const cut = assert.rejects(once(request, "response"), /socket hang up|ECONNRESET/);
      await stop(service);
      await cut;
    });
  }
});
