import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { openFolder } from "../../waymark/test/folder.ts";
import { runProgram, runProgramBy, startProgram, startService } from "./service-process.ts";

const folder = openFolder("follow-command");

const send = (url: string, method: string, person?: object): Promise<Response> =>
  fetch(url, {
    method,
    ...(person && { body: JSON.stringify(person), headers: { "Content-Type": "application/json" } }),
  });

/** The names in NDJSON, and the ids of the removed. */
const namesIn = (lines: string): readonly unknown[] =>
  lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))
    .map(({ id, name, removed }) => (removed === true ? id : name));

describe("follow", () => {
  it("writes all people, and goes on where it stopped", async () => {
    await using service = await startService("--database", ":memory:");
    const cursor = folder.newFile("cursor");
    const people = `${service.url}/person`;
    for (const name of ["Ada", "Grace"]) await send(people, "POST", { name });
    const first = await runProgram("follow", people, "--once", "--cursor", cursor);
    assert.deepEqual([first.code, namesIn(first.stdout)], [0, ["Ada", "Grace"]], first.stderr);
    const none = await runProgram("follow", service.url, "--once", "--cursor", cursor);
    assert.deepEqual([none.code, none.stdout], [0, ""], none.stderr);
    await send(`${people}/1`, "DELETE");
    await send(`${people}/2`, "PUT", { name: "Grace Hopper", jobTitle: "Rear Admiral" });
    const next = await runProgram("follow", `${people}/changes`, "--once", "--cursor", cursor, "--fields", "name");
    assert.equal(next.stdout, '{"id":1,"removed":true}\n{"id":2,"name":"Grace Hopper"}\n');
  });

  it("waits for changes, and writes them as they come", async () => {
    await using service = await startService("--database", ":memory:");
    const follower = startProgram("follow", service.url);
    for (const name of ["Ada", "Grace"]) {
      const printed = follower.untilPrinted(new RegExp(`"name":"${name}"`));
      await send(`${service.url}/person`, "POST", { name });
      await printed;
    }
    follower.kill("SIGTERM");
    assert.deepEqual(namesIn((await follower.exited).stdout), ["Ada", "Grace"]);
  });

  for (const [where, command, expected] of [
    [
      "the disk is full",
      '"$0" "$@" > /dev/full; echo $? >&2',
      "person-service: Standard output cannot be written: the disk is full\n1\n",
    ],
    // The shell writes until the reader is gone.
    [
      "nobody reads any more",
      '(trap "" PIPE; while echo; do :; done 2> /dev/null; "$0" "$@"; echo $? >&2) | true',
      "0\n",
    ],
  ] as const) {
    const lacksDevice = command.includes("/dev/full") && !existsSync("/dev/full");
    it(`ends where ${where}, and keeps its place`, { skip: lacksDevice && "there is no /dev/full" }, async () => {
      await using service = await startService("--database", ":memory:");
      await send(`${service.url}/person`, "POST", { name: "Ada" });
      const cursor = folder.newFile("cursor");
      const { stderr } = await runProgramBy(["sh", "-c", command], "follow", service.url, "--cursor", cursor);
      assert.deepEqual([stderr, existsSync(cursor)], [expected, false]);
    });
  }

  it("tries again while the service cannot be reached, or says that it is busy", async () => {
    let requests = 0;
    const server = createServer((request, response) => {
      requests++;
      if (requests === 1) return request.socket.destroy();
      if (requests === 2) return response.writeHead(503, { "Retry-After": "1" }).end();
      response.writeHead(200, { Link: '</person/changes?after=abc>; rel="next"' });
      return response.end(requests === 3 ? '{"id":1,"name":"Ada"}\n' : "");
    });
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const { port } = server.address() as AddressInfo; // it listens on a port
    const { code, stdout, stderr } = await runProgram(
      ...["follow", `http://127.0.0.1:${port}`, "--once", "--longest-pause", "0.01"],
    );
    server.close();
    assert.deepEqual([code, stdout, requests], [0, '{"id":1,"name":"Ada"}\n', 4], stderr);
    assert.match(stderr, /cannot be reached \(\w+\); trying again/);
  });

  it("ends with --once where the service is not there for five attempts", async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests++;
      response.writeHead(503).end();
    });
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on a port
    const follow = () => runProgram("follow", url, "--once", "--longest-pause", "0.01");
    const busy = await follow();
    await new Promise((resolve) => server.close(resolve));
    const away = await follow();
    assert.deepEqual([busy.code, requests, away.code], [1, 5, 1]);
    assert.match(busy.stderr, /answers 503, after 5 attempts/);
    assert.match(away.stderr, /cannot be reached \((?:ECONNREFUSED|ConnectionRefused)\), after 5 attempts/);
  });

  it("sends the key of a file, and says why the service refuses", async () => {
    const [access, keys, key] = [folder.newFile("json"), folder.newFile("json"), folder.newFile("key")];
    writeFileSync(access, JSON.stringify({ rules: [{ methods: ["GET"], path: "/person/**", scopes: ["read"] }] }));
    const made = await runProgram("key", "create", "--name", "a", "--scope", "read", "--keys", keys, "--out", key);
    assert.equal(made.code, 0, made.stderr);
    await using service = await startService("--database", ":memory:", "--access", access, "--keys", keys);
    const refused = await runProgram("follow", service.url);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /answers 401.*name the file of a key by --key-file/s);
    const allowed = await runProgram("follow", service.url, "--once", "--key-file", key);
    assert.deepEqual([allowed.code, allowed.stdout], [0, ""], allowed.stderr);
  });

  it("refuses a URL and a key that no request can have", async () => {
    const key = folder.newFile("key");
    writeFileSync(key, "> person-service key create\nps_00000000000000000000000000000000000000000001K0Ecg\n");
    const withPassword = await runProgram("follow", "http://ada:secret@127.0.0.1:8080/person");
    assert.equal(withPassword.code, 1);
    assert.match(withPassword.stderr, /The URL at "127.0.0.1:8080" has credentials, .* --key-file\n$/);
    const withBanner = await runProgram("follow", "http://127.0.0.1:8080/person", "--key-file", key);
    assert.equal(withBanner.code, 1);
    assert.match(withBanner.stderr, /of --key-file must have an API key, and nothing else\n$/);
    // A port to which no program may send HTTP.
    const blocked = await runProgram("follow", "http://127.0.0.1:1/person", "--once", "--longest-pause", "0");
    assert.match(blocked.stderr, /^http:\/\/127.0.0.1:1 cannot be reached \(.+\); trying again/);
  });

  it("says how to begin again where changes before the cursor are lost", async () => {
    await using service = await startService("--database", ":memory:");
    const cursor = folder.newFile("cursor");
    const text = "AUO_4owOzQGAlOvcAwAABQ\n"; // far ahead of this service
    writeFileSync(cursor, text);
    const { code, stderr } = await runProgram("follow", service.url, "--cursor", cursor);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /answers 410: changes before the cursor are lost\. Remove the file of the cursor and the copy/,
    );
    assert.equal(readFileSync(cursor, "utf8"), text);
    writeFileSync(cursor, "of another program\n");
    const other = await runProgram("follow", service.url, "--cursor", cursor);
    assert.match(other.stderr, /answers 400: The cursor .* It is that of --cursor: name another file/);
    const wrong = await runProgram("follow", "people");
    assert.match(wrong.stderr, /"people" is not the URL of people, such as http:\/\/localhost:8080\/person/);
  });
});
