import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { open, writeFile } from "node:fs/promises";
import { Agent, type ClientRequest, get, type IncomingMessage, request } from "node:http";
import { connect, createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { openFolder } from "../../waymark/test/tools/folder.ts";
import { parseCommandLine } from "../src/cli/command-line.ts";
import { userErrorMessage } from "../src/cli/terminal/command-error.ts";
import { peopleIn, run } from "./tools/programs/command-runs.ts";
import {
  type Exit,
  runProgram,
  startProgram,
  startService,
  startServiceWith,
} from "./tools/programs/service-process.ts";

const folder = openFolder("person-service-main");
const json = { "Content-Type": "application/json" };

/** Ends the service, and checks that it had nothing to complain of. */
async function stop(service: Awaited<ReturnType<typeof startService>>): Promise<Exit> {
  service.kill("SIGTERM");
  return assertEnded(await service.exited);
}

function assertEnded(exit: Exit): Exit {
  assert.deepEqual([exit.code, exit.signal, exit.stderr], [0, undefined, ""]);
  return exit;
}

const namesIn = async (file: string) => (await peopleIn(file)).map(({ name }) => name);

/** Begins to send a person, and resolves once the service has begun to read. */
async function beginPosting(url: string, length: number): Promise<ClientRequest> {
  const headers = { ...json, "Content-Length": length, Expect: "100-continue" };
  const posting = request(`${url}/person`, { method: "POST", headers });
  posting.flushHeaders();
  await once(posting, "continue");
  return posting;
}

describe("the program", () => {
  it("serves on a port that the system chose, says where and from what, and keeps people in one file", async () => {
    const file = folder.path("made", "for", "it", "person.db");
    await using service = await startService("--database", file);
    const { url } = service;
    assert.match(url, /^http:\/\/127\.0\.0\.1:[1-9]\d*$/);
    service.kill("SIGHUP"); // it goes on, though it has no files to read again
    const agent = new Agent({ keepAlive: true });
    const [answer] = (await once(get(`${url}/hello-world`, { agent }), "response")) as [IncomingMessage];
    assert.equal(await text(answer), "Hello World");
    for (const [host, status] of [
      ["page.example", 421], // a page whose own name leads to this machine
      ["localhost", 200],
    ] as const) {
      const named = await responseTo(get(`${url}/hello-world`, { headers: { host } }));
      assert.equal(named.resume().statusCode, status);
    }
    for (const name of ["Ada", "Grace"]) {
      const { status } = await fetch(`${url}/person`, {
        method: "POST",
        headers: json,
        body: JSON.stringify({ name }),
      });
      assert.equal(status, 200);
    }
    // Of a person whose client goes away halfway nothing is stored.
    const posting = await beginPosting(url, 1000);
    const broken = assert.rejects(once(posting, "response"));
    posting.write('{"name":"Eve"}', () => posting.destroy());
    await broken;
    const { stdout } = await stop(service); // at once, though a connection is open
    agent.destroy();
    assert.deepEqual(stdout.split("\n"), [
      `listening on ${url}`,
      `database: ${file} (0 people)`,
      "empty: store a person as below, or start with --demo for 537 people",
      `try: curl -H 'Content-Type: application/json' -d '{"name":"Ada Lovelace"}' ${url}/person`,
      "",
    ]);
    assert.deepEqual(readdirSync(dirname(file)), [basename(file)]);
    assert.deepEqual(await namesIn(file), ["Ada", "Grace"]);
  });

  it("stores the demo, without the data of languages, which take 5 MB of memory and a tenth of the start", async () => {
    const file = folder.newFile();
    const watch = `
      const used = (what) => { process.stderr.write(new Error(what).stack + "\\n"); };
      const watched = { apply: (target, self, args) => (used(target.name), Reflect.apply(target, self, args)),
        construct: (target, args) => (used(target.name), Reflect.construct(target, args)) };
      for (const [of, names] of [[Intl, Object.getOwnPropertyNames(Intl)], [Number.prototype, ["toLocaleString"]],
        [Date.prototype, ["toLocaleString", "toLocaleDateString"]], [String.prototype, ["localeCompare"]]]) {
        for (const name of names) if (typeof of[name] === "function") of[name] = new Proxy(of[name], watched);
      }`;
    const program = `--import=data:text/javascript,${encodeURIComponent(watch)}`;
    await using service = await startServiceWith([program], "--demo", "--database", file);
    await (await fetch(`${service.url}/person`)).bytes();
    assert.match((await stop(service)).stdout, /^stored 537 people for the demo\nlistening on /);
    const names = await namesIn(file);
    assert.deepEqual([names.length, names[0]], [537, "Maria Cantwell"]);
  });

  it("adds no demo where there are people, says so, and lets a list that has begun come to its end", async () => {
    const file = folder.newFile();
    await run("import", folder.write("people.csv", `name\n${"Ada Lovelace\n".repeat(2_000)}`), "--database", file);
    await using service = await startService("--demo", "--database", file);
    const answer = await responseTo(get(`${service.url}/person`));
    service.kill("SIGTERM");
    await untilRefused(service.port);
    assert.equal(JSON.parse(await text(answer)).length, 2_000);
    const { stdout } = assertEnded(await service.exited);
    assert.match(stdout, /^--demo: ".*" already has people, so nothing was added\nlistening on /);
    assert.match(stdout, /\ndatabase: .* \(2,000 people\)\n/);
  });

  it("lets a person arrive whole, stores it and answers, when a signal ends it", async () => {
    const file = folder.newFile();
    await using service = await startService("--database", file);
    const body = '{"name":"Ada"}';
    const posting = await beginPosting(service.url, body.length);
    service.kill("SIGINT");
    await untilRefused(service.port);
    posting.end(body);
    const answer = await responseTo(posting);
    const { location, connection } = answer.resume().headers;
    assert.deepEqual([answer.statusCode, location, connection], [200, "/person/1", "close"]);
    assertEnded(await service.exited);
    assert.deepEqual(await namesIn(file), ["Ada"]);
  });

  it("ends on SIGTERM as soon as it listens, without another word", async () => {
    const { exited, kill, untilPrinted } = startProgram("--port", "0", "--database", ":memory:", "--demo");
    await untilPrinted(/listens on/);
    kill("SIGTERM");
    const { log } = assertEnded(await exited);
    assert.deepEqual(
      log.map(({ event }) => event),
      ["start", "stop"],
    );
  });

  it("lets in those whom an access file names, reads keys and rules again on SIGHUP, and keeps the old ones when the new are bad", async () => {
    const access = folder.write("access.json", { rules: [{ path: "/hello-world", scopes: ["greet"] }] });
    const keys = folder.path("keys.json");
    const [key = ""] = (await run("key", "create", "--name", "crm", "--scope", "greet", "--keys", keys)).split("\n");
    const headers = { Authorization: `Bearer ${key}` };
    const database = folder.newFile();
    await using service = await startService("--access", access, "--keys", keys, "--database", database);
    const status = async (init?: RequestInit): Promise<number> =>
      (await fetch(`${service.url}/hello-world`, init)).status;
    assert.deepEqual([await status(), await status({ headers })], [401, 200]);

    writeFileSync(access, "{");
    service.kill("SIGHUP");
    await service.untilPrinted(/the access rules stay as they were/);
    assert.deepEqual([await status(), await status({ headers })], [401, 200]);

    folder.write("access.json", { rules: [{ path: "/hello-world", anyone: true }] });
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

  it("is refused with what is wrong, without a password, and with nothing that could change what a terminal shows", async () => {
    const [hidden, shown] = ["\x1b[2J\u009b\u202e", "\\u001b[2J\\u009b\\u202e"];
    for (const [args, code, said] of [
      [
        [`${hidden} postgres://me:secret@db/people`],
        2,
        `Unknown command '${shown} postgres://...'.\nSee "person-service --help".`,
      ],
      [
        ["--access", `/no/${hidden}postgres://me:secret@db`, "--database", ":memory:"],
        1,
        `The file "/no/${shown}postgres://...@db" cannot be used: it does not exist`,
      ],
    ] as const) {
      const exit = await runProgram(...args);
      assert.deepEqual([exit.code, exit.stdout, exit.stderr], [code, "", `person-service: ${said}\n`]);
    }
  });

  it("writes data as it is, whatever looks like a password in it", async () => {
    const values = ["https://me:secret@corp.example", "https://corp.example/?password=x", "a\u202eb"];
    const config = folder.write("values.json", { members: { place: { type: "string", enum: values } } });
    const { code, stdout, stderr } = await runProgram("openapi", "--config", config);
    assert.equal(code, 0, stderr);
    for (const value of values) assert.ok(stdout.includes(JSON.stringify(value)), value);
    JSON.parse(stdout);
  });
});

describe("a start that is refused", () => {
  /** Starts the service in this process, where it is to be refused, and returns why. */
  async function refusalOf(...argv: readonly string[]): Promise<string> {
    const line = parseCommandLine(argv);
    assert(line.kind === "run", JSON.stringify(line));
    const io = { write: assert.fail, print: assert.fail, printNote: assert.fail, readInput: assert.fail };
    const error: unknown = await line.run(io).then(
      () => process.kill(process.pid, "SIGTERM"), // which ends what serves nevertheless
      (reason) => reason,
    );
    return userErrorMessage(error) ?? assert.fail(String(error));
  }

  it("says why, and leaves no file and no folder", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { readonly port: number }; // a server that listens has an address with a port
    const isTaken = `Port ${port} on 127.0.0.1 is taken: stop what listens there, or choose another port`;
    const bad = folder.write("bad.json", { rules: [{ path: "person", anyone: true }] });
    const missing = folder.path("not", "made");
    try {
      for (const [args, reason] of [
        [["--port", `${port}`], isTaken],
        [["--port", "0", "--admin", `${port}`], isTaken],
        [["--port", "0", "--host", "192.0.2.1", "--open"], /192\.0\.2\.1 is not an address of this machine/],
        [
          ["--port", "0", "--access", bad],
          /bad\.json" cannot be used: line 4, column 7: rules\[0\]\.path is no path for a rule/,
        ],
      ] as const) {
        const refusal = await refusalOf(...args, "--demo", "--database", join(missing, "person.db"));
        assert.match(refusal, typeof reason === "string" ? new RegExp(RegExp.escape(reason)) : reason);
      }
    } finally {
      taken.close();
    }
    assert(!existsSync(folder.path("not")));
  });

  it("names the database in one line where it cannot be used", async () => {
    const file = folder.newFile();
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE notes (text TEXT)");
    other.close();
    const refusal = await refusalOf("--port", "0", "--database", file);
    assert.match(refusal, /^Cannot open the database "[^\n]+: it is the database of another program[^\n]*$/);
    assert.ok(refusal.includes(JSON.stringify(file)));
  });
});

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
