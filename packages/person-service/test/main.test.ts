import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { Agent, type ClientRequest, get, type IncomingMessage, request } from "node:http";
import { connect, createServer } from "node:net";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { nextOutput } from "../../waymark/test/tools/child-process.ts";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import {
  type Exit,
  runProgram,
  startProgram,
  startService,
  startServiceWith,
} from "./tools/programs/service-process.ts";

const folder = openFolder("person-service-main");

/** Ends the service, and checks that it had nothing to complain of. */
async function stop(service: Awaited<ReturnType<typeof startService>>): Promise<Exit> {
  service.kill("SIGTERM");
  const exit = await service.exited;
  assert.deepEqual([exit.code, exit.signal, exit.stderr], [0, undefined, ""]);
  return exit;
}

async function namesIn(file: string): Promise<string[]> {
  await using service = await startService("--database", file);
  const people: readonly { readonly name: string }[] = JSON.parse(
    await text(await responseTo(get(`${service.url}/person`))),
  );
  await stop(service);
  return people.map(({ name }) => name);
}

/** Checks that the program ended for a reason that it said in one line, which is given. */
function assertRefusal({ code, signal, stdout, stderr }: Exit): string {
  assert.deepEqual([code, signal, stdout], [1, undefined, ""], stderr);
  assert.match(stderr, /^person-service: [^\n]+\n$/);
  return stderr;
}

/** Checks that the service does not start on the file, says why, and changes no byte of it. */
async function assertUnusable(file: string, said: RegExp): Promise<void> {
  const before = readFileSync(file);
  const refusal = assertRefusal(await runProgram("--port", "0", "--database", file));
  assert.match(refusal, said);
  assert.ok(refusal.includes(JSON.stringify(file)));
  assert.ok(readFileSync(file).equals(before));
}

describe("the program", () => {
  it("serves on a port that the system chose, and says where and from what", async () => {
    const file = folder.newFile();
    await using service = await startService("--database", file);
    const answer = await fetch(`${service.url}/hello-world`);
    assert.equal(await answer.text(), "Hello World");
    const { stdout } = await stop(service);
    assert.match(service.url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    assert.deepEqual(stdout.split("\n"), [
      `listening on ${service.url}`,
      `database: ${file} (0 people)`,
      "empty: store a person as below, or start with --demo for 537 people",
      `try: curl -H 'Content-Type: application/json' -d '{"name":"Ada Lovelace"}' ${service.url}/person`,
      "",
    ]);
  });

  it("keeps people from one run to the next, and leaves one file", async () => {
    const file = folder.newFile();
    await using service = await startService("--database", file);
    const headers = { "Content-Type": "application/json" };
    for (const name of ["Ada", "Grace"]) {
      const answer = await fetch(`${service.url}/person`, { method: "POST", headers, body: JSON.stringify({ name }) });
      assert.equal(answer.status, 200);
    }
    await stop(service);
    assert.deepEqual(await namesIn(file), ["Ada", "Grace"]);
    const left = readdirSync(folder.root).filter((name) => name.startsWith(basename(file)));
    assert.deepEqual(left, [basename(file)]);
  });

  it("starts without the data of languages, which take 5 MB of memory and a tenth of the start", async () => {
    const watch = `
      const used = (what) => { process.stderr.write(new Error(what).stack + "\\n"); };
      const watched = { apply: (target, self, args) => (used(target.name), Reflect.apply(target, self, args)),
        construct: (target, args) => (used(target.name), Reflect.construct(target, args)) };
      for (const [of, names] of [[Intl, Object.getOwnPropertyNames(Intl)], [Number.prototype, ["toLocaleString"]],
        [Date.prototype, ["toLocaleString", "toLocaleDateString"]], [String.prototype, ["localeCompare"]]]) {
        for (const name of names) if (typeof of[name] === "function") of[name] = new Proxy(of[name], watched);
      }`;
    const program = `--import=data:text/javascript,${encodeURIComponent(watch)}`;
    await using service = await startServiceWith([program], "--demo", "--database", folder.newFile());
    await (await fetch(`${service.url}/person`)).bytes();
    await stop(service);
  });

  it("makes the directories above its file", async () => {
    assert.deepEqual(await namesIn(folder.path("made", "for", "it", "person.db")), []);
  });

  describe("--demo", () => {
    const file = folder.newFile();

    it("stores 537 people and says so", async () => {
      await using service = await startService("--demo", "--database", file);
      const { stdout } = await stop(service);
      assert.match(stdout, /^stored 537 people for the demo\nlistening on /);
      const names = await namesIn(file);
      assert.equal(names.length, 537);
      assert.equal(names[0], "Maria Cantwell");
    });

    it("adds nothing to a database that has people, says so, and serves", async () => {
      await using service = await startService("--demo", "--database", file);
      const { stdout } = await stop(service);
      assert.match(stdout, /^--demo: ".*" already has people, so nothing was added\nlistening on /);
      assert.match(stdout, /\ndatabase: .* \(537 people\)\n/);
    });

    it("leaves no file and no folder when the service cannot start", async () => {
      const taken = createServer().listen(0, "127.0.0.1");
      await once(taken, "listening");
      const missing = folder.path("not", "made");
      try {
        // A server that listens has an address with a port.
        const { port } = taken.address() as { readonly port: number };
        for (const ports of [
          ["--port", `${port}`],
          ["--port", "0", "--admin", `${port}`],
        ]) {
          const args = [...ports, "--demo", "--database", join(missing, "person.db")];
          const refusal = assertRefusal(await runProgram(...args));
          assert.match(refusal, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is taken`));
        }
      } finally {
        taken.close();
      }
      assert(!existsSync(folder.path("not")));
    });
  });

  describe("a page whose own name leads to this machine", () => {
    const statusFor = async (url: string, host: string): Promise<number | undefined> => {
      const response = await responseTo(get(`${url}/hello-world`, { headers: { host } }));
      response.resume();
      return response.statusCode;
    };

    it("is refused, unless --open lets everybody in for any name", async () => {
      await using service = await startService("--database", ":memory:");
      assert.deepEqual(
        [await statusFor(service.url, "page.example"), await statusFor(service.url, "localhost")],
        [421, 200],
      );
      await stop(service);
      await using open = await startService("--database", ":memory:", "--open");
      assert.equal(await statusFor(open.url, "page.example"), 200);
      const { log } = await stop(open);
      assert.deepEqual(
        log.filter(({ level }) => level === "warn").map(({ event }) => event),
        ["any-host"],
      );
    });

    it("is refused also with --open and with an access file, where the names that are served are known", async () => {
      const access = folder.write("for-anyone.json", { rules: [{ path: "/**", anyone: true }] });
      for (const options of [
        ["--open", "--public-url", "http://api.example:8080"],
        ["--open", "--host-name", "api.example"],
        ["--access", access, "--host-name", "api.example"],
      ]) {
        await using service = await startService("--database", ":memory:", ...options);
        const statuses = ["page.example", "api.example:80", "localhost"].map((host) => statusFor(service.url, host));
        assert.deepEqual(await Promise.all(statuses), [421, 200, 200], options.join(" "));
        await stop(service);
      }
    });
  });

  describe("the command line", () => {
    it("--version prints the version", async () => {
      const { code, stdout, stderr } = await runProgram("--version");
      assert.deepEqual([code, stderr], [0, ""]);
      assert.match(stdout, /^person-service \d+\.\d+\.\d+\n$/);
    });

    it("never repeats the password of a URL, for any option or file", async () => {
      const url = "postgres://me:secret@db/people";
      for (const args of [[url], ["--port", "0", url], ["--access", url], ["--database", url], ["restore", url]]) {
        const { stdout, stderr } = await runProgram(...args);
        assert.doesNotMatch(`${stdout}${stderr}`, /secret/);
      }
    });

    it("is refused with what is wrong, and where to read what would be right", async () => {
      const { code, stdout, stderr } = await runProgram("--nope");
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^person-service: Unknown option "--nope"\.\nSee "person-service --help"\.\n$/);
    });
  });

  it("writes data as it is, whatever looks like a password in it", async () => {
    const values = ["https://me:secret@corp.example", "https://corp.example/?password=x", "a\u202eb"];
    const config = folder.write(
      "values.json",
      JSON.stringify({ members: { place: { type: "string", enum: values } } }),
    );
    const { code, stdout, stderr } = await runProgram("openapi", "--config", config);
    assert.equal(code, 0, stderr);
    for (const value of values) assert.ok(stdout.includes(JSON.stringify(value)), value);
    JSON.parse(stdout);
  });

  it("prints nothing that could change what the terminal shows", async () => {
    for (const args of [["\x1b[2J\u009b\u202e"], ["--access", "/no/\x1b[2J\u009b\u202e", "--database", ":memory:"]]) {
      const { code, stderr } = await runProgram(...args);
      assert.notEqual(code, 0);
      assert.match(stderr, /\\u001b\[2J\\u009b\\u202e/);
      assert.doesNotMatch(stderr.replaceAll("\n", ""), /[\p{Cc}\p{Bidi_Control}]/u);
    }
  });

  describe("a database that it cannot use is named in one line, and left as it is", () => {
    it("that of another program", async () => {
      const file = folder.newFile();
      execute(file, "CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')");
      await assertUnusable(file, /database of another program/);
    });

    it("one to which another process writes without end", async () => {
      const file = folder.newFile();
      await namesIn(file);
      await using _holder = await holdOpen(file, "BEGIN IMMEDIATE");
      await assertUnusable(file, /another process has locked it/);
    });

    it("a directory", async () => {
      assert.match(assertRefusal(await runProgram("--port", "0", "--database", folder.root)), /it is a directory/);
    });

    it("a server that is not there", async () => {
      const url = "postgres://ada@127.0.0.1:1/people?sslmode=verify-full";
      assert.match(assertRefusal(await runProgram("--port", "0", "--database", url)), /nothing answers there/);
    });

    it("a path through a file", async () => {
      const file = folder.newFile();
      writeFileSync(file, "");
      const path = join(file, "person.db");
      assert.match(assertRefusal(await runProgram("--port", "0", "--database", path)), /is not a directory/);
    });
  });

  it("says in one line that a host is not this machine's", async () => {
    const exit = await runProgram("--port", "0", "--host", "192.0.2.1", "--open", "--database", folder.newFile());
    assert.match(assertRefusal(exit), /192\.0\.2\.1 is not an address of this machine/);
  });

  it("answers 503 while another process blocks changes, and goes on reading", async () => {
    const file = folder.newFile();
    await using service = await startService("--database", file);
    const post = (): Promise<Response> =>
      fetch(`${service.url}/person`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: '{"name":"Ada"}',
      });
    assert.equal((await post()).status, 200);
    {
      await using _holder = await holdOpen(file, "BEGIN IMMEDIATE");
      const refused = await post();
      assert.deepEqual([refused.status, refused.headers.get("Retry-After")], [503, "1"]);
      assert.match(await refused.text(), /"type":"\/problems\/store-unavailable"/);
      assert.equal((await fetch(`${service.url}/person/1`)).status, 200);
    }
    const stored = await post();
    assert.deepEqual([stored.status, stored.headers.get("Location")], [200, "/person/2"]);
    await stop(service);
  });

  it("stores no part of a person whose client goes away halfway, and goes on", async () => {
    const file = folder.newFile();
    await using service = await startService("--database", file);
    const headers = { "Content-Type": "application/json", "Content-Length": 1000, Expect: "100-continue" };
    const posting = request(`${service.url}/person`, { method: "POST", headers });
    posting.flushHeaders();
    await once(posting, "continue"); // the service has begun to read
    const broken = assert.rejects(once(posting, "response"));
    posting.write('{"name":"Ada"}', () => posting.destroy());
    await broken;
    await stop(service);
    assert.deepEqual(await namesIn(file), []);
  });

  describe("with an access file", () => {
    const openTo = (path: string) => ({ rules: [{ path, anyone: true }] });

    it("lets in its callers, reads keys and rules again on SIGHUP, and keeps the old ones when the new are bad", async () => {
      const access = folder.write("access.json", { rules: [{ path: "/hello-world", scopes: ["greet"] }] });
      const keys = folder.path("keys.json");
      const made = await runProgram("key", "create", "--name", "crm", "--scope", "greet", "--keys", keys);
      assert.equal(made.code, 0, made.stderr);
      const headers = { Authorization: `Bearer ${made.stdout.trim()}` };
      const database = folder.newFile();
      await using service = await startService("--access", access, "--keys", keys, "--database", database);
      const status = async (init?: RequestInit): Promise<number> =>
        (await fetch(`${service.url}/hello-world`, init)).status;
      assert.deepEqual([await status(), await status({ headers })], [401, 200]);

      writeFileSync(access, "{");
      service.kill("SIGHUP");
      await service.untilPrinted(/the access rules stay as they were/);
      assert.deepEqual([await status(), await status({ headers })], [401, 200]);

      folder.write("access.json", openTo("/hello-world"));
      service.kill("SIGHUP");
      await service.untilPrinted(/read the access rules again/);
      assert.equal(await status(), 200);
      assert.equal((await fetch(`${service.url}/person`, { headers })).status, 403);

      service.kill("SIGTERM");
      const { code, stdout, stderr, log } = await service.exited;
      assert.equal(code, 0);
      const failed = log.find(({ event }) => event === "reload-failed");
      assert.match(String(failed?.msg), /^The file ".*access\.json" cannot be used: line 1, column 2: /);
      const denial = log.find(({ event }) => event === "refused");
      assert.deepEqual(
        ["kind", "reason", "method", "path"].map((name) => denial?.[name]),
        ["forbidden", "no rule for it", "GET", "/person"],
      );
      assert(!`${stderr}${stdout}${JSON.stringify(log)}`.includes(headers.Authorization.slice(10)));
    });

    it("does not start when the file is bad, and says where", async () => {
      const access = folder.write("bad.json", openTo("person"));
      const exit = await runProgram("--port", "0", "--access", access, "--database", folder.newFile());
      const refusal = assertRefusal(exit);
      assert.match(refusal, /bad\.json" cannot be used: line 4, column 7: rules\[0\]\.path is no path for a rule/);
    });
  });

  it("goes on serving after SIGHUP, though it has no files to read again", async () => {
    await using service = await startService("--database", folder.newFile());
    service.kill("SIGHUP");
    assert.equal((await fetch(`${service.url}/hello-world`)).status, 200);
    await stop(service);
  });

  it("keeps a SIGHUP that comes while it starts until it listens", async () => {
    const access = folder.path("slow-access.json");
    execFileSync("mkfifo", [access]);
    const { exited, kill, untilPrinted } = startProgram("--port", "0", "--database", ":memory:", "--access", access);
    const rules = JSON.stringify({ rules: [{ path: "/hello-world", anyone: true }] });
    const first = await open(access, "w"); // when the service opens the pipe, to read it
    kill("SIGHUP");
    const listening = untilPrinted(/listens on/);
    await first.writeFile(rules);
    await first.close();
    await listening;
    const readAgain = untilPrinted(/read the access rules again/);
    await writeFile(access, rules); // when it reads the file again
    await readAgain;
    kill("SIGTERM");
    assert.equal((await exited).code, 0);
  });

  describe("SIGTERM and SIGINT", () => {
    it("end it as soon as it listens, without another word", async () => {
      const { exited, kill, untilPrinted } = startProgram("--port", "0", "--database", ":memory:", "--demo");
      await untilPrinted(/listens on/);
      kill("SIGTERM");
      const { code, signal, stderr, log } = await exited;
      assert.deepEqual({ code, signal, stderr }, { code: 0, signal: undefined, stderr: "" });
      assert.deepEqual(
        log.map(({ event }) => event),
        ["start", "stop"],
      );
    });

    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      it(`${signal} ends it at once when nobody waits, though connections are open`, async () => {
        await using service = await startService("--database", folder.newFile());
        const agent = new Agent({ keepAlive: true });
        const [answer] = (await once(get(`${service.url}/hello-world`, { agent }), "response")) as [IncomingMessage];
        await text(answer);
        service.kill(signal);
        const { code, stderr } = await service.exited;
        assert.deepEqual([code, stderr], [0, ""]);
        agent.destroy();
      });

      it(`${signal} lets a person arrive whole, stores it and answers`, async () => {
        const file = folder.newFile();
        await using service = await startService("--database", file);
        const body = '{"name":"Ada"}';
        const posting = request(`${service.url}/person`, {
          method: "POST",
          headers: { "Content-Type": "application/json", "Content-Length": body.length, Expect: "100-continue" },
        });
        posting.flushHeaders();
        await once(posting, "continue"); // the service has begun to read
        service.kill(signal);
        await untilRefused(service.port);
        posting.end(body);
        const answer = await responseTo(posting);
        assert.deepEqual([answer.statusCode, answer.headers.location], [200, "/person/1"]);
        assert.equal(answer.headers.connection, "close");
        answer.resume();
        const { code, stderr } = await service.exited;
        assert.deepEqual([code, stderr], [0, ""]);
        assert.deepEqual(await namesIn(file), ["Ada"]);
      });

      it(`${signal} lets a list that has begun come to its end`, async () => {
        await using service = await startService("--demo", "--database", folder.newFile());
        const answer = await responseTo(get(`${service.url}/person`));
        service.kill(signal);
        await untilRefused(service.port);
        assert.equal(JSON.parse(await text(answer)).length, 537);
        const { code, stderr } = await service.exited;
        assert.deepEqual([code, stderr], [0, ""]);
      });
    }
  });
});

function execute(file: string, statements: string): void {
  const database = new DatabaseSync(file);
  database.exec(statements);
  database.close();
}

/**
 * Executes statements on a database and keeps it open until the scope ends: in a process of its own, since a process that
 * closes a file drops all the locks it has on it.
 */
async function holdOpen(file: string, statements: string): Promise<AsyncDisposable> {
  const script = `
    const { DatabaseSync } = require("node:sqlite");
    const [file, statements] = process.argv.slice(1);
    const database = new DatabaseSync(file);
    database.exec(statements);
    process.stdout.write("held");
    process.stdin.resume().on("end", () => database.close());
  `;
  const holder = spawn(process.execPath, ["-e", script, file, statements], { stdio: ["pipe", "pipe", "inherit"] });
  await nextOutput(holder);
  return {
    async [Symbol.asyncDispose]() {
      holder.stdin.end();
      await once(holder, "close");
    },
  };
}

async function responseTo(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = await once(sent, "response");
  return answer;
}

/** Resolves when nothing listens on the port any more. */
async function untilRefused(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, "127.0.0.1");
    try {
      await once(socket, "connect");
    } catch {
      return;
    } finally {
      socket.destroy();
    }
  }
}
